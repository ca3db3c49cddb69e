"""The key → line index, against documents numbered by hand."""

from __future__ import annotations

import pytest

from rltui.profile.toml_lines import Repeat, find_lines, key_path

DOCUMENT = """\
# a comment with [a.table] and key = 1
schema = 1
a.b . "c d" = 2

resets = [
    {kind = "x", weight = 1},  # ]
    # {kind = "not there"}
    {kind = 'y#', nested = {deep = [1,
      2]}},
]
text = \"\"\"
not.a.key = 1
[not.a.table]
\\\"\"\" still inside \"\"\"\"
after = '''
\\''' # no escape in a literal
[table]
key = "= [ { \\" #"
[ table . "sub.table" ]
x = 1
[[list]]
a = 1
[[list]]
a = 2
[list.below]
b = 3
[[list.inner]]
c = 4
"""


LINES = {
    ("schema",): 2,
    ("a",): 3,
    ("a", "b"): 3,
    ("a", "b", "c d"): 3,
    ("resets",): 5,
    ("resets", 0): 6,
    ("resets", 0, "kind"): 6,
    ("resets", 0, "weight"): 6,
    ("resets", 1): 8,
    ("resets", 1, "kind"): 8,
    ("resets", 1, "nested", "deep", 0): 8,
    ("resets", 1, "nested", "deep", 1): 9,
    ("text",): 11,
    ("after",): 15,
    ("table",): 17,
    ("table", "key"): 18,
    ("table", "sub.table"): 19,
    ("table", "sub.table", "x"): 20,
    ("list",): 21,
    ("list", 0): 21,
    ("list", 0, "a"): 22,
    ("list", 1): 23,
    ("list", 1, "a"): 24,
    ("list", 1, "below"): 25,
    ("list", 1, "below", "b"): 26,
    ("list", 1, "inner", 0): 27,
    ("list", 1, "inner", 0, "c"): 28,
}


def test_line_of_key(subtests: pytest.Subtests) -> None:
    for path, line in LINES.items():
        with subtests.test(path=repr(path), line=line):
            assert find_lines(DOCUMENT).of[path] == line


def test_nothing_is_found_in_strings_and_comments() -> None:
    lines = find_lines(DOCUMENT)
    assert lines.stopped_at is None and lines.repeats == []
    assert not [path for path in lines.of if path[0] in ("not", "key") or "not there" in path]


def test_a_key_that_is_not_written_has_the_line_of_its_table() -> None:
    lines = find_lines(DOCUMENT)
    assert lines.nearest(("table", "sub.table", "missing", 3)) == 19
    assert lines.nearest(("nowhere",)) is None


def test_repeats(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, list[Repeat]]] = [
        ("a = 1\nb = 2\na = 3\n", [Repeat(("a",), 3, 1, (12, 17))]),
        ("[t]\nk = 1\n[t]\nk = 2\n", [Repeat(("t",), 3, 1, (11, 12), header=True), Repeat(("t", "k"), 4, 2, (14, 19))]),
        ("t = {k = 1, k = 2}\n", [Repeat(("t", "k"), 1, 1, None)]),
        ("t = {k = 1}\nt = {k = 2}\n", [Repeat(("t",), 2, 1, (12, 23))]),
        ("[[t]]\nk = 1\n[[t]]\nk = 2\n", []),
        ("[a]\nk = 1\n[b]\nk = 1\n", []),
    ]
    for text, expected in cases:
        with subtests.test(text=text, expected=repr(expected)):
            assert find_lines(text).repeats == expected


def test_what_stands_before_a_syntax_error_is_found(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["a = 1\n[b\nc = 2\n", "a = 1\nb = 'open\n", "a = 1\n= 3\n", "a = 1\nb = [1, 2\n", "a = 1\nb 2"]
    for text in cases:
        with subtests.test(text=text):
            lines = find_lines(text)
            assert lines.of[("a",)] == 1 and lines.stopped_at is not None


def test_deep_nesting_ends_the_scan_and_not_the_program() -> None:
    assert find_lines("a = 1\nb = " + "[" * 100_000).of[("a",)] == 1


def test_key_path(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, tuple[str, ...] | None]] = [
        ("a", ("a",)),
        ("ppo.learning_rate", ("ppo", "learning_rate")),
        (" a . 'b.c' ", ("a", "b.c")),
        (r'rewards."my\"bot.py:Ball".weight', ("rewards", 'my"bot.py:Ball', "weight")),
        ("", None),
        ("a.", None),
        ("a b", None),
        ('"open', None),
        ("ä", None),
    ]
    for text, parts in cases:
        with subtests.test(text=text, parts=repr(parts)):
            assert key_path(text) == parts
