"""Own keys: what holds, what is refused and why; texts name the keys in force."""

from __future__ import annotations

import re
from itertools import chain

import pytest

from rltui.tui.actions import COCKPIT, PANE_KEYS, PLACES, RETIRED, plain_name
from rltui.tui.cockpit.screen import PANES
from rltui.tui.keymap import checked_keys, keymap, normal_key, pane_key, with_keys, with_own_keys
from rltui.tui.panes import live_match

KEYS = {
    "P": "P", "?": "question_mark", "/": "slash", "+": "plus", "ctrl++": "ctrl+plus", "Ctrl+x": "ctrl+x", "F5": "f5",
    "space": "space", " ": "space", "PageUp": "pageup", "alt+ctrl+u": "ctrl+alt+u", "-": "minus",
    "question_mark": "question_mark", "": None, "nokey": None, "hyper+x": None, "\t": None,
}  # fmt: skip
OWN = {"freeze": ("f5",), "log.open": ("ctrl+n",), "run": ("colon",)}
LETTERS = {("lut", "n")}  # ln n


def test_keys_are_named_as_people_write_them() -> None:
    assert {text: normal_key(text) for text in KEYS} == KEYS


def test_plain_names_are_unique_in_each_place_and_need_no_quotes() -> None:
    for actions in (*PLACES.values(), PANE_KEYS):
        names = [plain_name(action) for action in actions]
        assert sorted(names) == sorted(set(names))
        assert all(part.isidentifier() for name in names for part in name.split("."))


def test_own_keys_hold_and_two_may_change_places() -> None:
    keys, problems = checked_keys({"pause": ("F5", "P"), "checkpoint": ("M",), "milestone": ("C", "c")})
    assert problems == []
    assert keys == {"pause": ("f5", "P"), "checkpoint": ("M",), "milestone": ("C", "c")}
    own = {plain_name(action): action.keys for action in with_own_keys(COCKPIT, keys)}
    assert own["milestone"] == ("C", "c")
    assert own["stop"] == ("S",)
    assert keymap(keys)["cockpit.pause"] == "f5,P"


REFUSED: tuple[tuple[dict[str, tuple[str, ...]], tuple[str, str, str]], ...] = (
    ({"leeve": ("x",)}, ("leeve", "no such action", "leave")),
    ({"milestone": ("S",)}, ("milestone", "'S' is the key of stop already", "give stop another key")),
    ({"help": ("ctrl+b",)}, ("help", "'ctrl+b' cannot be had: it is tmux's", "")),
    ({"help": ("ctrl+shift+x",)}, ("help", "terminals have ctrl+shift", "")),
    ({"help": ("foo",)}, ("help", "'foo' is no key", "pageup")),
    ({"help": ()}, ("help", "must have a key", "")),
    ({"command_palette": ("f1",)}, ("command_palette", "its keys are fixed", "")),
)


def test_why_a_key_is_refused(subtests: pytest.Subtests) -> None:
    for wanted, (action, message, hint) in REFUSED:
        with subtests.test(wanted=wanted):
            keys, [problem] = checked_keys(wanted)
            assert (keys, problem.action) == ({}, action)
            assert message in problem.message and hint in problem.hint


def test_of_two_own_keys_that_are_one_the_first_holds() -> None:
    keys, [problem] = checked_keys({"pause": ("f6",), "stop": ("f6",)})
    assert keys == {"pause": ("f6",)}
    assert problem.action == "stop"
    assert "'f6' is the key of pause already" in problem.message


