"""vLLM's parsers imported: the composed class for the configured names, plugins loaded before.

vLLM is imported here and nowhere else, and only when a parser of it is wanted: with PyTorch that
takes seconds and half a gigabyte. Its packages of parsers suffice, no engine or model of it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from .hub import StartupError
from .parser_names import HARMONY, check_registered
from .vllm_backend import VllmBackend

if TYPE_CHECKING:
    from .settings import Settings
    from .tokenizer_mode import Mode

MODULES = {
    "vllm": "vllm",
    "parser": "vllm.parser",
    "tools": "vllm.tool_parsers",
    "reasonings": "vllm.reasoning",
    "tokenizers": "vllm.tokenizers",
    "plugins": "vllm.utils.import_utils",
    "protocol": "vllm.entrypoints.openai.chat_completion.protocol",
    "assembly": "vllm.entrypoints.openai.chat_completion.message_assembly",
    "processor": "vllm.entrypoints.openai.chat_completion.stream_processor",
}
_LOGGING = {"VLLM_LOGGING_STREAM": "ext://sys.stderr", "VLLM_LOGGING_LEVEL": "WARNING"}


def load_backend(
    settings: Settings, config: Mapping[str, Any], folder: Path, mode: Mode, max_model_len: int
) -> VllmBackend | None:
    """None where neither parser is in use. config: the model's config.json. folder, mode: the
    tokenizer's. Raises StartupError.
    """
    vllm = _imported()
    tool = (settings.enable_auto_tool_choice and settings.tool_call_parser) or None
    reasoning = settings.reasoning_parser or None
    code = _load_plugins(settings, vllm.plugins.import_plugin)
    check_registered(
        settings.tool_call_parser,
        reasoning,
        vllm.tools.ToolParserManager.list_registered(),
        vllm.reasonings.ReasoningParserManager.list_registered(),
    )
    try:
        tokenizer = vllm.tokenizers.get_tokenizer(
            str(folder), tokenizer_mode=mode, trust_remote_code=settings.trust_remote_code
        )
        parser = vllm.parser.ParserManager.get_parser(
            tool_parser_name=tool,
            reasoning_parser_name=reasoning,
            enable_auto_tools=settings.enable_auto_tool_choice,
            model_name=settings.model,
            is_harmony=config.get("model_type") == HARMONY,
            tool_strict_level=settings.tool_strict_level,
            tokenizer=tokenizer,
        )
    # Whatever vLLM or a plugin raises is told in one line.
    except Exception as error:
        raise StartupError(
            f"vLLM's parser cannot be used: {' '.join(str(error).split())}"
        ) from error
    if parser is None:
        return None
    return VllmBackend(
        version=vllm.vllm.__version__,
        tool=tool,
        reasoning=reasoning,
        auto_tools=settings.enable_auto_tool_choice,
        parser=parser,
        tokenizer=tokenizer,
        model_config=_model_config(settings.model, config, max_model_len),
        request=vllm.protocol.ChatCompletionRequest,
        processor=vllm.processor.ChatStreamProcessor,
        assemble=vllm.assembly.assemble_chat_message_fields,
        plugins=code,
        reads_prompt=_reads_prompt(parser, vllm.parser.DelegatingParser, vllm.reasonings),
        always_adjusts=parser.always_adjust_request
        or reasoning is not None
        or _holds_all_output(parser, tokenizer),
    )


def _imported() -> SimpleNamespace:
    # Its log lines go where ours go, not to standard output.
    for name, value in _LOGGING.items():
        os.environ.setdefault(name, value)
    try:
        return SimpleNamespace(**{name: import_module(path) for name, path in MODULES.items()})
    except ImportError as error:
        raise StartupError(
            f"the configured parsers need vLLM, which cannot be imported ({error}): "
            "pip install 'render-service[vllm]'"
        ) from error


def _load_plugins(settings: Settings, load: Any) -> str:
    """A digest of their code, empty where there are none."""
    digest = blake2b(digest_size=16)
    paths = {
        "--tool-parser-plugin": settings.tool_parser_plugin,
        "--reasoning-parser-plugin": settings.reasoning_parser_plugin,
    }
    for flag, path in paths.items():
        if not path:
            continue
        try:
            module = load(path)
        except Exception as error:
            raise StartupError(f"{flag} {path}: {type(error).__name__}: {error}") from error
        if module is None:
            raise StartupError(f"{flag} {path}: cannot be loaded, for the reason printed above")
        for code in _sources(module):
            digest.update(code.name.encode() + b"\0" + code.read_bytes())
    return digest.hexdigest() if any(paths.values()) else ""


def _sources(module: ModuleType) -> list[Path]:
    """The files of a plugin: one, or those of a package."""
    file = module.__file__
    if file is None:
        return []
    own = Path(file)
    return sorted(own.parent.rglob("*.py")) if hasattr(module, "__path__") else [own]


def _model_config(model: str, config: Mapping[str, Any], max_model_len: int) -> SimpleNamespace:
    """What vLLM's parsers read of a ModelConfig, from config.json as it is.

    The real one inspects the model's class, for which a service without the model has no use.
    """
    text = config.get("text_config")
    kinds = config.get("architectures")
    return SimpleNamespace(
        model=model,
        tokenizer=model,
        max_model_len=max_model_len,
        architecture=kinds[0] if isinstance(kinds, list) and kinds else None,
        hf_config=SimpleNamespace(**config),
        hf_text_config=SimpleNamespace(**(text if isinstance(text, dict) else config)),
        hf_overrides={},
    )


def _holds_all_output(parser: Any, tokenizer: Any) -> bool:
    """Mistral's grammar also keeps markers from requests that may not call."""
    own = getattr(parser.tool_parser_cls, "IS_MISTRAL_TOOL_PARSER", False)
    return bool(own and getattr(tokenizer, "supports_grammar", False))


def _reads_prompt(parser: Any, delegating: Any, reasonings: Any) -> bool:
    """False where the parser asks of the prompt only whether reasoning has ended behind it."""
    own = ("parse_delta", "set_prompt_token_ids")
    if any(getattr(parser, name) is not getattr(delegating, name, None) for name in own):
        return True
    reasoning = parser.reasoning_parser_cls
    hooks = ("set_prompt_token_ids", "adjust_initial_state_from_prompt")
    return reasoning is not None and any(
        getattr(reasoning, name) is not getattr(reasonings.ReasoningParser, name) for name in hooks
    )
