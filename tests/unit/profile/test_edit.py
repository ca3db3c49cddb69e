"""Editing keeps what it does not change, byte for byte."""

from __future__ import annotations

import difflib
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.errors import RltuiError
from rltui.profile.edit import Draft, add_element, edit, parse_text, remove_entry
from rltui.profile.locate import shipped_folder
from rltui.profile.schema import all_keys
from rltui.profile.toml_lines import KeyPath

TEXT = """\
# My bot.
schema = 1

resets = [
    {kind = "kickoff", weight = 0.4},  # most of all
    {kind = "random", weight = 0.6},
]

[ppo]   # learning
learning_rate = 2e-4  # for beginners
batch = 50_000
gamma=0.990 # tight

[rewards]
touch = 1.0
"""


def test_only_the_value_changes() -> None:
    edited = edit(TEXT, {"ppo.learning_rate": "1.50e-4"})
    assert edited == TEXT.replace("2e-4  #", "1.50e-4  #")


def test_no_change_is_no_change() -> None:
    assert edit(TEXT, {}) == TEXT


def test_several_changes() -> None:
    edited = edit(TEXT, {"ppo.batch": "20_000", "ppo.gamma": "0.99", "resets[1].weight": "2", "schema": "1"})
    expected = (
        TEXT.replace("50_000", "20_000").replace("gamma=0.990", "gamma=0.99").replace("weight = 0.6", "weight = 2")
    )
    assert edited == expected


def test_a_new_key_goes_to_its_table_and_a_new_table_to_the_end() -> None:
    data = tomllib.loads(edit(TEXT, {"ppo.epochs": "3", "game.blue": "2", 'rewards."my.py:Ball"': "0.5"}))
    assert data["ppo"]["epochs"] == 3 and data["game"] == {"blue": 2} and data["rewards"]["my.py:Ball"] == 0.5


def test_a_new_key_leaves_comments_at_what_they_explain() -> None:
    text = (
        "# A title.\nschema = 1\n\n# of nets\n\n# big ones\n[ppo]\nepochs = 2  # few\n# of points\n[rewards]\n# none\n"
    )
    edited = edit(text, {"label": '"a"', "ppo.gamma": "0.9", "rewards.touch": "1"})
    new = {"schema = 1": 'label = "a"', "epochs = 2  # few": "gamma = 0.9", "[rewards]": "touch = 1"}
    expected = text
    for line, behind in new.items():
        expected = expected.replace(f"{line}\n", f"{line}\n{behind}\n")
    assert edited == expected
    assert edit("# A title.\n", {"label": '"a"'}) == '# A title.\nlabel = "a"\n'


def test_a_key_is_removed() -> None:
    edited = edit(TEXT, {"ppo.batch": None, "ppo.not_there": None, "nor.this": None})
    assert edited == TEXT.replace("batch = 50_000\n", "")


def test_values(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, object]] = [("auto", "auto"), ('"auto"', "auto"), ("[1, 2]", [1, 2]), ("true", True)]
    for value, expected in cases:
        with subtests.test(value=value, expected=repr(expected)):
            assert tomllib.loads(edit(TEXT, {"ppo.batch": value}))["ppo"]["batch"] == expected


def test_keys_that_cannot_be(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["", "a b", "schema.below", "resets[7].weight", "resets.x"]
    for key in cases:
        with subtests.test(key=key):
            with pytest.raises(RltuiError) as caught:
                edit(TEXT, {key: "1"})
            assert caught.value.exit_code == 2


def test_text_that_is_not_toml() -> None:
    with pytest.raises(RltuiError, match="not TOML"):
        edit("[ppo\n", {"ppo.batch": "1"})


def test_line_ends_stay_as_they_are() -> None:
    text = TEXT.replace("\n", "\r\n")
    assert edit(text, {"ppo.batch": "1_000"}) == text.replace("50_000", "1_000")


def test_new_lines_end_as_all_others_do() -> None:
    text = "schema = 1\r\n\r\n[ppo]\r\nepochs = 2\r\n"
    edited = edit(text, {"label": "'a'", "ppo.gamma": "0.9", "rewards.touch": "1.0"})
    assert "\n" not in edited.replace("\r\n", "") and "label" in edited and "touch" in edited
    mixed = "schema = 1\n[ppo]\r\nepochs = 2\r\n"
    assert edit(mixed, {"ppo.epochs": "3"}) == mixed.replace("= 2", "= 3")


def test_a_table_of_a_list_of_tables_stays_one() -> None:
    with pytest.raises(RltuiError, match=r"is a table, and cannot be 7"):
        edit("[[resets]]\nkind = 'kickoff'\n", {"resets[0]": "7"})


TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(shipped_folder().glob("*.toml"))}


