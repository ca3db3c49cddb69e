"""Which of the form's rows a search leaves, and what has to be open for one of them."""

from __future__ import annotations

from rltui.profile.edit import parse_text
from rltui.profile.source import show_key
from rltui.tui.checks.schema import KeyReference, Reference, SectionDoc
from rltui.tui.form.fields import FormRow, form_rows
from rltui.tui.form.rows import matches, matching_rows, with_holders
from rltui.tui.widgets.filter_bar import Pattern

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
