"""Command tree: the parser of all commands, options that several have, errors of what was typed."""

from __future__ import annotations

import argparse
import importlib
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from rltui.errors import RltuiError, did_you_mean, hints, nearest, report
from rltui.safe_io import SHOWN, clipped, new_name_problem, path_of, path_problem, text_problem

if TYPE_CHECKING:
    from rltui.runs.paths import DataDir, RunPaths

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
Command = Callable[[argparse.Namespace], int]

# A module of rltui.cli each, with add_parser(subparsers) and run(args) -> exit code. At module scope they import no work.
COMMANDS = (
    "train",
    "run",
    "attach",
    "serve",
    "ls",
    "status",
    "stop",
    "info",
    "compare",
    "milestones",
    "ladder",
    "watch",
    "eval",
    "import",
    "export",
    "log",
    "profile",
    "lut",
    "doctor",
    "trace",
    "bench",
    "diagnose",
)
OTHERWISE = {None: "cockpit", "attach": "cockpit", "import": "import_"}  # commands whose module is called otherwise
DESCRIPTION = "Train, watch and debug Rocket League bots in the terminal. Without a command: the launcher."
EXAMPLES = """\
examples:
  rltui                 the launcher: pick a profile, run or milestone, start it, watch
  rltui doctor          will training work here?
  rltui train quick     a first bot in minutes; the same again resumes it
  rltui ls              all runs, and which are training
  rltui attach          the cockpit of the newest run: charts, log, controls
  rltui watch           the newest run playing itself

rltui COMMAND --help explains each. Exit codes: 0 done, 1 failed, 2 wrong usage.
"""
DATA_DIR = "folder of runs and checkpoints (default: $RLTUI_DATA, else ./data)"
NO_CHOICE = re.compile(
    r"argument (?P<what>.+): invalid choice: (?P<quote>['\"]?)(?P<word>.*)(?P=quote) \(choose from (?P<choices>.*)\)"
)
NO_VALUE = re.compile(r"argument (?P<what>.+): invalid (?P<kind>.+) value: (?P<word>.+)")
UNKNOWN, MISSING = "unrecognized arguments: ", "the following arguments are required: "
NO_PATHS = frozenset(
    {"overrides", "script", "text", "host"}
)  # arguments; what --set sets is looked at as the profile is
COMMAND = "COMMAND"  # as all our parsers call it
# What people type who know other programs, or this one's sub-commands: what to type here instead.
INSTEAD = {
    "help": "rltui --help",
    "kill": "rltui stop RUN",
    "list": "rltui ls",
    "play": "rltui watch",
    "render": "rltui watch, or V in the cockpit",
    "resume": "rltui train PROFILE resumes its newest run; --run NAME: that run",
    "start": "rltui train PROFILE",
    "tui": "rltui, without a command",
}  # fmt: skip


