"""Who holds control: the first client that may, until it leaves or another takes it; then the one that has waited longest."""

from __future__ import annotations

from typing import Protocol

from rltui.events.commands import Command, Stop, TakeControl


class Person(Protocol):
    """What the rule needs to know of a client."""

    @property
    def name(self) -> str: ...
    @property
    def readonly(self) -> bool: ...
    @property
    def errand(self) -> bool: ...


class ControlHolder:
    """The clients that want control, oldest first. Errands (`rltui stop`) are never among them.

    An errand may stop the run whoever holds control: the socket lets in this user only, who could signal the process
    anyway, and a stop by command saves first. Otherwise a viewer forgotten on another terminal would be all that can
    end a run. The journal names who did it. Everything else is the holder's alone.
    """

    def __init__(self) -> None:
        self._waiting: list[Person] = []

    @property
    def holder(self) -> Person | None:
        return self._waiting[0] if self._waiting else None

    def join(self, person: Person) -> None:
        if not person.readonly and not person.errand:
            self._waiting.append(person)

    def leave(self, person: Person) -> None:
        self._waiting = [other for other in self._waiting if other is not person]

    def take(self, person: Person) -> Person | None:
        """Control passes to this one, who may have it; the former holder, next in line from now on."""
        former = self.holder
        self._waiting = [person, *(other for other in self._waiting if other is not person)]
        return former

    def refusal(self, person: Person, command: Command) -> str | None:
        """Why the command is not taken from this client; None when it is."""
        if person.readonly:
            return "this client is attached read-only"
        if isinstance(command, TakeControl):
            return "a command line's errand never holds control" if person.errand else None
        holder = self.holder
        if holder is person or (person.errand and (holder is None or isinstance(command, Stop))):
            return None
        return f"{holder.name if holder else 'nobody'} holds control; O in the cockpit takes it, rltui stop works for everybody"
