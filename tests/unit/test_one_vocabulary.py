"""One word for each thing, as the README's glossary has it: in the source's texts, command help, schema, profiles, documents, pictures."""

from __future__ import annotations

import argparse
import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import rltui
from rltui.cli.parser import build_parser
from rltui.profile.schema import as_dict
from tests.fakes.documents import README, TEXTS

ROOT = Path(rltui.__file__).parent
HERE = Path(__file__).parents[1]
PICTURES = sorted((HERE / "golden").rglob("*.txt"))
SOURCES = sorted(ROOT.rglob("*.py"))
WRITTEN = [*TEXTS, *sorted((ROOT.parent / "profiles").glob("*.toml"))]
HOLE = "{}"  # in the place of what an f-string writes

# Discarded word → what is said instead, and the texts in which it means something else.
DISCARDED: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (r"\bLUT\b", "action table; once, for who looks for it: action table (lookup table, LUT)", ("(lookup table, LUT)",)),
    (
        r"(?:[\d}](?: [kMG])?|millions of|so many|unsaved) steps\b(?!/s| a second| an? | of each)",
        "timesteps: one of each car; a step is one decision of all, and rates are in steps/s",
        (
            "Observations of so many steps", "down for so many steps", "20 steps of full speed",  # decisions
            "{} of {} steps", "{}, {} steps of car", "--steps", "300 steps to play", "30 steps", "{} arenas, {} steps",
        ),
    ),
    (r"(?:raise|lower) (?:the )?ent_coef\b", "entropy coefficient, ppo.ent_coef where the key is meant", ()),
    (r"\bLEARNING\b|[Ww]hile learning|learning included|\blearn takes\b", "update: the half of an iteration in which nets change", ()),
    (r"of short episodes(?! so far)|short ones after a start", "short episodes so far", ()),
    (
        r"enter (?:alone )?keeps|that is kept(?! for ever| until)|[Nn]othing (?:is )?kept (?:yet|here)|keeps? (?:a|the) match|keep what you see|kept beside"
        r"|keeps the newest|versions are kept|[Rr]uns are kept",
        "keep: a checkpoint as a milestone, for ever; else save, hold, set, record",
        ("is {} kept",),
    ),
)  # fmt: skip


def texts(path: Path) -> Iterator[str]:
    """What a module can say: its strings with a space in them, f-strings with holes; no docstrings, no bare names."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    apart: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            apart.add(id(node.value))  # a docstring
        if isinstance(node, ast.JoinedStr):
            apart.update(id(part) for part in node.values)
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else HOLE for part in node.values)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in apart
            and " " in node.value
        ):
            yield node.value


def helps(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The help of a command and of all below it."""
    yield " ".join(parser.format_help().split())
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in dict.fromkeys(action.choices.values()):
                yield from helps(command)


def discarded(text: str) -> list[str]:
    """Each discarded word with what stands around it."""
    found = []
    for pattern, instead, elsewhere in DISCARDED:
        for hit in re.finditer(pattern, text):
            around = text[max(hit.start() - 60, 0) : hit.end() + 60]
            if not any(words in around for words in elsewhere):
                found.append(f"… {around} …: {instead}")
    return found


def test_what_counts_as_discarded(subtests: pytest.Subtests) -> None:
    for text, found in (
        ("5 LUT", 1), ("Action table (lookup table, LUT)", 0), ("StateAwareLUTWrapper", 0), ("12,431,360 steps", 1), ("{} steps", 1),
        ("12.4 M steps", 1), ("14,100 steps/s", 0), ("30 steps a second", 0), ("12,431,360 timesteps", 0), ("raise ent_coef", 1),
        ("ppo.ent_coef = 0.1", 0), ("◆ LEARNING", 1), ("it is learning", 0), ("debug_learning", 0), ("enter keeps it", 1),
        ("{} is kept as milestone {}", 0),
    ):  # fmt: skip
        with subtests.test(text):
            assert len(discarded(text)) == found


def test_no_module_document_or_picture_has_a_discarded_word() -> None:
    assert SOURCES and PICTURES
    read = {path: list(texts(path)) for path in SOURCES}
    read |= {path: [path.read_text(encoding="utf-8")] for path in WRITTEN}
    read |= {path: path.read_text(encoding="utf-8").splitlines() for path in PICTURES}
    assert [f"{path}: {words}" for path, lines in read.items() for text in lines for words in discarded(text)] == []


def test_nor_do_the_commands_help_and_the_schema() -> None:
    said = list(helps(build_parser()))
    assert len(said) > 15
    assert [words for text in (*said, json.dumps(as_dict())) for words in discarded(text)] == []


def test_the_glossary_has_the_words() -> None:
    glossary = TEXTS[README].partition("\n## Words\n")[2].partition("\n## ")[0]
    words = {
        word for row in glossary.splitlines() if row.startswith("| ") for word in row.split(" | ")[0][2:].split(", ")
    }
    wanted = ["tick", "step", "timestep", "iteration", "update", "training", "learning", "checkpoint", "milestone"]
    assert words >= {*wanted, "action table", "entropy coefficient"}
