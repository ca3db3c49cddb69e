"""The footer's keys: the way out stays longest, acts stand apart from views by a word, and nothing is wider than its room."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from rltui.tui.actions import PLACES, Action, Place, in_footer, pane_actions, pane_footer
from rltui.tui.cockpit.screen import PANES
from rltui.tui.widgets.footer import BAR, EDGE, GAP, PART_OF, fitting, words_of

WAY_OUT = {"cockpit": "leave", "launcher": "leave", "browser": "back", "form": "back"}


def offered(place: Place) -> Sequence[Action]:
    return (*pane_footer("metrics"), *in_footer(place)) if place == "cockpit" else in_footer(place)


def shown(place: Place, room: int) -> list[str]:
    return [action.name for actions in fitting(offered(place), {}, room).values() for action in actions]


def columns(parts: dict[str, list[Action]]) -> int:
    """As they are written out, without what lies between the last part and the right edge."""
    texts = [
        f"{part} ".lstrip() + (" " * GAP).join(" ".join(words_of(a, {})) for a in acts) for part, acts in parts.items()
    ]
    return EDGE + len(BAR[0][0].join(texts))


def test_the_way_out_and_help_are_dropped_last(subtests: pytest.Subtests) -> None:
    for place in PLACES:
        with subtests.test(place=place):
            assert shown(place, 9) == [WAY_OUT[place]]
            assert set(shown(place, 19)) == {WAY_OUT[place], "show_help" if place == "form" else "app.help"}


def test_the_cockpit_keeps_the_command_line_the_palette_the_pane_s_main_key_and_the_way_back() -> None:
    """The way back from the present state, too: a maximised pane, a paused run; what their keys are called then."""
    least = {"leave", "app.help", "app.command_palette", "change", "filter", "pause", "stop"}
    for width in (80, 100, 120, 200):
        assert least <= set(shown("cockpit", width))
        parts = fitting(offered("cockpit"), {"maximise": "All panes", "pause": "Resume"}, width)
        assert {"maximise", "pause", "leave"} <= {action.name for actions in parts.values() for action in actions}


def test_it_fits_and_what_is_left_out_had_no_room(subtests: pytest.Subtests) -> None:
    for place in PLACES:
        whole = columns(fitting(offered(place), {}, 1000))
        for room in (0, 1, 20, 60, 80, 100, 120, 160, 200, 400):
            with subtests.test(place=place, room=room):
                parts = fitting(offered(place), {}, room)
                assert not parts or columns(parts) <= room
                drawn = [action for actions in parts.values() for action in actions]
                assert all(action in drawn for action in offered(place)) or room < whole


def test_with_room_for_all_each_part_has_its_registry_order() -> None:
    parts = fitting(in_footer("cockpit"), {}, 1000)
    assert list(parts) == ["act", "view", ""]
    assert [action.name for action in parts["act"]][:4] == ["pause", "checkpoint", "milestone", "stop"]
    assert [action.name for action in parts["act"] if "flag" in action.name] == ["flags"], "one for all debug flags"
    assert parts[""][-1].name == "leave"


def test_what_acts_on_the_training_is_never_under_view() -> None:
    for action in PLACES["cockpit"]:
        assert not action.trains or PART_OF[action.group] == "act", action.name
    assert all(PART_OF[action.group] == "view" for pane in PANES for action in pane_actions(pane.pane_id()))


def test_no_two_keys_of_a_footer_have_one_rank(subtests: pytest.Subtests) -> None:
    for place in PLACES:
        for pane in [*(pane.pane_id() for pane in PANES), ""] if place == "cockpit" else [""]:
            with subtests.test(place=place, pane=pane):
                ranks = [action.footer for action in (*pane_footer(pane), *in_footer(place))]
                assert len(ranks) == len(set(ranks))
