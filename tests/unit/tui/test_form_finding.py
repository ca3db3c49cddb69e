"""Which of the form's rows a search leaves, and what has to be open for one of them."""

from __future__ import annotations

from rltui.profile.edit import Draft, written
from rltui.profile.source import show_key
from rltui.tui.form.fields import FormRow, all_open, as_saved, form_rows, found, holding, matches
from rltui.tui.form.schema_client import KeyReference, Reference, SectionDoc
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
TEXT = written('label = "a"\n\n[ppo]\nepochs = 3\n\n[rewards]\ntouch = 1.0\n')
ROWS = form_rows(REFERENCE, TEXT, all_open(REFERENCE, TEXT))


def names(pattern: str) -> list[str]:
    return [f"{row.kind} {show_key(row.path)}" for row in found(ROWS, Pattern(pattern))]


def test_all_open_hides_nothing() -> None:
    assert [show_key(row.path) for row in ROWS if row.kind == "field"] == [
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
    row = next(row for row in ROWS if row.label == "weight")
    assert holding(ROWS, row) == {("rewards",), ("rewards", "touch")}
    assert not matches(FormRow("add", ("rewards",), "add reward …"), Pattern(""))


def test_what_is_put_back_is_the_old_text_to_the_letter() -> None:
    text = "# mine\n[ppo]\nepochs = 3  # three\ngamma = 0.99\n\n[rewards]\ntouch = 1.0\nface = {weight = 2e-1}\n"
    saved, draft = written(text), Draft(text)
    for path, value in ((("ppo", "epochs"), "7"), (("rewards", "face", "weight"), "9")):
        row = FormRow("field", path, str(path[-1]))
        assert as_saved(draft.set(path, value), saved, row).text == text
        assert as_saved(draft.unset(path), saved, row).written.value(path) == saved.value(path)
    weight = FormRow("field", ("rewards", "touch", "weight"), "weight")
    for value in ("5", "{weight = 3, power = 2}"):  # a number for a number, then a table for a number
        assert as_saved(draft.set(("rewards", "touch"), value), saved, weight).text == text
    new = FormRow("field", ("ppo", "clip_range"), "clip_range")
    assert as_saved(draft.set(("ppo", "clip_range"), "0.2"), saved, new).written.value(("ppo", "clip_range")) is None
