"""Changes of the draft by one field."""

from __future__ import annotations

from rltui.profile.edit import Draft, parse_text
from rltui.tui.form.editor import as_saved
from rltui.tui.form.fields import FormRow


def test_what_is_put_back_is_the_old_text_to_the_letter() -> None:
    text = "# mine\n[ppo]\nepochs = 3  # three\ngamma = 0.99\n\n[rewards]\ntouch = 1.0\nface = {weight = 2e-1}\n"
    saved, draft = parse_text(text), Draft(text)
    for path, value in ((("ppo", "epochs"), "7"), (("rewards", "face", "weight"), "9")):
        row = FormRow("field", path, str(path[-1]))
        assert as_saved(draft.set(path, value), saved, row).text == text
        assert as_saved(draft.unset(path), saved, row).written.value(path) == saved.value(path)
    weight = FormRow("field", ("rewards", "touch", "weight"), "weight")
    for value in ("5", "{weight = 3, power = 2}"):  # a number for a number, then a table for a number
        assert as_saved(draft.set(("rewards", "touch"), value), saved, weight).text == text
    new = FormRow("field", ("ppo", "clip_range"), "clip_range")
    assert as_saved(draft.set(("ppo", "clip_range"), "0.2"), saved, new).written.value(("ppo", "clip_range")) is None
