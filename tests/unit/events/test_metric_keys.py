"""Metrics that several modules write or read have a name, and no module spells one of those by hand."""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from pathlib import Path

import pytest

import rltui
from rltui.events import metric_keys
from rltui.events.episode_reward import EPISODES, FIRST_EPISODES, PART, REWARD, WEIGHT
from rltui.events.metrics import BY_KEY, SECTIONS

ROOT = Path(rltui.__file__).parent
TABLES = {"events/metrics.py", "events/metric_health.py"}  # what each metric is, and what is usual of it
CHARTS = {"tui/panes/chart_view.py"}  # which charts are shown at first, in their order
NAMED = {value for name, value in vars(metric_keys).items() if name.isupper() and isinstance(value, str)}
SOURCES = {str(path.relative_to(ROOT)): path for path in sorted(ROOT.rglob("*.py"))}


@functools.cache
def literals(path: Path) -> list[str]:
    """Every string of the source; of an f-string its constant parts."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def spelled() -> dict[str, set[str]]:
    """Metric key → the modules that spell it, the tables apart."""
    found: dict[str, set[str]] = defaultdict(set)
    for module, path in SOURCES.items():
        if module not in TABLES:
            for text in literals(path):
                if text in BY_KEY and "/" in text:
                    found[text].add(module)
    return found


def test_every_name_is_a_metric_of_the_table() -> None:
    assert NAMED and set(BY_KEY) >= NAMED
    assert {REWARD, EPISODES, FIRST_EPISODES} <= set(BY_KEY)
    assert {PART, WEIGHT} <= {f"{section}/" for section in SECTIONS}


def test_a_metric_with_a_name_is_spelled_there_alone() -> None:
    strays = {key: modules for key, modules in spelled().items() if key in NAMED}
    assert all(modules == {"events/metric_keys.py"} for modules in strays.values()), strays


def test_what_two_modules_know_of_has_a_name() -> None:
    twice = {key: modules - CHARTS for key, modules in spelled().items() if len(modules - CHARTS) > 1}
    assert twice == {}, "give it a name in events/metric_keys.py"


def test_the_keys_of_rewards_are_made_in_one_place(subtests: pytest.Subtests) -> None:
    for prefix in [PART, WEIGHT]:
        with subtests.test(prefix=prefix):
            modules = {
                module for module, path in SOURCES.items() if any(text.startswith(prefix) for text in literals(path))
            }
            assert modules - TABLES == {"events/episode_reward.py"}
