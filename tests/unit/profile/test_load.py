"""Each mistake of file or override gives file, line, key, expected, found and hint; exit 2, nothing made."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from rltui.profile.load import load, toml_or_text
from rltui.profile.render import render
from rltui.profile.resolved import digest
from rltui.profile.source import Problem, ProfileError

START = "schema = 1\n[rewards]\ntouch = 1.0\n"  # a valid profile of three lines


@dataclass(frozen=True)
class Bad:
    """One file and the one mistake that must be found in it. The texts are parts of the problem's."""

    name: str
    content: str | bytes
    line: int
    key: str
    message: str
    expected: str
    found: str = ""
    hint: str = ""


@contextmanager
def as_ordinary_user() -> Iterator[None]:
    """Root may read everything; give that up for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def with_start(rest: str) -> str:
    return START + rest


CASES = [
    Bad("unknown top-level key", "tick_skp = 8\n" + START, 1, "tick_skp", "unknown key", "tick_skip", "tick_skp", "tick_skip"),
    Bad("unknown table", with_start("[polcy]\nlayers = [1]\n"), 4, "polcy", "unknown key", "policy", "polcy", '"policy"'),
    Bad("unknown key in run", with_start("[run]\nsed = 1\n"), 5, "run.sed", "unknown key", "seed", "sed", "seed"),
    Bad("unknown key in ppo", with_start("[ppo]\n\nbacth = 1\n"), 6, "ppo.bacth", "unknown key", "batch", "bacth", '"batch"'),
    Bad("key of another table", "batch = 5\n" + START, 1, "batch", "unknown key", "tick_skip", "batch", '"ppo.batch"'),
    Bad("table of a later version", with_start("[tournament]\ngames = 20\n"), 4, "tournament", "unknown key", "one of"),
    Bad("unknown reward parameter", with_start("strong_hit = {weight = 1, ful_hit_speed = 3}\n"), 4,
        "rewards.strong_hit.ful_hit_speed", "unknown parameter", "full_hit_speed", "ful_hit_speed", '"full_hit_speed"'),
    Bad("misspelt weight", with_start("face_ball = {weight = 1, wieght = 3}\n"), 4, "rewards.face_ball.wieght",
        "unknown parameter", "weight", "wieght", '"weight"'),
    Bad("unknown obs parameter", with_start("[obs]\nkind = 'default'\nzero_pading = 0\n"), 6, "obs.zero_pading",
        "unknown parameter", "zero_padding", "zero_pading", '"zero_padding"'),
    Bad("unknown terminal parameter", "terminals = [\n  {kind = 'goal'},\n  {kind = 'no_touch', second = 3}]\n" + START, 3,
        "terminals[1].second", "unknown parameter", "seconds", "second", '"seconds"'),
    Bad("unknown reset parameter", with_start("[[resets]]\nkind = 'kickoff'\n[[resets]]\nkind = 'random'\ncars_on_grond = true\n"),
        8, "resets[1].cars_on_grond", "unknown parameter", "cars_on_ground", "cars_on_grond", '"cars_on_ground"'),
    Bad("text for a number", with_start("[ppo]\ngamma = 'high'\n"), 5, "ppo.gamma", "wrong type", "a number, 0 to 1", '"high"'),
    Bad("true for a whole number", with_start("[ppo]\nepochs = true\n"), 5, "ppo.epochs", "wrong type", "a whole number", "true"),
    Bad("fraction for a whole number", with_start("[ppo]\nepochs = 2.5\n"), 5, "ppo.epochs", "wrong type", "a whole number", "2.5"),
    Bad("number for true or false", with_start("[ppo]\nstandardize_returns = 1\n"), 5, "ppo.standardize_returns", "wrong type",
        "true or false", "1"),
    Bad("date for a number", with_start("[ppo]\ngamma = 2026-01-31\n"), 5, "ppo.gamma", "wrong type", "a number", "2026-01-31"),
    Bad("number for a table", "ppo = 3\n" + START, 1, "ppo", "wrong type", "a table", "3"),
    Bad("number for a list", with_start("[policy]\nlayers = 256\n"), 5, "policy.layers", "wrong type",
        "a list of whole numbers, 1 to 16_384", "256"),
    Bad("text in a list", with_start("[policy]\nlayers = [\n256,\n'wide',\n]\n"), 7, "policy.layers[1]", "wrong type",
        "a whole number", '"wide"'),
    Bad("empty list", with_start("[policy]\nlayers = []\n"), 5, "policy.layers", "wrong length", "at least 1 element", "[]"),
    Bad("reset without a table", "resets = ['kickoff']\n" + START, 1, "resets[0]", "wrong type", "a table", '"kickoff"'),
    Bad("reset without a kind", "resets = [{weight = 1}]\n" + START, 1, "resets[0].kind", "missing", "a text"),
    Bad("number out of range", with_start("[ppo]\ngamma = 1.5\n"), 5, "ppo.gamma", "out of range", "0 to 1", "1.5"),
    Bad("negative count", with_start("[collect]\narenas = -4\n"), 5, "collect.arenas", "out of range", "1 to 4096", "-4"),
    Bad("zero instead of auto", with_start("[collect]\nworkers = 0\n"), 5, "collect.workers", "out of range",
        'a whole number, 1 to 512 or "auto"', "0"),
    Bad("misspelt auto", with_start("[collect]\nworkers = 'atuo'\n"), 5, "collect.workers", "", '"auto"', '"atuo"', '"auto"'),
    Bad("unknown choice", with_start("[learner]\ndevice = 'cudda'\n"), 5, "learner.device", "no such choice",
        '"auto" or "cpu" or "cuda"', '"cudda"', '"cuda"'),
    Bad("component parameter out of range", with_start("[obs]\nzero_padding = 99\n"), 5, "obs.zero_padding", "out of range",
        "a whole number, 0 to 8", "99"),
    Bad("component parameter of a wrong type", "terminals = [{kind = 'timeout', seconds = 'long'}]\n" + START, 1,
        "terminals[0].seconds", "wrong type", "a number", '"long"'),
    Bad("component that refuses its parameters", with_start("[obs]\npos_coef = [1.0, 2.0]\n"), 4, "obs", "pos_coef must be",
        "", "default"),
    Bad("folder name with a slash", "label = 'a/b'\n" + START, 1, "label", "character not allowed", "letters", '"a/b"'),
    Bad("weight nan", "schema = 1\n[rewards]\ntouch = nan\n", 3, "rewards.touch", "out of range", "a finite number", "nan"),
    Bad("weight inf", "schema = 1\n[rewards]\ntouch = {weight = -inf}\n", 3, "rewards.touch.weight", "out of range", "a finite number", "-inf"),
    Bad("weight of text", "schema = 1\n[rewards]\ntouch = 'much'\n", 3, "rewards.touch", "wrong type", "a number", '"much"'),
    Bad("reward without a weight", "schema = 1\n[rewards]\ntouch = {}\n", 3, "rewards.touch.weight", "missing", "a number"),
    Bad("no rewards", "schema = 1\n", 1, "rewards", "missing", "a table"),
    Bad("no reward in the table", "schema = 1\n[rewards]\n", 2, "rewards", "wrong length", "at least 1 element", "{}"),
    Bad("every reward 0", "schema = 1\n[rewards]\ntouch = 0\nface_ball = 0.0\n", 2, "rewards", "every weight is 0", "not 0", "0"),
    Bad("every reset 0", "resets = [{kind = 'kickoff', weight = 0}]\n" + START, 1, "resets", "every weight is 0", "above 0", "0"),
    Bad("no reset", "resets = []\n" + START, 1, "resets", "wrong length", "at least 1 element", "[]"),
    Bad("negative reset", "resets = [{kind = 'kickoff', weight = -1}]\n" + START, 1, "resets[0].weight", "out of range",
        "at least 0", "-1"),
    Bad("no terminal", "terminals = []\n" + START, 1, "terminals", "wrong length", "at least 1 element", "[]"),
    Bad("0v0", with_start("[game]\nblue = 0\norange = 0\n"), 5, "game.blue", "nobody plays", "at least one car", "0v0"),
    Bad("four cars", with_start("[game]\nblue = 4\n"), 5, "game.blue", "out of range", "0 to 3", "4"),
    Bad("minibatch above batch", with_start("[ppo]\nbatch = 50_000\nminibatch = 60_000\n"), 6, "ppo.minibatch",
        "larger than the batch", "at most 50_000", "60_000"),
    Bad("minibatch above iteration", with_start("[ppo]\nminibatch = 60_000\niteration = 1000\n"), 5, "ppo.minibatch",
        "larger than the batch", "at most 1000", "60_000"),
    Bad("delay above tick skip", "action_delay_ticks = 9\n" + START, 1, "action_delay_ticks", "later than the next", "at most 8 ticks", "9"),
    Bad("unknown reward", with_start("tuch = 1\n"), 4, "rewards.tuch", "unknown reward", "touch, ", "tuch", '"touch"'),
    Bad("unknown obs", with_start("[obs]\nkind = 'defualt'\n"), 5, "obs.kind", "unknown obs", "default", "defualt", '"default"'),
    Bad("unknown table name", with_start("[actions]\ntable = 'rlgim'\n"), 5, "actions.table", "unknown action table", "rlgym", "rlgim", '"rlgym"'),
    Bad("unknown reset", "resets = [{kind = 'kickof'}]\n" + START, 1, "resets[0].kind", "unknown reset", "kickoff", "kickof", '"kickoff"'),
    Bad("unknown terminal", "terminals = [{kind = 'gaol'}]\n" + START, 1, "terminals[0].kind", "unknown terminal", "goal", "gaol", '"goal"'),
    Bad("component file that is not there", with_start("'nowhere.py:Mine' = 1\n"), 4, 'rewards."nowhere.py:Mine"', "no file", "path/to/file.py:Class"),
    Bad("newer schema", "schema = 2\n[rewards]\ntouch = 1\n", 1, "schema", "no such choice", "1", "2"),
    Bad("duplicate key", with_start("[ppo]\nbatch = 1\n\nbatch = 2\n"), 7, "ppo.batch", "written twice, first on line 5", "once"),
    Bad("duplicate table", with_start("[ppo]\nbatch = 1\n[ppo]\nepochs = 2\n"), 6, "ppo", "written twice, first on line 4", "once"),
    Bad("duplicate reward", with_start("touch = 2.0\n"), 4, "rewards.touch", "written twice, first on line 3", "once"),
    Bad("duplicate key in an inline table", "terminals = [{kind = 'goal', kind = 'goal'}]\n" + START, 1, "terminals[0].kind",
        "written twice", "once"),
    Bad("not TOML", with_start("[ppo\nbatch = 1\n"), 4, "", "not TOML", "", "[ppo"),
    Bad("unfinished list", with_start("[policy]\nlayers = [256,\n"), 5, "", "not TOML", "", "layers = [256,"),
    Bad("brackets without end", "a = " + "[" * 1_900, 1, "", "nested too deeply", ""),
    Bad("number of thousands of digits", "tick_skip = " + "9" * 5000 + "\n" + START, 1, "", "thousands of digits", ""),
    Bad("byte order mark", b"\xef\xbb\xbf" + START.encode(), 1, "", "byte order mark", "UTF-8"),
    Bad("Latin-1", START.encode() + "# für\n".encode("latin-1"), 4, "", "not UTF-8", "UTF-8", "0xfc"),
    Bad("UTF-16", START.encode("utf-16"), 1, "", "not UTF-8", "UTF-8", "UTF-16"),
    Bad("NUL bytes", START.encode() + b"\x00\x00\n", 4, "", "not TOML", ""),
    Bad("empty", "", 1, "", "empty", "a profile"),
    Bad("comments only", "# tomorrow\n\n  # or later\n", 1, "", "empty", "a profile"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(content: str | bytes, name: str = "bad.toml") -> str:
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    return name


def problems_of(profile: str, *overrides: str) -> tuple[Problem, ...]:
    """Load what cannot be loaded: checks what holds for every mistake, returns them."""
    before = sorted(Path().iterdir())
    with pytest.raises(ProfileError) as caught:
        load(profile, overrides)
    assert caught.value.exit_code == 2
    assert sorted(Path().iterdir()) == before, "nothing may be created"
    for problem in caught.value.problems:
        assert str(problem) in caught.value.message
    return caught.value.problems


def test_the_start_of_every_case_is_valid() -> None:
    assert load(write(START)).rewards["touch"].weight == 1.0


def test_one_mistake_is_found_where_it_is_and_explained(subtests: pytest.Subtests) -> None:
    for bad in CASES:
        with subtests.test(bad=repr(bad)):
            problems = problems_of(write(bad.content))
            assert len(problems) == 1, [str(problem) for problem in problems]
            problem = problems[0]
            assert (problem.file, problem.line, problem.key) == ("bad.toml", bad.line, bad.key)
            for said, part in (
                (problem.message, bad.message),
                (problem.expected, bad.expected),
                (problem.found, bad.found),
                (problem.hint, bad.hint),
            ):
                assert part in said
            assert str(problem).startswith(f"bad.toml:{bad.line}: ")
            if bad.hint:
                assert "did you mean" in str(problem)


def test_all_mistakes_at_once_in_the_order_of_the_file() -> None:
    text = (
        "tick_skp = 8\n"
        "resets = [{kind = 'kickof', weight = -1}]\n"
        "[rewards]\n"
        "touch = nan\n"
        "tuch = 1\n"
        "[ppo]\n"
        "gamma = 2\n"
        "batch = 10\n"
        "batch = 20\n"
        "minibatch = 30\n"
        "[game]\n"
        "blue = 0\n"
        "orange = 0\n"
        "[gmae]\n"
    )
    problems = problems_of(write(b"\xef\xbb\xbf" + text.encode()))
    assert [(problem.line, problem.key) for problem in problems] == [
        (1, ""),
        (1, "tick_skp"),
        (2, "resets[0].weight"),
        (2, "resets[0].kind"),
        (4, "rewards.touch"),
        (5, "rewards.tuch"),
        (7, "ppo.gamma"),
        (9, "ppo.batch"),
        (10, "ppo.minibatch"),
        (12, "game.blue"),
        (14, "gmae"),
    ]


def test_windows_line_ends_do_not_shift_lines() -> None:
    text = with_start("[ppo]\ngamma = 3\n").replace("\n", "\r\n")
    assert [(p.line, p.key) for p in problems_of(write(text))] == [(5, "ppo.gamma")]


def test_a_repeated_table_does_not_hide_the_mistakes_of_others() -> None:
    text = with_start("[ppo]\nbatch = 1\n[ppo]\nepochs = 2\n[game]\nblue = 9\n")
    assert [(p.line, p.key) for p in problems_of(write(text))] == [(6, "ppo"), (9, "game.blue")]


def test_a_folder_instead_of_a_file() -> None:
    Path("bad.toml").mkdir()
    (problem,) = problems_of("bad.toml")
    assert problem.file == "bad.toml" and "is a folder" in problem.message and "file" in problem.expected


def test_no_file_names_the_nearest_profile() -> None:
    (problem,) = problems_of("quik")
    assert problem.message == "no such profile" and '"quick"' in problem.hint and "quick" in problem.expected


def test_ten_megabytes_are_not_read() -> None:
    (problem,) = problems_of(write(b"# " + b"x" * 10_000_000))
    assert "too large" in problem.message and "10,000,002 bytes" in problem.found and "250,000" in problem.expected


def test_a_pipe_is_not_waited_for() -> None:
    os.mkfifo("bad.toml")
    (problem,) = problems_of("bad.toml")
    assert "not a regular file" in problem.message


@pytest.mark.parametrize("forbidden", ["folder/bad.toml", "folder"])
def test_an_unreadable_file(forbidden: str, empty_folder: Path) -> None:
    empty_folder.chmod(0o755)
    Path("folder").mkdir(mode=0o755)
    name = write(START, "folder/bad.toml")
    Path(forbidden).chmod(0)
    try:
        with as_ordinary_user(), pytest.raises(ProfileError) as caught:
            load(name)
    finally:
        Path(forbidden).chmod(0o700)
    (problem,) = caught.value.problems
    assert problem.file == "folder/bad.toml" and problem.message == "cannot be read: Permission denied"


def test_arguments_that_are_no_profiles(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["", "a\0b", "x" * 5000, "no/such/folder/quick.toml", "/dev/null", "."]
    for argument in cases:
        with subtests.test(argument=argument):
            assert len(problems_of(argument)) == 1


def test_a_dangling_link_is_said_to_be_unreadable() -> None:
    Path("bad.toml").symlink_to("nowhere.toml")
    (problem,) = problems_of("bad.toml")
    assert "cannot be read" in problem.message


def test_a_file_that_changes_later_does_not_change_the_loaded_profile() -> None:
    profile = load(write(with_start("[ppo]\ngamma = 0.98\n")))
    text = render(profile)
    write("gamma = ")
    assert profile.ppo.gamma == 0.98
    assert digest(load(write(text, "kept.toml"))) == digest(profile)


TEXT = """\
schema = 1
resets = [{kind = "kickoff", weight = 0.4}, {kind = "random", weight = 0.6}]
[rewards]
touch = 1.0
strong_hit = {weight = 0.2, full_hit_speed = 1000.0}
[ppo]
minibatch = 500
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(TEXT)
    return path