SCALARS = [
    entry for entry in all_keys() if "[]" not in entry.key and "<name>" not in entry.key and entry.nature != "table"
]


VALUES = {"integer": ("3", "1_000", "5e6"), "number": ("0.25", "2e-4", "1"), "boolean": ("true", "false")}


def values(entry: object) -> st.SearchStrategy[str]:
    choices = tuple(f'"{choice}"' for choice in entry.choices if not choice.isdecimal())  # type: ignore[attr-defined]
    lists = ("[64, 64]", "[]")
    return st.sampled_from(VALUES.get(entry.nature, choices or (lists if entry.nature == "list" else ('"a b"', '"x"'))))  # type: ignore[attr-defined]


def touched(before: str, after: str) -> list[str]:
    return [line for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line[0] in "+-"]


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_setting_any_fields_and_setting_them_back_gives_the_same_bytes(data: st.DataObject) -> None:
    text = TEXTS[data.draw(st.sampled_from(sorted(TEXTS)))]
    line_ends = data.draw(st.sampled_from(["\n", "\r\n"]))
    start = Draft(text.replace("\n", line_ends))
    drafts = [start]
    paths: list[KeyPath] = []
    for entry in data.draw(st.lists(st.sampled_from(SCALARS), min_size=1, max_size=4, unique_by=lambda each: each.key)):
        paths.append(tuple(entry.key.split(".")))
        drafts.append(drafts[-1].set(paths[-1], data.draw(values(entry))))
    ended = drafts[-1]
    for path in data.draw(st.permutations(paths)):
        raw = start.written.raw(path)
        ended = ended.unset(path) if raw is None else ended.set(path, raw)
    assert ended.text == start.text


def test_a_number_stays_as_it_is_written() -> None:
    text = "[ppo]\nlearning_rate = 2e-4 # why\ngamma = 0.990\n"
    assert parse_text(text).raw(("ppo", "learning_rate")) == "2e-4"
    assert Draft(text).set(("ppo", "learning_rate"), "1.0E-4").text == text.replace("2e-4", "1.0E-4")


LIST = """\
resets = [
    {kind = "kickoff", weight = 0.4},  # most of all
    {kind = "random", weight = 0.6, cars_on_ground = true},
]
terminals = [{kind = "goal"}, {kind = "timeout", seconds = 9}]
"""


def test_elements_come_and_go_on_their_own_lines() -> None:
    added = add_element(LIST, ("resets",), '{kind = "wall"}')
    assert touched(LIST, added) == ['+     {kind = "wall"},']
    assert remove_entry(added, ("resets", 2)) == LIST
    assert touched(LIST, remove_entry(LIST, ("resets", 0))) == [
        '-     {kind = "kickoff", weight = 0.4},  # most of all'
    ]


def test_elements_of_one_line() -> None:
    added = add_element(LIST, ("terminals",), '{kind = "no_touch"}')
    assert tomllib.loads(added)["terminals"][2] == {"kind": "no_touch"}
    assert remove_entry(added, ("terminals", 2)) == LIST
    first = remove_entry(LIST, ("terminals", 0))
    assert 'terminals = [{kind = "timeout", seconds = 9}]' in first


def test_keys_of_an_inline_table() -> None:
    draft = Draft(LIST).unset(("resets", 1, "cars_on_ground"))
    assert '{kind = "random", weight = 0.6},' in draft.text
    assert Draft(LIST).set(("resets", 0, "weight"), "1").text == LIST.replace("0.4", "1")


def test_a_list_without_its_last_comma() -> None:
    text = "layers = [\n  1,\n  2 # two\n]\n"
    assert add_element(text, ("layers",), "3") == "layers = [\n  1,\n  2, # two\n  3,\n]\n"


def test_windows_line_ends() -> None:
    text = LIST.replace("\n", "\r\n")
    assert add_element(text, ("resets",), "{}") == add_element(LIST, ("resets",), "{}").replace("\n", "\r\n")
    assert Draft(text).set(("resets", 0, "weight"), "1").text == text.replace("0.4", "1")


def test_tables_with_headers_are_told_of() -> None:
    with pytest.raises(RltuiError, match="TOML view"):
        add_element('[[resets]]\nkind = "kickoff"\n', ("resets",), "{}")


def test_a_reward_becomes_a_table_and_a_number_again() -> None:
    text = "[rewards]\ntouch = 1.0  # a touch\n"
    draft = Draft(text).set(("rewards", "touch"), "{weight = 1.0, min_speed = 3}")
    draft = draft.set(("rewards", "touch", "min_speed"), "4")
    assert draft.text == "[rewards]\ntouch = {weight = 1.0, min_speed = 4}  # a touch\n"
    assert draft.set(("rewards", "touch"), "1.0").text == text
