"""What the cockpit's keys ask of the trainer. Its answers show in the footer and the log, never the wish."""

from __future__ import annotations

from textual.reactive import reactive
from textual.screen import Screen

from rltui.events.commands import (
    Command,
    NextPhase,
    Pause,
    Resume,
    SaveCheckpoint,
    SaveMilestone,
    SetFlag,
    SetRender,
    Stop,
    TakeControl,
)
from rltui.tui.panes.facts import missing
from rltui.tui.run.condition import condition
from rltui.tui.run.flags import is_on
from rltui.tui.run.model import RunSnapshot
from rltui.tui.screens.change_prompt import ChangePrompt
from rltui.tui.screens.flags_dialog import FlagsDialog
from rltui.tui.screens.phase_dialog import PhaseDialog
from rltui.tui.ways_out import how_to_go_on


class Steering(Screen[None]):
    """The half of CockpitScreen that acts on the training."""

    snapshot: reactive[RunSnapshot] = reactive(RunSnapshot, always_update=True, init=False, repaint=False)

    def __init__(self, *, readonly: bool) -> None:
        super().__init__()
        self.readonly = readonly
        self.typed: list[str] = []  # changes, oldest first

    def send(self, command: Command) -> None:
        """Ask the trainer."""
        raise NotImplementedError

    def moment(self) -> float:
        """Unix seconds, now."""
        raise NotImplementedError

    @property
    def why_not(self) -> str:
        """Why nothing can be asked of the trainer from here, in words; empty where it can."""
        link = self.snapshot.link
        if self.readonly:
            return "this view is read-only; rltui attach without --readonly may act"
        if not condition(self.snapshot, self.moment()).running:
            return how_to_go_on(self.snapshot, getattr(self.app, "own_keys", {}))
        if not link.connected:
            return f"no trainer is connected: {link.problem}" if link.problem else "no trainer is connected"
        if not link.mine:
            return f"{link.controller or 'somebody else'} controls; O takes control"
        return ""

    def _may_ask(self, what: str) -> bool:
        """Before a dialog opens: says why it would lead to nothing."""
        reason = self.why_not
        if reason:
            self.app.notify(reason[0].upper() + reason[1:], title=f"{what}: not now", severity="warning")
        return not reason

    def action_pause(self) -> None:
        self.send(Resume() if self.snapshot.state == "paused" else Pause())

    def action_checkpoint(self) -> None:
        self.send(SaveCheckpoint())

    def action_milestone(self) -> None:
        self.send(SaveMilestone())

    def action_stop(self) -> None:
        self.send(Stop("now") if self.snapshot.state == "stopping" else Stop("finish"))

    def action_take_control(self) -> None:
        if self.snapshot.link.mine:
            self.app.notify("Your keys act on the training already.", title="You control this run")
        else:
            self.send(TakeControl())

    def action_next_phase(self) -> None:
        """The bot may not be ready for it: ask first."""

        def decide(wanted: str | None) -> None:
            if wanted:
                self.send(NextPhase())

        if self._may_ask("Next phase"):
            self.app.push_screen(PhaseDialog(missing(self.snapshot)), decide)

    def action_flag(self, flag: str) -> None:
        """On for all workers, or off where it is on for any."""
        self.send(SetFlag(flag, not is_on(self.snapshot, flag)))

    def action_render(self) -> None:
        """The viewer on, also one that has failed; or off."""
        viewer = self.snapshot.viewer
        self.send(SetRender(viewer is None or viewer.state == "failed"))

    def action_flags(self) -> None:
        """All flags, for all workers or one."""
        if self._may_ask("Debug flags"):
            self.app.push_screen(FlagsDialog(lambda: self.snapshot, self.send, self.moment))

    def action_change(self) -> None:
        def decide(command: Command | None) -> None:
            if command is not None:
                self.send(command)

        if self._may_ask("Change"):
            self.app.push_screen(ChangePrompt(self.snapshot, self.typed), decide)