def test_no_number_is_beyond_what_the_journal_can_tell(subtests: pytest.Subtests, file: Path) -> None:
    """Its header would be no record, and the run would have none."""
    cases: list[str] = [
        "save_every=1e30",
        "milestone_interval=9007199254740993",
        "ppo.iteration=1e17",
        "rewards.touch=1e101",
    ]
    for override in cases:
        with subtests.test(override=override):
            (problem,) = problems_of(str(file), override)
            assert "too large, at most " in problem.message


def test_a_schedule_has_no_such_weight_either(file: Path) -> None:
    (problem,) = problems_of(str(file), "rewards.touch=[[0, 1e101]]")
    assert "the weight must be -1e+38 to 1e+38" in problem.message


def test_values_of_every_type(file: Path) -> None:
    profile = load(
        file,
        [
            "tick_skip=4",
            "ppo.learning_rate = 1e-4",
            "ppo.iteration=2e4",
            "ppo.normalize_advantages=false",
            "policy.layers=[64, 32]",
            "learner.device=cpu",
            'collect.collector="serial"',
            "label=Two-Words",
        ],
    )
    assert (profile.tick_skip, profile.ppo.learning_rate, profile.ppo.iteration) == (4, 1e-4, 20_000)
    assert profile.ppo.normalize_advantages is False
    assert profile.policy.layers == (64, 32)
    assert (profile.learner.device, profile.collect.collector, profile.label) == ("cpu", "serial", "Two-Words")


