"""The command line as a whole: what it understands, refuses and says; what was probably meant."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rltui.__main__ import main
from rltui.cli import cockpit, ls, stop
from rltui.cli.parser import COMMANDS, build_parser, parse

REPORT = """
import sys
import rltui.__main__
before = set(sys.modules)
from rltui.cli.parser import build_parser
build_parser()
print("\\n".join(sorted(set(sys.modules))))
"""
WORK = (
    "textual",
    "torch",
    "numpy",
    "pydantic",
    "msgspec",
    "psutil",
    "RocketSim",
    "rlgym",
    "tomlkit",
    "importlib.metadata",
)


def test_building_the_parser_imports_no_work() -> None:
    done = subprocess.run([sys.executable, "-c", REPORT], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "rltui.cli.train" in loaded
    assert not [name for name in loaded if name.startswith(WORK)]
    own = [name for name in loaded if name.startswith("rltui")]
    assert all(
        name in ("rltui", "rltui.errors", "rltui.safe_io", "rltui.__main__") or name.startswith("rltui.cli")
        for name in own
    )


def test_a_worker_that_imports_the_main_module_gets_the_errors_alone() -> None:
    script = "import sys, rltui.__main__; print([name for name in sys.modules if name.startswith('rltui')])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert sorted(eval(done.stdout)) == ["rltui", "rltui.__main__", "rltui.errors"]


def test_every_command_explains_itself_with_an_example(
    subtests: pytest.Subtests, capsys: pytest.CaptureFixture[str]
) -> None:
    below = {
        "milestones": ("list", "pin", "note", "delete", "restore", "export", "trash", "check"),
        "profile": ("new", "check", "show", "diff", "schema"),
        "log": ("export",),
    }
    with pytest.raises(SystemExit):
        main(["--help"])
    overview = capsys.readouterr().out
    assert all(f"\n    {name} " in overview for name in COMMANDS)
    for words in [*((name,) for name in COMMANDS), *((name, sub) for name in below for sub in below[name])]:
        with subtests.test(words=words):
            with pytest.raises(SystemExit) as ended:
                main([*words, "--help"])
            assert ended.value.code == 0
            usage, _, examples = capsys.readouterr().out.partition("example")
            assert f"usage: rltui {' '.join(words)}" in usage
            assert f"  rltui {' '.join(words)}" in examples


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("rltui 0.")


def test_bad_usage_is_exit_code_two(subtests: pytest.Subtests, capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in (
        ("fly", ""),
        ("ls --fast", ""),
        ("stop --now --abandon", ""),
        ("stop --wait -1", ""),
        ("stop --wait soon", ""),
        *((f"milestones {words}", "") for words in ("fly", "pin", "note alpha/005M", "export alpha/005M", "list a b")),
        *(
            (f"profile {words}", "usage: rltui profile")
            for words in ("", "check", "show", "diff quick", "new", "migrate")
        ),
        ("trace quick --steps 0", ""),
        ("trace quick --car -1", ""),
        ("trace quick --steps some", ""),
        ("trace quick --actions best", ""),
        ("watch chaser --size 4", "rltui: watch: --team-size/--size: "),
        ("watch chaser --speed 0", "rltui: watch: --speed: "),
        ("watch chaser --speed nan", "rltui: watch: --speed: "),
        ("watch chaser --port 0", "rltui: watch: --port: "),
        ("watch chaser --rate 15", "rltui: watch: --rate: "),
        ("bench --rounds 0", "rltui: bench: --rounds: a "),
        ("bench --seconds nan", "rltui: bench: --seconds: a "),
        ("bench --workers -1", "rltui: bench: --workers: a "),
        ("bench --arenas 1.5", "rltui: bench: --arenas: a "),
        ("train quick --detach --debug", "not allowed with argument"),
        ("train quick --fork-from x --resume new", "not allowed with argument"),
        (
            "train quick --steps many",
            "train: --steps: expected a whole number of timesteps, at most 9,007,199,254,740,992, found 'many'",
        ),
    ):
        with subtests.test(words=words):
            with pytest.raises(SystemExit) as ended:
                main(words.split())
            assert ended.value.code == 2
            printed = capsys.readouterr().err
            assert "usage: rltui" in printed and said in printed


def test_what_words_mean() -> None:
    assert parse([])[0] is cockpit.run and parse([])[1].data_dir is None
    for words in (["--data-dir", "D", "ls"], ["ls", "--data-dir", "D"]):
        command, args = parse(words)
        assert (command, args.data_dir) == (ls.run, "D")
    assert parse(["--data-dir", "D", "ls", "--data-dir", "E"])[1].data_dir == "E"
    assert parse(["ls"])[1].data_dir is None
    for words in (
        ["milestones", "--data-dir", "D", "--json", "list"],
        ["milestones", "list", "--json", "--data-dir", "D"],
    ):
        args = parse(words)[1]
        assert (args.data_dir, args.json) == ("D", True)
    assert parse(["--ascii", "attach"])[1].ascii is True
    assert parse(["attach", "--ascii"])[1].ascii is True
    assert parse(["attach"])[1].ascii is False
    assert parse(["train", "quick", "--fork-from", "x"])[1].fork_from == "x"
    assert parse(["stop"])[1].wait == stop.WAIT == 120.0
    assert parse(["stop", "alpha", "--wait", "0"])[1].wait == 0.0


def test_without_a_terminal_one_line_names_what_works(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for words in [[], ["attach"]]:
        with subtests.test(words=words):
            (tmp_path / "runs" / "alpha").mkdir(parents=True, exist_ok=True)
            command = [sys.executable, "-m", "rltui", "--data-dir", str(tmp_path), *words]
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            assert done.returncode == 2
            assert done.stdout == ""
            [line] = done.stderr.splitlines()
            assert "no terminal" in line
            assert ("rltui train PROFILE" if not words else "rltui status alpha") in line


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    """The lines below the usage."""
    with pytest.raises(SystemExit) as ended:
        build_parser().parse_args(words)
    assert ended.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.startswith("usage: rltui")
    return printed.err[printed.err.index("\nrltui: ") + 1 :].splitlines()


def test_what_was_meant_comes_first(subtests: pytest.Subtests, capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in [
        ("lss", ["rltui: no command 'rltui lss'", '  did you mean "ls"?']),
        ("Train", ["rltui: no command 'rltui Train'", '  did you mean "train"?']),
        ("restore", ["rltui: no command 'rltui restore'", "  try rltui milestones restore"]),
        ("play", ["rltui: no command 'rltui play'", "  rltui watch"]),
        ("milestones pni alpha/005M", ["rltui: no command 'rltui milestones pni'", '  did you mean "pin"?']),
        ("milestones pin", ["rltui: milestones pin: RUN/MILESTONE is missing"]),
        ("ls --jsn", ["rltui: ls: unknown option --jsn", '  did you mean "--json"?']),
        ("train quick --sed=4", ["rltui: train: unknown option --sed", '  did you mean "--seed"?']),
        (
            "train quick --steps 1e30",
            [
                "rltui: train: --steps: expected a whole number of timesteps, at most 9,007,199,254,740,992, found '1e30'"
            ],
        ),
        ("attach a b", ["rltui: attach: unexpected argument 'b'"]),
        ("stop --wait soon", ["rltui: stop: --wait: expected a number of seconds, found 'soon'"]),
        ("watch --size 4", ["rltui: watch: --team-size/--size: unknown choice '4'", "  one of 1, 2, 3"]),
        ("--data-dir", ["rltui: --data-dir: expected one argument"]),
    ]:
        with subtests.test(words=words, said=said):
            assert refused(capsys, *words.split())[: len(said)] == said


def test_where_to_read_on_is_the_command_s_own_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "ls", "--jsn")[-1] == "  rltui ls --help shows an example"
    assert refused(capsys, "fly")[-2:] == [
        f"  commands: {', '.join(COMMANDS)}",
        "  rltui --help shows all commands",
    ]


def test_what_is_refused_is_not_repeated_at_length(
    subtests: pytest.Subtests, capsys: pytest.CaptureFixture[str]
) -> None:
    long = "X" * 5_000
    for command in ("", "train", "ls", "milestones", "milestones pin", "profile show", "lut", "status", "bench"):
        for words in (
            [long],
            [f"--{long}"],
            ["quick", long, long],
            ["quick", "--set", long],
            ["--steps=" + "9" * 5_000],
        ):
            with subtests.test(command=command, words=[word[:10] for word in words]):
                try:
                    code = main([*command.split(), *words])
                except SystemExit as ended:
                    code = ended.code  # type: ignore[assignment]
                printed = capsys.readouterr()
                assert code in (1, 2)
                assert long[:200] not in printed.out + printed.err and "9" * 200 not in printed.err
