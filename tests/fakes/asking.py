"""One command to a running trainer, and how it ended."""

from __future__ import annotations

from rltui.events.commands import Command, CommandApplied, CommandRefused
from rltui.supervise.control_client import ControlClient
from tests.fakes.training import Training, wait_for


def ask(training: Training, command: Command) -> CommandApplied | CommandRefused:
    """Send one command as `tester` and wait for its end."""
    with ControlClient("tester") as client:
        client.connect(training.paths)
        number = client.send(command)
        answers = (CommandApplied, CommandRefused)

        def answered() -> CommandApplied | CommandRefused | None:
            return next((m for m in client.poll(0.01) if isinstance(m, answers) and m.id == number), None)

        return wait_for(answered, "the answer")


def applied(training: Training, command: Command) -> CommandApplied:
    """The answer of a command that has to work."""
    answer = ask(training, command)
    assert isinstance(answer, CommandApplied), answer
    return answer