def test_what_follows_another_key_follows_its_override(file: Path) -> None:
    profile = load(file, ["ppo.learning_rate=3e-5", "ppo.iteration=7000"])
    assert profile.ppo.critic_learning_rate == 3e-5
    assert (profile.ppo.batch, profile.ppo.minibatch) == (7000, 500)


def test_the_last_override_wins(file: Path) -> None:
    assert load(file, ["tick_skip=4", "tick_skip=6"]).tick_skip == 6


def test_a_reward_is_added_changed_and_keeps_its_parameters(file: Path) -> None:
    profile = load(file, ["rewards.goal=10", "rewards.strong_hit=0.5", "rewards.touch.weight=3"])
    assert {name: section.weight for name, section in profile.rewards.items()} == {
        "touch": 3.0,
        "strong_hit": 0.5,
        "goal": 10.0,
    }
    assert profile.rewards["strong_hit"].options == {"full_hit_speed": 1000.0}


def test_an_element_of_a_list(subtests: pytest.Subtests, file: Path) -> None:
    for key in ["resets.1.weight", "resets[1].weight"]:
        with subtests.test(key=key):
            assert [reset.weight for reset in load(file, [f"{key}=2"]).resets] == [0.4, 2.0]


def test_mistakes_of_an_override_are_said_to_be_its_own(subtests: pytest.Subtests, file: Path) -> None:
    cases: list[tuple[str, str, str, str, str]] = [
        ("ppo.gamma=2", "ppo.gamma", "out of range", "0 to 1", "2"),
        ("ppo.gamma=high", "ppo.gamma", "wrong type", "a number", '"high"'),
        ("ppo.gama=0.9", "ppo.gama", "unknown key", "gamma", "gama"),
        ("rewards.tuch=1", "rewards.tuch", "unknown reward", "touch", "tuch"),
        ("rewards.touch=nan", "rewards.touch", "out of range", "a finite number", "nan"),
        ("ppo.batch=100", "ppo.minibatch", "larger than the batch", "at most 100", "500"),
        ("policy.layers=[256,", "policy.layers", "wrong type", "a list", '"[256,"'),
        ("resets=[]", "resets", "wrong length", "at least 1", "[]"),
        ("resets.5.weight=1", "resets", "has no keys below it", "from 0 to 1", "resets.5.weight"),
        ("tick_skip.x=1", "tick_skip", "wrong type", "a whole number", "{x = 1}"),
        ("gamma", "", "not an override", "section.key=value, as in ppo.learning_rate=1e-4", "gamma"),
        ("=3", "", "not an override", "section.key=value, as in ppo.learning_rate=1e-4", "=3"),
        ("ppo..gamma=3", "", "not an override", "section.key=value, as in ppo.learning_rate=1e-4", "ppo..gamma=3"),
        ("", "", "not an override", "section.key=value, as in ppo.learning_rate=1e-4", '""'),
    ]
    for override, key, message, expected, found in cases:
        with subtests.test(override=override, key=key):
            (problem,) = problems_of(str(file), override)
            assert (problem.file, problem.line, problem.key) == ("--set", None, key)
            assert message in problem.message and expected in problem.expected and found in problem.found
            assert str(problem).startswith("--set: ")


def test_mistakes_of_file_and_overrides_come_together(file: Path) -> None:
    file.write_text(TEXT + "gamma = 7\n")
    problems = problems_of(str(file), "ppo.epochs=0", "nonsense")
    assert [(problem.file, problem.key) for problem in problems] == [
        (file.name, "ppo.gamma"),
        ("--set", ""),
        ("--set", "ppo.epochs"),
    ]


def test_toml_or_text(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, object]] = [
        ("3", 3),
        ("2e-4", 2e-4),
        ("true", True),
        ("[1, 2]", [1, 2]),
        ('"a b"', "a b"),
        ("{a = 1}", {"a": 1}),
        ("auto", "auto"),
        ("a # b", "a # b"),
        ("", ""),
        ("1\nother = 2", "1\nother = 2"),
        ("[" * 5000, "[" * 5000),
    ]
    for text, value in cases:
        with subtests.test(text=text, value=repr(value)):
            assert toml_or_text(text) == value
