"""The requests that `compare` sends: the bundled corpus, or an operator's own.

A line of JSONL, and a file of a folder, is one of these:
- a body as it was sent; what it is for is told by its fields (`messages`, `prompt`,
  `generate_response` and so on);
- `{"url", "body"}`, as in OpenAI's batch files: `custom_id` is the name, and `/v1/chat/completions`
  stands for its /render;
each of them with `"outputs"` beside it, if wished: what the model wrote, one text (or a list of
token IDs, or `{"text", "finish_reason", "stop_reason"}`) a choice, to be derendered.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from . import compare_outputs
from .corpus import Case, cases
from .corpus.case import CHAT, COMPLETION, DETOKENIZE, MESSAGES, RESPONSES, TOKENIZE, Output
from .usage_error import UsageError, read_given

PATHS = (
    *(CHAT, COMPLETION, RESPONSES, MESSAGES, TOKENIZE, DETOKENIZE),
    *(compare_outputs.CHAT, compare_outputs.COMPLETION),
)
BY_FIELD = {
    "generate_response": compare_outputs.CHAT,
    "generate_responses": compare_outputs.COMPLETION,
    "completion_request": compare_outputs.COMPLETION,
    "generate_chunk": compare_outputs.CHAT,
    "messages": CHAT,
    "prompt": COMPLETION,
    "input": RESPONSES,
    "tokens": DETOKENIZE,
}


def read_cases(source: str | None) -> Iterator[Case]:
    """source: None for the bundled corpus, a JSONL file, or a folder of .json and .jsonl files.

    Raises UsageError that names file and line.
    """
    if source is None:
        yield from cases()
        return
    path = Path(source)
    if not path.exists():
        raise UsageError(f"no file or folder {source}")
    if not path.is_dir():
        yield from _lines(path)
        return
    files = sorted(file for file in path.rglob("*") if file.suffix in (".json", ".jsonl"))
    if not files:
        raise UsageError(f"no .json or .jsonl file in {source}")
    for file in files:
        if file.suffix == ".jsonl":
            yield from _lines(file)
        else:
            yield _case(_read(file), str(file))


def _lines(path: Path) -> Iterator[Case]:
    for number, line in enumerate(_read(path).split("\n"), start=1):
        if line.strip():
            yield _case(line, f"{path}:{number}")


def _read(path: Path) -> str:
    try:
        return read_given(str(path)).decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: {error}") from None


def _case(text: str, place: str) -> Case:
    try:
        entry = json.loads(text)
    except ValueError as error:
        raise UsageError(f"{place} is not JSON: {error}") from None
    if not isinstance(entry, dict):
        raise UsageError(f"{place} is not a JSON object")
    outputs = entry.pop("outputs", ())
    body, url = entry, None
    if isinstance(entry.get("body"), dict):
        body, url = entry["body"], entry.get("url")
    path = _path(url, body, place)
    name = str(entry.get("custom_id", place)) if body is not entry else place
    return Case(name, path, body, tuple(_output(one, place) for one in outputs))


def _path(url: Any, body: Mapping[str, Any], place: str) -> str:
    if url is None:
        path = next((path for field, path in BY_FIELD.items() if field in body), None)
        if path is None:
            raise UsageError(f"{place} has none of {', '.join(BY_FIELD)}: it needs a `url`")
        return path
    for path in (url, f"{url}/render"):
        if path in PATHS:
            return str(path)
    raise UsageError(f"{place}: {url!r} is not one of {', '.join(PATHS)}")


def _output(entry: Any, place: str) -> Output:
    given = entry if isinstance(entry, dict) else {"text": entry}
    text = given.get("text")
    if not isinstance(text, (str, list)):
        raise UsageError(f"{place}: an output is a text, a list of token IDs, or has a `text`")
    return Output(text, given.get("finish_reason", "stop"), given.get("stop_reason"))
