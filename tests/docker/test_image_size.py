"""The image's size, by the sizes of what it is made of: below its bound, and as README.md says."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.conftest import ROOT

LINE = re.compile(r"^ *(\d+) MB  (.*)$", re.MULTILINE)


def test_the_image_is_below_its_bound_and_as_the_readme_says() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "image_size.py")]
    shown = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    *layers, (whole, bound) = LINE.findall(shown)
    assert bound == "together; the bound is 350"
    assert len(layers) == 3
    rows = re.findall(r"^\| (.*) \| (?:about )?(\d+) \|$", readme(), re.MULTILINE)
    assert int(rows[-1][1]) == sum(int(size) for _, size in rows[:-1])
    assert int(whole) == sum(int(size) for size, _ in layers)
    # Another release of Python compiles to other sizes.
    off = 1 if sys.version_info[:2] == (3, 11) else 5
    for size, said in zip((*(size for size, _ in layers), whole), rows, strict=True):
        assert abs(int(size) - int(said[1])) <= off, said


def readme() -> str:
    """Its table of layers."""
    page = (ROOT / "README.md").read_text("utf-8")
    return page.partition("The image by layer, unpacked")[2].partition("\n## ")[0]
