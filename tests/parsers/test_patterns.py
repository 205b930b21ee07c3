"""Patterns match as Python's `re` does, know what may still come, and take linear time."""

from __future__ import annotations

import re
from random import Random

import pytest

from parsers.limits import MAX_HEAD
from parsers.pattern_syntax import MAX_PROGRAM, PatternError, parsed
from parsers.patterns import MAX_RUN, Found, Pattern, PatternScanner

from .test_properties import lines_run

PATTERNS = (
    r"\s*<t>\s*<f=(?P<name>[^>\n]+)>",
    r"</f>\s*</t>",
    r"\s*(?:<\|e\|>|<\|end\|>)",
    r"(?:^|a)b+?c*",
    r"\Aab|b\Z|c$",
    r"(?P<x>a|ab)(?P<y>c|bcd)(?P<z>d*)",
    r"[ab]{2,4}c?",
    r"a{,2}b{1,}?[]x]",
    r"x(?=y|z)",
    r"<(?P<k>.*?)>(?:b|(?=\Z))",
    r"(?P<q>a)+b",
    r"(a|\x62)*c|a\s+",
    r"(?:a?){3}b{2}",
    r"[^<>]+\u003e",
    r"a+ab",
    r"[ab]+[bc]x",
)
BITS = ("<t>", "<f=", "</f>", "</t>", "<|e|>", "<|end|>", "aaaa", "   ", *"abcdxyz <>\n]")


def pattern(source: str) -> Pattern:
    return Pattern(parsed(source), source)


def texts(count: int) -> list[str]:
    rng = Random(3)
    return ["".join(rng.choices(BITS, k=rng.randint(0, 8))) for _ in range(count)]


@pytest.mark.parametrize("source", PATTERNS)
def test_the_same_match_as_a_backtracking_matcher(source: str) -> None:
    """Incomplete text tells nothing that the rest takes back; what may be a match is held."""
    ours, theirs = pattern(source), re.compile(source, re.DOTALL)
    for text in texts(400):
        expected = theirs.search(text)
        if expected and (expected.start() == expected.end() or text.endswith("\n")):
            continue  # `re` takes `$` for the end of the last line too
        found = ours.search(text, final=True, begins=True)
        if expected is None:
            assert found is None
            continue
        groups = {name: value for name, value in expected.groupdict().items() if value is not None}
        assert found == Found(expected.start(), expected.end(), groups)
        for end in range(len(text)):
            early = ours.search(text[:end], begins=True)
            if early is None:
                assert expected.start() >= end
            elif early.end is None:
                assert early.start <= expected.start()
            else:
                assert (early.start, early.end) == expected.span()


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("(", "is no regular expression"),
        (r"(a)\1", r"\\1 cannot be matched"),
        (r"(?<=a)b", r"\(\?< cannot be matched"),
        (r"a(?!b)", r"\(\?! cannot be matched"),
        (r"a(?=b)c", r"something follows a lookahead"),
        (r"(?:a(?=b))*c", r"something follows a lookahead"),
        (r"\bend", r"\\b cannot be matched"),
        (r"(?i)a", r"\(\?i cannot be matched"),
        (r"a++", "a possessive repetition"),
        (r"\s*", "may match no text"),
        (r"^", "may match no text"),
        (r"(?:a{99}){99}", f"longer than {MAX_PROGRAM} steps"),
    ],
)
def test_patterns_that_are_refused(source: str, words: str) -> None:
    with pytest.raises(PatternError, match=words):
        pattern(source)


def test_text_that_is_too_long_is_no_match() -> None:
    found = pattern(r"<(?P<k>[^>]*)>").search(f"<{'k' * MAX_HEAD}> <k>")
    assert found == Found(MAX_HEAD + 3, MAX_HEAD + 6, {"k": "k"})
    held = pattern(r"\s*<t>").search(" " * 5000)
    assert held is not None
    assert held.start >= 5000 - MAX_HEAD


@pytest.mark.parametrize("size", [100, MAX_RUN, MAX_RUN + 1, MAX_HEAD, MAX_HEAD + 1, 700])
@pytest.mark.parametrize("end", ["<t>", "<tx", "x"])
def test_a_long_run_before_a_match(size: int, end: str) -> None:
    """As much of it as counts, however the text is cut."""
    scanner = PatternScanner({"t": pattern(r"\s*<t>")})
    text = " " * size + end
    found = scanner.search(text)
    assert (found[2] == "t") is (end == "<t>")
    assert not found[2] or found[:2] == (max(0, size - MAX_RUN), len(text))
    gone, held = 0, ""
    for char in text:
        start, _, marker = scanner.search(held + char)
        gone, held = gone + start, (held + char)[start:]
    assert (gone, marker) == (found[0], found[2])


def test_only_at_one_place() -> None:
    tag = pattern("<t>")
    assert tag.search("a<t>", anchored=True) is None
    assert tag.search("a<t>", 1, anchored=True) == Found(1, 4, {})
    assert tag.search("<", anchored=True) == Found(0, None, {})


def test_several_at_once() -> None:
    """The first counts, of those at one place the longest, of equals the first that is named."""
    scanner = PatternScanner({"a": pattern("<x"), "b": pattern(r"<x\w"), "c": pattern("<x")})
    assert scanner.search("so <xy") == (3, 6, "b")
    assert scanner.search("so <x") == (3, 5, "")
    assert scanner.search("so <x ") == (3, 5, "a")
    assert scanner.match("<x", final=True) == (2, "a")
    assert scanner.match("<x") == (2, "")
    assert scanner.match("so") is None
    assert scanner.search("so") == (2, 2, "")


HOSTILE = {
    r"(?:a+)+b": "a",
    r"(?:a|a)*c": "a",
    r"\s*<t>": " \n",
    r"<(?P<k>.*?)>": "<a",
    r"(?:.*,){3}x": ",a",
    r"[^>]*>": "a b",
}


@pytest.mark.parametrize(("source", "bit"), HOSTILE.items())
def test_work_grows_as_the_text(source: str, bit: str) -> None:
    tried = pattern(source)
    tried.search(bit * 20)  # what is compiled once
    small = lines_run(lambda: tried.search(bit * 500))
    assert lines_run(lambda: tried.search(bit * 2000)) <= 4.4 * small


def test_markers_in_a_row_cost_no_more_than_one_by_one() -> None:
    """A pattern that finds nothing does not read all that follows at each marker of another."""
    scanner = PatternScanner({"a": pattern("<a>"), "b": pattern(r"<b\s*>")})

    def run(count: int) -> None:
        text = "<a>" * count
        while text:
            _, end, marker = scanner.search(text)
            assert marker == "a"
            text = text[end:]

    assert lines_run(lambda: run(400)) <= 4.4 * lines_run(lambda: run(100))
