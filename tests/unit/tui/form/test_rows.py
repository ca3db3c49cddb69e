"""Which of the form's rows a search leaves, and what has to be open for one of them."""

from __future__ import annotations

import msgspec
import pytest

from rltui.profile.edit import Draft, parse_text
from rltui.profile.source import show_key
from rltui.tui.checks.results import ProfileCheck
from rltui.tui.checks.schema import KeyReference, Reference, ReferenceReader, SectionDoc
from rltui.tui.form.editor import with_suggestion
from rltui.tui.form.fields import FormRow, form_rows
from rltui.tui.form.rows import matches, matching_rows, with_holders
from rltui.tui.widgets.filter_bar import Pattern
from tests.fakes import children
from tests.fakes.edited_form import QUICK

REFERENCE = Reference(
    sections=(SectionDoc("ppo", "The algorithm."), SectionDoc("rewards", "What it is paid for.")),
    keys=(
        KeyReference("label", "text", doc="Names the bot."),
        KeyReference("ppo.gamma", "number", doc="Discount of a step."),
        KeyReference("ppo.epochs", "whole number", doc="Passes over a batch."),
        KeyReference("rewards.<name>.weight", "number", doc="What one unit counts."),
    ),
)
TEXT = parse_text('label = "a"\n\n[ppo]\nepochs = 3\n\n[rewards]\ntouch = 1.0\n')
ROWS = with_holders(form_rows(REFERENCE, TEXT))


def names(pattern: str) -> list[str]:
    return [f"{row.kind} {show_key(row.path)}" for row in matching_rows(ROWS, Pattern(pattern))]


def test_every_field_has_a_row() -> None:
    assert [show_key(row.path) for row, _ in ROWS if row.kind == "field"] == [
        "label", "ppo.gamma", "ppo.epochs", "rewards.touch.weight",
    ]  # fmt: skip


def test_every_misspelt_name_has_a_row_and_its_suggestion_changes_nothing_else(subtests: pytest.Subtests) -> None:
    """A key, a reward, a parameter, an element's key, a table by header and by dotted key, a word, a key of another section."""
    reference = ReferenceReader(lambda _: children.schema()).read()
    elsewhere = QUICK.replace("[ppo]", "[ppo]\ngamma = 0.98")
    for wrong, right in (
        (QUICK.replace("epochs = 2", "epoch = 2"), QUICK),
        (QUICK.replace("touch = 1.0", "tuch = 1.0"), QUICK),
        (QUICK.replace("touch = 1.0", "touch = {wight = 1.0}"), QUICK.replace("touch = 1.0", "touch = {weight = 1.0}")),
        (QUICK.replace("cars_on_ground = true", "car_on_ground = true"), QUICK),
        (QUICK.replace('"random", weight', '"random", wieght'), QUICK),
        (QUICK.replace("[collect]", "[colect]"), QUICK),
        (f"colect.arenas = 8\n{QUICK.replace('[collect]', '')}", None),
        (QUICK.replace('kind = "kickoff"', 'kind = "kickof"'), QUICK),
        (QUICK.replace("[collect]", "[collect]\ngamma = 0.98"), elsewhere),
    ):
        with subtests.test(wrong=next(iter(set(wrong.splitlines()) - set(QUICK.splitlines())))):
            check = msgspec.convert(children.judged(wrong), ProfileCheck)
            problem = next(each for each in check.errors if each.suggestion)
            rows = form_rows(reference, parse_text(wrong))
            row = next(row for row in rows if show_key(row.path) == problem.key and row.kind in ("field", "element"))
            draft, path = with_suggestion(Draft(wrong), row.path, problem)
            assert draft.written.value(path) == (parse_text(right).value(path) if right is not None else {"arenas": 8})
            assert right in (None, elsewhere) or draft.text == right
            assert problem.key == show_key(path) or draft.written.value(row.path) is None


def test_names_and_explanations_are_looked_through_and_headings_stay_above() -> None:
    assert names("gamma") == ["section ppo", "field ppo.gamma"]
    assert names("discount") == ["section ppo", "field ppo.gamma"]
    assert names("names the") == ["section profile", "field label"]
    assert names("one unit") == ["section rewards", "element rewards.touch", "field rewards.touch.weight"]
    assert names("algorithm") == []  # headings are no fields
    assert "field ppo.gamma" not in names("!gamma") and "field label" in names("!gamma")


def test_what_holds_a_row() -> None:
    above = next(above for row, above in ROWS if row.label == "weight")
    assert [each.path for each in above] == [("rewards",), ("rewards", "touch")]
    assert not matches(FormRow("add", ("rewards",), "add reward …"), Pattern(""))
