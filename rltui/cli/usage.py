"""Parser: argparse, whose errors say what was probably meant. What is wrong comes last, next to the prompt.

`rltui.errors` is imported where something is wrong: who types well does not wait for difflib.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from rltui.errors import RltuiError, report

NO_CHOICE = re.compile(
    r"argument (?P<what>.+): invalid choice: (?P<quote>['\"]?)(?P<word>.*)(?P=quote) \(choose from (?P<choices>.*)\)"
)
NO_VALUE = re.compile(r"argument (?P<what>.+): invalid (?P<kind>.+) value: (?P<word>.+)")
UNKNOWN, MISSING = "unrecognized arguments: ", "the following arguments are required: "
COMMAND = "COMMAND"  # as all our parsers call it
# What people type who know other programs, or this one's sub-commands: what to type here instead.
INSTEAD = {
    "compare": "rltui profile diff A B compares two profiles; the browser (b in the cockpit) two milestones, the charts two runs",
    "diagnose": "rltui bench measures this machine, rltui doctor checks it",
    "help": "rltui --help, and rltui COMMAND --help",
    "kill": "rltui stop RUN",
    "list": "rltui ls",
    "play": "rltui watch",
    "render": "rltui watch shows a bot at play; in the cockpit V, or : render on",
    "resume": "rltui train PROFILE goes on with the newest run that fits; of one run: --run NAME",
    "run": "rltui train PROFILE",
    "start": "rltui train PROFILE",
    "tui": "rltui, without a command",
}  # fmt: skip


class Parser(argparse.ArgumentParser):
    """As argparse's; each command refuses what it does not know itself, so that its own usage is shown."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.below: dict[str, Parser] = {}

    def add_subparsers(self, **settings: Any) -> argparse._SubParsersAction[Any]:
        made = super().add_subparsers(**settings)
        self.below = made.choices
        return made

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(UNKNOWN + " ".join(unknown))
        return found, unknown

    def error(self, message: str) -> NoReturn:
        """Exit code 2, with the usage and what would be right on stderr."""
        from rltui.errors import hints

        self.print_usage(sys.stderr)
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
        from rltui.errors import did_you_mean, hints

        if self.below and what == COMMAND:
            return f"there is no command '{self.prog} {word}'", self._command(word)
        names = [choice.strip("'\" ") for choice in choices.split(", ")]
        hint = hints(did_you_mean(word, names), f"one of {', '.join(names)}")
        return f"{self._own}{what}: no such choice {word!r}", hint

    def _command(self, word: str) -> str:
        """Where what was meant may be found."""
        from rltui.errors import did_you_mean, hints

        inside = [f"{parser.prog} {word}" for parser in self.below.values() if word in parser.below]
        return hints(
            did_you_mean(word, self.below) if word not in INSTEAD else "",
            INSTEAD.get(word, "") if self.prog == "rltui" else "",
            *(f"there is {command}" for command in inside),
            f"commands: {', '.join(self.below)}",
        )

    def _unknown(self, words: Sequence[str]) -> tuple[str, str]:
        """An option that is none, or a word too much."""
        from rltui.errors import nearest

        option = next((word.partition("=")[0] for word in words if word.startswith("-")), "")
        if not option:
            return f"{self._own}{words[0]!r} is a word too much", ""
        known = {name.lstrip("-"): name for name in self._option_string_actions}
        near = nearest(option.lstrip("-"), known)
        return f"{self._own}there is no option {option}", f'did you mean "{known[near]}"?' if near else ""
