"""Keys of one's own: what holds, what is refused and why."""

from __future__ import annotations

from itertools import chain

import pytest

from rltui.tui.actions import COCKPIT, PANE_KEYS, PLACES, plain_name
from rltui.tui.keymap import checked_keys, keymap, normal_key, with_own_keys


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("P", "P"), ("?", "question_mark"), ("/", "slash"), ("+", "plus"), ("ctrl++", "ctrl+plus"), ("Ctrl+x", "ctrl+x"),
        ("F5", "f5"), ("space", "space"), (" ", "space"), ("PageUp", "pageup"), ("alt+ctrl+u", "ctrl+alt+u"), ("-", "minus"),
        ("question_mark", "question_mark"), ("", None), ("nokey", None), ("hyper+x", None), ("\t", None),
    ],
)  # fmt: skip
def test_keys_are_named_as_people_write_them(text: str, key: str | None) -> None:
    assert normal_key(text) == key


def test_plain_names_are_unique_in_each_place_and_need_no_quotes() -> None:
    for actions in (*PLACES.values(), PANE_KEYS):
        names = [plain_name(action) for action in actions]
        assert sorted(names) == sorted(set(names))
        assert all(part.isidentifier() for name in names for part in name.split("."))


def test_a_wish_holds_and_two_may_change_places() -> None:
    keys, problems = checked_keys({"pause": ("F5", "P"), "checkpoint": ("M",), "milestone": ("C", "c")})
    assert problems == []
    assert keys == {"pause": ("f5", "P"), "checkpoint": ("M",), "milestone": ("C", "c")}
    own = {plain_name(action): action.keys for action in with_own_keys(COCKPIT, keys)}
    assert own["milestone"] == ("C", "c")
    assert own["stop"] == ("S",)
    assert keymap(keys)["cockpit.pause"] == "f5,P"


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"leeve": ("x",)}, ("leeve", "no such action", "leave")),
        ({"milestone": ("S",)}, ("milestone", "'S' is the key of stop already", "give stop another key")),
        ({"help": ("ctrl+b",)}, ("help", "'ctrl+b' cannot be had: it is tmux's", "")),
        ({"help": ("ctrl+shift+x",)}, ("help", "terminals have ctrl+shift", "")),
        ({"help": ("foo",)}, ("help", "'foo' is no key", "pageup")),
        ({"help": ()}, ("help", "must have a key", "")),
        ({"command_palette": ("f1",)}, ("command_palette", "its keys are fixed", "")),
    ],
)
def test_why_a_wish_is_refused(wish: dict[str, tuple[str, ...]], words: tuple[str, str, str]) -> None:
    keys, [problem] = checked_keys(wish)
    assert keys == {}
    assert problem.action == words[0]
    assert words[1] in problem.message
    assert words[2] in problem.hint


def test_of_two_wishes_for_one_key_the_first_holds() -> None:
    keys, [problem] = checked_keys({"pause": ("f6",), "stop": ("f6",)})
    assert keys == {"pause": ("f6",)}
    assert problem.action == "stop"
    assert "'f6' is the key of pause already" in problem.message


def test_whatever_is_wished_no_key_has_two_meanings_in_one_place() -> None:
    names = [plain_name(action) for action in COCKPIT if action.bound and action.keys]
    pool = ["P", "C", "S", "f5", "z", "a", "q"]
    for start in range(len(names)):
        wish = {names[(start + 3 * step) % len(names)]: (pool[step],) for step in range(len(pool))}
        keys, _ = checked_keys(wish)
        found = list(chain.from_iterable(action.keys for action in with_own_keys(COCKPIT, keys)))
        assert sorted(found) == sorted(set(found)), wish
