"""Every flag of `serve` as data; flag, environment variable and YAML key follow from the field.

Field `chat_template` of Settings is `--chat-template`, `RENDER_CHAT_TEMPLATE` and `chat-template`.
Defaults are those of Settings. Names and meanings are vLLM 0.33.0's; "ours" marks additions.
"""

from __future__ import annotations

from .option_types import Group, Option
from .options_model import MODEL_GROUPS
from .options_server import SERVER_GROUPS

__all__ = ["GROUPS", "OPTIONS", "Option"]

GROUPS: tuple[Group, ...] = (*MODEL_GROUPS, *SERVER_GROUPS)

OPTIONS: dict[str, Option] = {option.field: option for _, group in GROUPS for option in group}
