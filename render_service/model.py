"""Everything the service knows about the served model, built once and passed around."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .parser_cache import ParserCache
from .request_cache import RequestCache
from .state_keys import StateKeys

if TYPE_CHECKING:
    import parsers

    from .detokenizer import Detokenizer
    from .fingerprint import Fingerprint
    from .generation import GenerationDefaults
    from .output_parser import OutputParser
    from .renderers.chat import Renderer
    from .settings import Settings
    from .template import ChatTemplate
    from .template_source import ChatTemplates
    from .tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Model:
    """names: served names, the first is the default. config: config.json (model_type and so on).

    vocab_size: the model's, not the tokenizer's: IDs at or above it are refused.
    format: None where neither parser is native. outputs: reads what the model generates.
    renderer: of the model's family; None where a chat template renders.
    requests, streams: caches, they change no answer.
    state_keys: what signs the stream states, none by default.
    """

    settings: Settings
    names: tuple[str, ...]
    config: Mapping[str, Any]
    max_model_len: int
    vocab_size: int
    tokenizer: Tokenizer
    templates: ChatTemplates
    generation: GenerationDefaults
    detokenizer: Detokenizer
    format: parsers.Format | None
    outputs: OutputParser
    fingerprint: Fingerprint
    renderer: Renderer | None = None
    requests: RequestCache = field(default_factory=RequestCache)
    streams: ParserCache = field(default_factory=lambda: ParserCache(0))
    state_keys: StateKeys = field(default_factory=StateKeys)

    @property
    def template(self) -> ChatTemplate | None:
        """The template of requests without tools, None where the model has none."""
        return self.templates.default