class Parser(argparse.ArgumentParser):
    """argparse's, whose errors say what was probably meant; what is wrong comes last, next to the prompt.

    Each command refuses what it does not know itself, so that its own usage is shown.
    """

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.below: dict[str, Parser] = {}
        self._given: Sequence[str] = ()

    def add_subparsers(self, **settings: Any) -> argparse._SubParsersAction[Any]:
        made = super().add_subparsers(**settings)
        self.below = made.choices
        return made

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        self._given = sys.argv[1:] if args is None else args
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(UNKNOWN + " ".join(unknown))
        return found, unknown

    def error(self, message: str) -> NoReturn:
        """Exit code 2, with the usage and what would be right on stderr."""
        self.print_usage(sys.stderr)
        for word in (part for given in self._given for part in (given, given.partition("=")[2]) if len(part) > SHOWN):
            message = message.replace(word, clipped(word)).replace(repr(word)[1:-1], clipped(word))
        text, hint = self._explained(message)
        more = f"{self.prog} --help shows " + ("all commands" if self.below else "an example")
        raise SystemExit(report(RltuiError(text, hints(hint, more), exit_code=2)))

    def _explained(self, message: str) -> tuple[str, str]:
        """What is wrong, and what helps, of argparse's words."""
        if message.startswith(UNKNOWN):
            return self._unknown(message.removeprefix(UNKNOWN).split(" "))
        if message.startswith(MISSING):
            return f"{self._own}{message.removeprefix(MISSING)} is missing", ""
        if found := NO_VALUE.fullmatch(message):
            return f"{self._own}{found['what']}: expected a {found['kind']}, found {found['word']}", ""
        if found := NO_CHOICE.fullmatch(message):
            return self._no_choice(found["what"], found["word"], found["choices"])
        return self._own + message.removeprefix("argument "), ""

    @property
    def _own(self) -> str:
        """`milestones pin: `; nothing for the program itself."""
        command = self.prog.partition(" ")[2]
        return f"{command}: " if command else ""

    def _no_choice(self, what: str, word: str, choices: str) -> tuple[str, str]:
        if self.below and what == COMMAND:
            return f"no command '{self.prog} {word}'", self._command(word)
        names = [choice.strip("'\" ") for choice in choices.split(", ")]
        hint = hints(did_you_mean(word, names), f"one of {', '.join(names)}")
        return f"{self._own}{what}: unknown choice {word!r}", hint

    def _command(self, word: str) -> str:
        """Where what was meant may be found."""
        inside = [f"{parser.prog} {word}" for parser in self.below.values() if word in parser.below]
        return hints(
            did_you_mean(word, self.below) if word not in INSTEAD and not inside else "",
            INSTEAD.get(word, "") if self.prog == "rltui" else "",
            *(f"try {command}" for command in inside),
            f"commands: {', '.join(self.below)}",
        )

    def _unknown(self, words: Sequence[str]) -> tuple[str, str]:
        """An unknown option, or an argument too many."""
        option = next((word.partition("=")[0] for word in words if word.startswith("-")), "")
        if not option:
            return f"{self._own}unexpected argument {words[0]!r}", ""
        known = {name.lstrip("-"): name for name in self._option_string_actions}
        near = nearest(option.lstrip("-"), known)
        return f"{self._own}unknown option {option}", f'did you mean "{known[near]}"?' if near else ""