BEFORE = """
pause P p; checkpoint C c; milestone M; next_phase N; take_control O; stop S; debug_actions A; debug_learning L; debug_turtled_start T;
global_debug_mode G; debug_checkpoints K; render V; flags D; change :; metrics 1; rewards 2; time 3; workers 4; lut 5; turtle 6; curriculum u;
machine m; arena 8; reward_trace v; run i; log 9; audit a; next_pane tab; pane_before shift+tab; maximise f; taller >; lower <;
reset_layout 0; freeze z; log_level l; back escape; browser b; launcher H; force F; refresh r; new n; resume R;
fork F; watch w; open enter; mark space; keep M; verify v; pin p; note n; promote P; export x; delete D; undo u; next_value right;
value_before left; add a; remove x delete; reset d; redo r; toggle_view tab; save s ctrl+o; fold space; next_mistake e; search /;
next_found n; found_before N; show_help ?; leave q ctrl+q; help ?; toggle_theme t; picture ctrl+e; copy ctrl+y; log.search /; log.next_hit n;
log.earlier_hit e; log.only_hits x; log.worker w; log.flag d; log.open enter; log.clear escape; workers.filter /; workers.clear escape;
workers.sort o; workers.trace enter; lut.filter /; lut.clear escape; lut.sort o; metrics.filter /; metrics.choose e space;
metrics.chart_before up k; metrics.next_chart down j; metrics.page_up pageup; metrics.page_down pagedown; metrics.enlarge enter;
metrics.explain h; metrics.cursor x; metrics.cursor_left left; metrics.cursor_right right; metrics.cursor_far_left shift+left;
metrics.cursor_far_right shift+right; metrics.log_there d; metrics.zoom_in +; metrics.zoom_out -; metrics.earlier ,; metrics.later .;
metrics.whole w; metrics.log_axis y; metrics.smooth s; metrics.guides g; metrics.columns o; metrics.rows r; metrics.compare =;
metrics.previous_run [; metrics.next_run ]; rewards.filter /; rewards.clear escape; rewards.sort o; rewards.curve enter; audit.filter /;
audit.clear escape; trace.car_before [; trace.next_car ]; trace.hold space
"""  # the names and keys of the first version; compare, edit, filter, no_filter have several places


def test_a_ui_toml_of_the_first_version_holds_wholly_and_line_by_line() -> None:
    """What was another action's key then and is a new one's now is the user's."""
    lines = [line.split() for line in BEFORE.split(";")]
    before = {name: tuple(keys) for name, *keys in lines}
    assert len(before) > 110
    for wanted in (before, *({name: keys} for name, keys in before.items())):
        keys, problems = checked_keys(wanted)
        assert problems == []
        assert all(len(keys[name]) == len(wanted[name]) for name in wanted if name not in RETIRED)


def test_a_new_key_that_the_user_has_given_away_goes_back_to_the_one_before() -> None:
    keys, _ = checked_keys({"note": ("n", "e"), "reset_layout": ("0",), "pin": ("X",)})
    assert keys["fork"] == ("F",) and keys["reward_trace"] == ("v",) and keys["delete"] == ("delete", "D")
    assert keys["marks"] == ()


def test_whatever_is_written_no_key_has_two_meanings_in_one_place() -> None:
    names = [plain_name(action) for action in COCKPIT if action.bound and action.keys]
    pool = ["P", "C", "S", "f5", "z", "a", "q"]
    for start in range(len(names)):
        wanted = {names[(start + 3 * step) % len(names)]: (pool[step],) for step in range(len(pool))}
        keys, _ = checked_keys(wanted)
        found = list(chain.from_iterable(action.keys for action in with_own_keys(COCKPIT, keys)))
        assert sorted(found) == sorted(set(found)), wanted


def test_a_key_is_the_users_own_where_there_is_one() -> None:
    text = "<freeze> goes on, <log.open> opens, <filter> filters"
    assert with_keys(text, {}) == "z goes on, enter opens, / filters"
    assert with_keys(text, OWN) == "f5 goes on, ^n opens, / filters"


def test_what_is_no_action_is_text() -> None:
    assert with_keys('File "<module>", <1 % of <lambda>', OWN) == 'File "<module>", <1 % of <lambda>'


def test_the_key_of_a_pane() -> None:
    assert [pane_key("i", {}), pane_key("i", OWN), pane_key("9", OWN), pane_key("", OWN)] == ["i", ":", "9", ""]


def test_what_only_the_palette_has_is_said_so() -> None:
    assert with_keys("<save_layout>", {}) == "^p"


def test_no_pane_spells_a_key_or_names_an_action_that_is_none() -> None:
    """A letter by itself would be a key, which the user may have given another one."""
    found = []
    for pane in PANES:
        for text in (pane.HELP, pane.EMPTY, live_match.OFF):
            assert "<" not in with_keys(text, {}), pane
            found += [(pane.pane_id(), key) for key in re.findall(r"(?<![\w'’.])(?<!\d )[b-zC-NP-Z](?![\w'’.])", text)]
    assert set(found) <= LETTERS
