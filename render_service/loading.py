"""Settings made into a Model: everything is read, checked and compiled here, once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import parsers
from parsers.pace import PaceError

from .detokenizer import Detokenizer
from .fingerprint import Fingerprint
from .fingerprint_components import components
from .generation import load_generation
from .hub import ModelFiles, StartupError, find
from .model import Model
from .model_config import max_model_len, vocab_size
from .native_parser import NativeParser
from .parser_cache import ParserCache
from .parser_names import check_model_type, check_parser_names, uses_vllm
from .renderers.choice import load_family_tokenizer, load_renderer
from .settings import Settings
from .state_keys import StateKeys
from .template_source import ChatTemplates, find_templates
from .tokenizer import Tokenizer
from .tokenizer_mode import Mode, tokenizer_mode
from .vllm_backend import VllmBackend
from .vllm_parser import VllmParser

__all__ = ["StartupError", "load_model"]

DEMO_MODEL = Path(__file__).parent / "demo_model"
DEMO_NAME = "demo"


def load_model(settings: Settings) -> Model:
    """The served model; the bundled demo model where none is named.

    Raises StartupError: model not found, files missing or broken, a bad template, an unknown
    parser, a length that the model does not have.
    """
    name = settings.model or str(DEMO_MODEL)
    remote_code = settings.trust_remote_code
    files = find(name, revision=settings.revision, remote_code=remote_code)
    config = files.json("config.json")
    if config is None:
        raise StartupError(f"{files.folder} has no config.json: it is not a model's folder")
    tokenizer_files = (
        find(settings.tokenizer, revision=settings.revision, remote_code=remote_code)
        if settings.tokenizer
        else files
    )
    with _read_from(files.folder / "config.json"):
        length = max_model_len(config, settings.max_model_len)
    if settings.enable_auto_tool_choice and settings.tool_call_parser is None:
        raise StartupError("--enable-auto-tool-choice requires --tool-call-parser")
    # Before the tokenizer is read, so that a misspelled name shows at once.
    if not uses_vllm(settings):
        check_parser_names(settings.tool_call_parser, settings.reasoning_parser)
    with _read_from(f"the tokenizer's files in {tokenizer_files.folder}"):
        mode = tokenizer_mode(settings.tokenizer_mode, config, tokenizer_files)
        tokenizer = load_family_tokenizer(mode, tokenizer_files, config, remote_code=remote_code)
    own = _own_template(tokenizer_files, tokenizer)
    format = _load_format(settings, config, tokenizer, own)
    backend = _load_backend(settings, config, tokenizer_files, mode, length)
    with _read_from(f"the chat templates in {tokenizer_files.folder}"):
        templates = _load_templates(settings, tokenizer_files, tokenizer)
    given = None if settings.chat_template is None else templates.sources["default"].text
    renderer = load_renderer(mode, config, tokenizer, given)
    with _read_from(f"the generation config of {files.name}"):
        generation = load_generation(settings, files, config, tokenizer)
    vocabulary = vocab_size(config, tokenizer.max_id)
    detokenizer = Detokenizer(tokenizer, {} if format is None else format.specials)
    return Model(
        settings=settings,
        names=settings.served_model_name or (settings.model or DEMO_NAME,),
        config=config,
        max_model_len=length,
        vocab_size=vocabulary,
        tokenizer=tokenizer,
        templates=templates,
        generation=generation,
        detokenizer=detokenizer,
        format=format,
        outputs=_native(settings, detokenizer, format)
        if backend is None
        else VllmParser(backend, detokenizer, max_tokens=length, vocab_size=vocabulary),
        renderer=renderer,
        streams=ParserCache(settings.parser_cache_bytes),
        state_keys=StateKeys(settings.state_key),
        fingerprint=Fingerprint(
            components(
                settings,
                tokenizer=tokenizer,
                templates=templates,
                renderer=renderer,
                generation=generation,
                format=format,
                backend=backend,
                vocab_size=vocabulary,
                max_model_len=length,
            )
        ),
    )


@contextmanager
def _read_from(source: object) -> Iterator[None]:
    """Files hold anything, and code that reads them fails in any way: all of it is one line."""
    try:
        yield
    except StartupError:
        raise
    except Exception as error:
        raise StartupError(f"{source}: cannot be used ({type(error).__name__}: {error})") from error


def _load_templates(settings: Settings, files: ModelFiles, tokenizer: Tokenizer) -> ChatTemplates:
    """files: the tokenizer's."""
    forced = settings.chat_template_content_format
    return ChatTemplates(
        find_templates(settings.chat_template, files, tokenizer.config),
        special_tokens=tokenizer.special_tokens_map,
        content_format=None if forced == "auto" else forced,
    )


def _own_template(files: ModelFiles, tokenizer: Tokenizer) -> str:
    """The tokenizer's chat template, whatever --chat-template says; "" where it has none."""
    with _read_from(f"the chat templates in {files.folder}"):
        found = find_templates(None, files, tokenizer.config).get("default")
    return found.text if found else ""


def _load_format(
    settings: Settings, config: dict[str, Any], tokenizer: Tokenizer, chat_template: str
) -> parsers.Format | None:
    """None where neither parser is configured, or vLLM's are used. Tool calls are parsed only with
    --enable-auto-tool-choice, as in vLLM.
    """
    tool = settings.tool_call_parser if settings.enable_auto_tool_choice else None
    reasoning = settings.reasoning_parser
    if not tool and not reasoning:
        return None
    check_model_type(config, tool, reasoning)
    if uses_vllm(settings):
        return None
    try:
        return parsers.load(
            tool=tool or None,
            reasoning=reasoning or None,
            vocab=tokenizer.added_tokens,
            special_ids=tokenizer.all_special_ids,
            chat_template=chat_template,
            response_template=tokenizer.config.get("response_template"),
            decode=partial(tokenizer.decode, skip_special_tokens=False),
        )
    except ValueError as error:  # a marker is missing, or the names do not go together
        raise StartupError(str(error)) from error


def _native(
    settings: Settings, detokenizer: Detokenizer, format: parsers.Format | None
) -> NativeParser:
    try:
        return NativeParser(detokenizer, format, keeps_pace=settings.stream_state_format == "vllm")
    except PaceError as error:
        raise StartupError(
            f"--stream-state-format vllm: {error}, so vLLM could not go on with streams exactly. "
            "Leave it out and let the load balancer keep each stream on one server, or run with "
            "--parser-backend vllm."
        ) from error


def _load_backend(
    settings: Settings,
    config: dict[str, Any],
    tokenizer_files: ModelFiles,
    mode: Mode,
    max_model_len: int,
) -> VllmBackend | None:
    if not uses_vllm(settings):
        return None
    from .vllm_loading import load_backend

    return load_backend(settings, config, tokenizer_files.folder, mode, max_model_len)
