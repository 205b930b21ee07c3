"""Fixtures that all tests share: model folders and real server processes.

Tokenizers of published models are fetched by `make fetch-models` (scripts/fetch_models.py) into
.cache/models, or the folder in RENDER_TEST_MODELS. A test that needs one that is not there is
skipped; everything else runs on the bundled demo model.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from render_service.local_server import LocalServer

ROOT = Path(__file__).parent.parent
DEMO_MODEL = ROOT / "render_service" / "demo_model"
HINT = "run `make fetch-models`, or set RENDER_TEST_MODELS"

Serve = Callable[..., LocalServer]


def models_root() -> Path:
    """Folder of the fetched models; it may not exist. For use outside fixtures."""
    folder = os.environ.get("RENDER_TEST_MODELS")
    return Path(folder).expanduser() if folder else ROOT / ".cache" / "models"


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """Folder of the fetched models, one folder a model, and `templates/`."""
    folder = models_root()
    if not folder.is_dir():
        pytest.skip(f"no fetched models in {folder}: {HINT}")
    return folder


@pytest.fixture(scope="session")
def model_folder(models_dir: Path) -> Callable[[str], Path]:
    """`model_folder("qwen3")`: the folder of a fetched model; skips the test without it."""

    def find(name: str) -> Path:
        folder = models_dir / name
        if not (folder / "tokenizer.json").is_file():
            pytest.skip(f"model {name} is not in {models_dir}: {HINT}")
        return folder

    return find


@pytest.fixture(scope="session")
def demo_model() -> Path:
    return DEMO_MODEL


@pytest.fixture(scope="module")
def serve() -> Iterator[Serve]:
    """`serve(MODEL, *flags) -> LocalServer`: the service, up until the module's tests are done.

    Without arguments it serves the demo model. `.url`, `.process` and `.output()` are of use.
    """
    with ExitStack() as servers:

        def start(model: str | Path = DEMO_MODEL, *flags: str) -> LocalServer:
            return servers.enter_context(
                LocalServer(["render_service", "serve", str(model), *flags])
            )

        yield start


@pytest.fixture(scope="module")
def engine() -> Iterator[Serve]:
    """`engine(*flags) -> LocalServer`: our token engine, up until the module's tests are done."""
    with ExitStack() as servers:

        def start(*flags: str) -> LocalServer:
            return servers.enter_context(LocalServer(["render_service.token_engine", *flags]))

        yield start
