"""fastokens beside `tokenizers`: the same token IDs for a fraction of the CPU, or not used at all.

It takes seconds to load, so a single process serves on `tokenizers` meanwhile; workers are forked
from a parent that has loaded it, and share its memory. Whether the IDs are the same is found out on
texts that exercise every added token. Offsets and decoding stay with `tokenizers`.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Literal, Protocol

from . import memory
from .usage_error import UsageError

if TYPE_CHECKING:
    from .tokenizer import Tokenizer

logger = logging.getLogger("render_service")

Backend = Literal["auto", "tokenizers", "fastokens"]

CACHE_BYTES = 32 << 20
"""Of each process, for the texts between added tokens: a growing chat repeats all of its own."""

# Kinds of text that tell pipelines apart: what they normalize, split on and merge.
TEXTS = (
    "",
    " ",
    " \n",
    "  leading and  double  spaces  \t\ttabs \r\n\r\n lines\n\n\n",
    "don't you're I'LL we've SHE'D it's \u2019s 12345 67 8.9 1,000,000 0x1F \uff13\uff14 ½ Ⅷ",
    "naïve café e\u0301 n\u0303 \u212b ﬁ ß İı \u1e9b\u0323 가각 \u1112\u1161\u11ab",
    "日本語 中文字符。「」、 हिन्दी العربية ไทยภาษา Ελληνικά Русский עברית",
    "👩‍👩‍👧‍👦 🎉🏽 \U0001f1fa\U0001f1f8 \ufe0f \u200b \u200d \u00a0 ",
    "\u3000 \u2028 \ufeff \x00\x01\x7f \ufffd",
    "def f(x):\n\treturn {'a': [x+1, -2.5e-3]} # != <= >>= && ||\n\n\n    pass\n",
    '{"name": "f", "arguments": {"city": "Zürich", "n": [1, 2.50, null, true]}}\\n\\"',
    "<tool_call> </think> [INST] <|x|> <0x41> \u2581word \u2581 Ġtoken Ċ https://a.b/c?d=e&f#g",
    "camelCaseWords ALLCAPS snake_case_name kebab-case x86_64 3rd MixedCASEword's",
    "x" * 200 + "ab" * 100 + " " * 300 + "\n" * 70 + "-" * 130 + "=" * 65 + "!?" * 40,
)
# Around an added token: letters, spaces and line ends that it may take in, and another one.
FRAMES = "a{0}b {0} c\n{0}\n  {0}  {0}{0}.{0}'s"


class Encoding(Protocol):
    ids: list[int]


class FastEncoder(Protocol):
    def encode(self, input: str, add_special_tokens: bool = False) -> Encoding: ...


class Unusable(Exception):
    """Why fastokens does not serve a tokenizer."""


def start(tokenizer: Tokenizer, backend: Backend, *, workers: int) -> None:
    """Puts fastokens to use where it may be: before a fork at once, else behind the service.

    UsageError where `backend` insists on it in vain.
    """
    if backend == "tokenizers" or (backend == "auto" and not _may_serve(tokenizer)):
        return
    if backend == "auto" and workers == 1:
        threading.Thread(
            target=_adopt, args=(tokenizer, check), name="fastokens", daemon=True
        ).start()
        return
    reason = _adopt(tokenizer, check if workers == 1 else _check_in_child)
    if reason and backend == "fastokens":
        raise UsageError(f"--tokenizer-backend fastokens: {reason}")


def _adopt(tokenizer: Tokenizer, checked: Callable[[Tokenizer, FastEncoder], None]) -> str:
    """Why not, or ""."""
    begin = perf_counter()
    try:
        encoder = load(tokenizer)
        checked(tokenizer, encoder)
    except Unusable as error:
        logger.warning("Tokenizing with `tokenizers`, not fastokens: %s", error)
        return str(error)
    tokenizer.encode_by(encoder)
    memory.give_back()
    logger.info("Tokenizing with fastokens, checked after %.1f s", perf_counter() - begin)
    return ""


def load(tokenizer: Tokenizer) -> FastEncoder:
    """Starts no thread. Raises Unusable."""
    if not _may_serve(tokenizer):
        raise Unusable("the tokenizer does not run on `tokenizers` alone")
    # Its threads would not survive a fork, and would take CPU from other requests.
    os.environ["FASTOKENS_BPE_THREADS"] = "1"
    try:
        from fastokens import Tokenizer as Fast  # type: ignore[import-untyped]
    except ImportError as error:
        raise Unusable(f"it cannot be imported ({error})") from error
    with _failures():
        encoder = Fast.from_json_str(tokenizer.pipeline())
        encoder.enable_segment_cache(CACHE_BYTES)
        encoder.encode("a")  # makes what all encodings share
    found: FastEncoder = encoder
    return found


def _may_serve(tokenizer: Tokenizer) -> bool:
    return tokenizer.backend == "tokenizers" and not tokenizer.splits_special_tokens


def check(tokenizer: Tokenizer, encoder: FastEncoder) -> None:
    """Raises Unusable at the first text whose token IDs differ."""
    for text in probes(tokenizer):
        for special in (True, False):
            want = tokenizer.encode(text, add_special_tokens=special)
            with _failures():
                if encoder.encode(text, special).ids != want:
                    raise Unusable(f"token IDs differ for {text[:80]!r}")


def probes(tokenizer: Tokenizer) -> Iterator[str]:
    yield from TEXTS
    for token in tokenizer.added_tokens:
        yield FRAMES.format(token)


def _check_in_child(tokenizer: Tokenizer, encoder: FastEncoder) -> None:
    """`check` for a parent that may not start threads, as both libraries do for some texts."""
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        reason = "the check failed"
        try:
            check(tokenizer, encoder)
            reason = ""
        except Unusable as error:
            reason = str(error)
        finally:
            os.write(writer, reason.encode())
            os._exit(0)
    os.close(writer)
    with open(reader) as told:
        reason = told.read()
    _, status = os.waitpid(pid, 0)
    if reason or status:
        raise Unusable(reason or f"the check ended with status {status}")


@contextmanager
def _failures() -> Iterator[None]:
    """A native library fails in any way, by panics too: all of them say that it is not usable."""
    try:
        yield
    except Unusable:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise Unusable(f"{type(error).__name__}: {error}") from error
