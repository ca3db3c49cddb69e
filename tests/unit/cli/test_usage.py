"""What is said of words that are no command, no option, no value: what was probably meant, and where to read on."""

from __future__ import annotations

import pytest

from rltui.cli.parser import build_parser


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    """The lines below the usage."""
    with pytest.raises(SystemExit) as ended:
        build_parser().parse_args(words)
    assert ended.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.startswith("usage: rltui")
    return printed.err[printed.err.index("\nrltui: ") + 1 :].splitlines()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("lss", ["rltui: there is no command 'rltui lss'", '  did you mean "ls"?']),
        ("Train", ["rltui: there is no command 'rltui Train'", '  did you mean "train"?']),
        ("export", ["rltui: there is no command 'rltui export'", "  there is rltui milestones export"]),
        ("play", ["rltui: there is no command 'rltui play'", "  rltui watch"]),
        ("milestones pni alpha/005M", ["rltui: there is no command 'rltui milestones pni'", '  did you mean "pin"?']),
        ("milestones pin", ["rltui: milestones pin: RUN/MILESTONE is missing"]),
        ("ls --jsn", ["rltui: ls: there is no option --jsn", '  did you mean "--json"?']),
        ("train quick --sed=4", ["rltui: train: there is no option --sed", '  did you mean "--seed"?']),
        (
            "train quick --steps 1e30",
            [
                "rltui: train: --steps: expected a whole number of timesteps, at most 9,007,199,254,740,992, found '1e30'"
            ],
        ),
        ("attach a b", ["rltui: attach: 'b' is a word too much"]),
        ("stop --wait soon", ["rltui: stop: --wait: expected a number of seconds, found 'soon'"]),
        ("watch --size 4", ["rltui: watch: --size: no such choice '4'", "  one of 1, 2, 3"]),
        ("--data-dir", ["rltui: --data-dir: expected one argument"]),
    ],
)
def test_what_was_meant_comes_first(capsys: pytest.CaptureFixture[str], words: str, said: list[str]) -> None:
    assert refused(capsys, *words.split())[: len(said)] == said


def test_where_to_read_on_is_the_command_s_own_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "ls", "--jsn")[-1] == "  rltui ls --help shows an example"
    assert refused(capsys, "fly")[-2:] == [
        "  commands: train, attach, ls, status, stop, info, milestones, watch, profile, lut, doctor, trace, bench",
        "  rltui --help shows all commands",
    ]
