"""Where the model's files are: a folder, or the local cache of a hub repository.

Only what rendering needs is fetched: configs, tokenizer and template files, never weights.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .usage_error import MISTAKE, PASSING, UsageError

# Globs over a repository's paths; `*.py` only where remote code is trusted.
FILES = (
    "config.json",
    "generation_config.json",
    "tokenizer*.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "params.json",
    "tekken.json",
    "chat_template.jinja",
    "chat_template.json",
    "additional_chat_templates/*.jinja",
    # Vocabularies of tokenizers that have no tokenizer.json.
    "vocab.json",
    "vocab.txt",
    "merges.txt",
    "tokenizer.model*",
    "spiece.model",
    "sentencepiece*.model",
    "*.tiktoken",
    "tiktoken.model",
)


class StartupError(UsageError):
    """The service cannot start as configured; the message says what to do, in one line."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A folder with a model's files. name: as the user gave it, for messages."""

    name: str
    folder: Path

    def text(self, path: str) -> str | None:
        """The file's text, None where there is no such file."""
        file = self.folder / path
        try:
            return file.read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise StartupError(f"cannot read {file}: {error}") from error

    def json(self, path: str) -> dict[str, Any] | None:
        """The file's JSON object, None where there is no such file."""
        text = self.text(path)
        if text is None:
            return None
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise StartupError(f"{self.folder / path} is not valid JSON: {error}") from error
        if not isinstance(value, dict):
            raise StartupError(f"{self.folder / path} does not hold a JSON object")
        return value

    def has(self, path: str) -> bool:
        return (self.folder / path).is_file()


def find(name: str, *, revision: str | None = None, remote_code: bool = False) -> ModelFiles:
    """Files of a model folder or hub ID (`org/model`), fetched where they are not cached.

    revision: branch, tag or commit of a hub repository. With HF_HUB_OFFLINE set, or
    without a network, the local cache is all there is. Raises StartupError.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        return ModelFiles(name, folder)
    if folder.exists():
        raise StartupError(f"{name} is a file; give the model's folder or a hub ID")
    # Imported here: a local folder needs neither the package nor its start-up time.
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.errors import (
        GatedRepoError,
        HFValidationError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    patterns = [*FILES, "*.py"] if remote_code else list(FILES)
    try:
        found = snapshot_download(name, revision=revision, allow_patterns=patterns)
    except HFValidationError as error:
        raise StartupError(
            f"model {name!r} is neither a folder nor a hub ID (org/model)"
        ) from error
    except GatedRepoError as error:
        raise StartupError(
            f"model {name!r} is gated: accept its terms on the hub, then set HF_TOKEN"
        ) from error
    except RepositoryNotFoundError as error:
        raise StartupError(
            f"model {name!r} is neither a folder nor a repository of the hub "
            "(if it is private, set HF_TOKEN)"
        ) from error
    except RevisionNotFoundError as error:
        raise StartupError(f"model {name!r} has no revision {revision!r} on the hub") from error
    except LocalEntryNotFoundError as error:
        offline = constants.HF_HUB_OFFLINE
        why = "HF_HUB_OFFLINE is set" if offline else "the hub cannot be reached"
        raise StartupError(
            f"model {name!r} is not a folder and not in the local cache, and {why}: "
            "give the model's folder, or download it once while online",
            MISTAKE if offline else PASSING,
        ) from error
    except OSError as error:
        mistake = isinstance(error, (PermissionError, FileExistsError, NotADirectoryError))
        raise StartupError(
            f"cannot fetch model {name!r} from the hub: {error}", MISTAKE if mistake else PASSING
        ) from error
    return ModelFiles(name, Path(found))
