"""--config FILE.yaml: flags by their names, with dashes or underscores, as vLLM's config files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from .usage_error import UsageError


def read_config(path: str) -> Mapping[str, Any]:
    """Top-level keys with underscores, values as YAML made them. Raises UsageError."""
    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"--config {path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"--config {path}: not valid YAML: {error}") from error
    if content is None:
        return {}
    if not isinstance(content, dict) or not all(isinstance(key, str) for key in content):
        raise UsageError(f"--config {path}: expected a mapping of flags to values")
    return {key.lstrip("-").replace("-", "_"): value for key, value in content.items()}