def add_command(
    subparsers: Subparsers, name: str, summary: str, example: str, more: str = ""
) -> argparse.ArgumentParser:
    """A command's parser: one line of help, and an example under its own --help, after what else is to be said."""
    return subparsers.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"{more}\n\nexample:\n  {example}".lstrip(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_data_dir(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data-dir", metavar="DIR", help=DATA_DIR)


def add_overrides(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        metavar="section.key=value",
        action="append",
        default=[],
        dest="overrides",
        help="override a profile key; repeatable",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_run(parser: argparse.ArgumentParser, default: str) -> None:
    """RUN, optional; `default` says in words which run is taken without it."""
    parser.add_argument(
        "run", metavar="RUN", nargs="?", help=f"name of the run, or its end, as b2 (default: {default})"
    )


def named_or_newest_run(data: DataDir, name: str | None, *, asks: bool = False) -> RunPaths:
    """The run of that name; without one, the run that was started last. RltuiError where there is none.

    asks: where several are training, one has to be named.
    """
    from rltui.runs.resolve import find_run
    from rltui.runs.summary import newest_run

    if name is not None:
        return find_run(data, name)
    if asks:
        _only(_training_runs(data))
    found = newest_run(data)
    if found is None:
        raise RltuiError(f"no runs in {data.root}", "start one: rltui train PROFILE; other folder: --data-dir DIR")
    return data.run(found)


def named_or_training_run(data: DataDir, name: str | None) -> RunPaths:
    """The run of that name; without one, the only run that is training. RltuiError where none or several are."""
    from rltui.runs.resolve import find_run

    if name is not None:
        return find_run(data, name)
    return _only(training_runs(data), "name one, or stop all: rltui stop --all")[0]


def training_runs(data: DataDir) -> list[RunPaths]:
    """One at least. RltuiError where no run is training."""
    running = _training_runs(data)
    if not running:
        raise RltuiError(f"no run in {data.root} is training", "list runs: rltui ls; other folder: --data-dir DIR")
    return running


def _training_runs(data: DataDir) -> list[RunPaths]:
    from rltui.runs.lock import lock_holder

    return [paths for paths in map(data.run, data.run_names()) if lock_holder(paths) is not None]


def _only(running: list[RunPaths], hint: str = "name one") -> list[RunPaths]:
    """The same. RltuiError where they are several."""
    if len(running) > 1:
        names = ", ".join(paths.name for paths in running)
        raise RltuiError(f"{len(running)} runs are training: {names}", hint, exit_code=2)
    return running


def at_least(least: int) -> Callable[[str], int]:
    """For argparse: a whole number, 300000, 300_000 or 3e5, not below `least`."""

    def read(text: str) -> int:
        number = float(text)
        if not number.is_integer() or number < least:
            raise argparse.ArgumentTypeError(f"a whole number, at least {least}, found {text!r}")
        return int(number)

    read.__name__ = "whole number"  # argparse names the type in its error: "invalid whole number value"
    return read


def between(least: float, most: float) -> Callable[[str], float]:
    """For argparse: a number from `least` to `most`."""

    def read(text: str) -> float:
        number = float(text)
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"a number from {least:g} to {most:g}, found {text!r}")
        return number

    read.__name__ = "number"
    return read


def parse(argv: Sequence[str] | None = None) -> tuple[Command, argparse.Namespace]:
    """What to run, and with what. SystemExit (2) for bad usage, (0) after --help and --version."""
    words = sys.argv[1:] if argv is None else argv
    args = build_parser(_wanted(words)).parse_args(words)
    # `rltui --data-dir D ls` and `rltui ls --data-dir D` mean the same
    args.data_dir = getattr(args, "data_dir", None) or args.data_dir_before
    args.ascii = getattr(args, "ascii", False) or args.ascii_before
    args.no_mouse = getattr(args, "no_mouse", False) or args.no_mouse_before
    _check_texts(vars(args))
    name = args.command_name
    command: Command = _module(name).attach if name == "attach" else _module(name).run
    return command, args


def _check_texts(given: Mapping[str, Any]) -> None:
    """RltuiError for a text that can be no path, or is none yet and should not become one. All but NO_PATHS may be one."""
    for name, value in given.items():
        for text in value if isinstance(value, list) else [value]:
            problem = text_problem if name in NO_PATHS else _argument_problem
            if isinstance(text, str) and (found := problem(text)):
                raise RltuiError(f"{clipped(text)}: {found}", exit_code=2)


def _argument_problem(text: str) -> str:
    path = path_of(text)
    return "" if os.path.lexists(path) else path_problem(text) or new_name_problem(path.name)


def _module(name: str | None) -> Any:
    return importlib.import_module(f"rltui.cli.{OTHERWISE.get(name, name)}")


def _wanted(words: Sequence[str]) -> Sequence[str]:
    """The commands that these words can mean: where the first names one, no other, which saves importing the others."""
    if not words:
        return ()
    return words[:1] if words[0] in COMMANDS else COMMANDS


def build_parser(commands: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser of these commands."""
    parser = Parser(
        prog="rltui", description=DESCRIPTION, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    parser.add_argument("--data-dir", metavar="DIR", dest="data_dir_before", help=DATA_DIR)
    parser.add_argument("--ascii", dest="ascii_before", action="store_true", help="draw in ASCII")
    parser.add_argument(
        "--no-mouse",
        dest="no_mouse_before",
        action="store_true",
        help="leave the mouse to the terminal",
    )
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command_name")
    for name in commands:
        _module(name).add_parser(subparsers)
    return parser


class _Version(argparse.Action):
    """Asks for the version only when it is wanted: that costs 40 ms."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"rltui {version('rltui')}")
        parser.exit()
