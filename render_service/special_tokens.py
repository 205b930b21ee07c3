"""Which tokens a tokenizer adds, by the rules of transformers 5 (`_from_pretrained`).

`tokenizer_config.json` may declare tokens that tokenizer.json lacks and change the flags of
those that it has; older models keep them in `special_tokens_map.json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tokenizers import AddedToken, Tokenizer

from .hub import ModelFiles, StartupError

NAMED = (
    "bos_token",
    "eos_token",
    "unk_token",
    "sep_token",
    "pad_token",
    "cls_token",
    "mask_token",
)

Token = str | AddedToken


@dataclass(frozen=True, slots=True)
class SpecialTokens:
    """named: by attribute (`bos_token`, also a model's own `boi_token`). extra: the unnamed ones.

    declared: what the files declare, in the order of the token IDs.
    """

    named: Mapping[str, Token]
    extra: tuple[Token, ...]
    declared: tuple[AddedToken, ...]

    def all(self) -> list[str]:
        """transformers' all_special_tokens."""
        return list(dict.fromkeys(str(token) for token in (*self.named.values(), *self.extra)))


def read_special_tokens(
    files: ModelFiles,
    config: Mapping[str, Any],
    tokenizer: Tokenizer,
    defaults: Mapping[str, str | None],
) -> SpecialTokens:
    """defaults: the named tokens of the tokenizer class, for names that the files leave out."""
    values: dict[str, Any] = {**defaults, **config}
    if not values.get("extra_special_tokens"):
        values["extra_special_tokens"] = values.get("additional_special_tokens")
    declared = config.get("added_tokens_decoder")
    if declared is None:
        values |= _legacy_special_tokens_map(files, values)
        tokens = _legacy_added_tokens(files, values) | tokenizer.get_added_tokens_decoder()
    else:
        tokens = {int(index): _token(token) for index, token in declared.items()}
    named = {name: _token_or_text(values[name]) for name in NAMED if values.get(name) is not None}
    own = {
        name: value
        for name, value in values.items()
        if name.endswith("_token") and _is_token(value)
    }
    extra = values["extra_special_tokens"]
    if isinstance(extra, Mapping):
        own |= extra
        extra = ()
    named |= {name: _token_or_text(value) for name, value in own.items() if name not in named}
    return SpecialTokens(
        named=named,
        extra=tuple(_token_or_text(token) for token in extra or ()),
        declared=tuple(tokens[index] for index in sorted(tokens)),
    )


def add_special_tokens(
    tokenizer: Tokenizer, special: SpecialTokens, flags: Literal["declared", "plain", "special"]
) -> None:
    """Add what the files declare to the tokenizer; tokens that it has take the declared flags.

    flags: see TokenizerClass.
    """
    tokenizer.add_tokens(list(_marked(special.declared, special)))
    known = {token.content for token in tokenizer.get_added_tokens_decoder().values()}
    missing = [t for t in (*special.named.values(), *special.extra) if str(t) not in known]
    tokenizer.add_tokens(list(_marked(dict.fromkeys(missing), special)))
    if flags == "plain":
        tokenizer.add_tokens([AddedToken(text, special=True) for text in special.all()])
    elif flags == "special":
        added = {token.content: token for token in tokenizer.get_added_tokens_decoder().values()}
        tokenizer.add_special_tokens([added[text] for text in special.all()])


def _marked(tokens: Iterable[Token], special: SpecialTokens) -> Iterable[AddedToken]:
    """Plain text, and what has a name, is special."""
    names = {str(token) for token in special.named.values()}
    for token in tokens:
        added = AddedToken(token, special=True) if isinstance(token, str) else token
        if str(added) in names:
            added.special = True
        yield added


def _legacy_special_tokens_map(files: ModelFiles, values: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in (files.json("special_tokens_map.json") or {}).items():
        if name == "extra_special_tokens" and isinstance(value, list):
            found[name] = [*(values.get(name) or ()), *map(_special, value)]
        elif name == "additional_special_tokens":
            if not values.get("extra_special_tokens"):
                found["extra_special_tokens"] = value
        else:
            found[name] = _special(value) if name != "extra_special_tokens" else value
    return found


def _special(value: Any) -> Any:
    return {**value, "special": True} if isinstance(value, Mapping) else value


def _legacy_added_tokens(files: ModelFiles, values: Mapping[str, Any]) -> dict[int, AddedToken]:
    special = {str(_token_or_text(values[name])) for name in NAMED if values.get(name)}
    extra = values.get("extra_special_tokens") or ()
    special.update(str(_token_or_text(token)) for token in extra)
    return {
        index: AddedToken(text, normalized=text not in special, special=text in special)
        for text, index in (files.json("added_tokens.json") or {}).items()
    }


def _is_token(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, Mapping) and "content" in value)


def _token_or_text(value: Any) -> Token:
    return value if isinstance(value, str) else _token(value)


def _token(value: Any) -> AddedToken:
    fields = {key: field for key, field in dict(value).items() if key != "__type"}
    try:
        return AddedToken(**fields)
    except TypeError as error:
        raise StartupError(f"the tokenizer's files declare a malformed token {value}") from error
