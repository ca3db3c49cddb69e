"""The cockpit: one run, live or from disk. It shows what the trainer says and sends what the user asks for."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar, get_args

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.screen import Screen

from rltui.events.commands import Command, NextPhase, Pause, Resume, SaveCheckpoint, SaveMilestone, SetFlag, Stop
from rltui.tui.actions import bindings, in_footer
from rltui.tui.answers import answer_line
from rltui.tui.condition import condition
from rltui.tui.flags import is_on
from rltui.tui.messages import SnapshotReady
from rltui.tui.model import RunSnapshot
from rltui.tui.newest import Newest
from rltui.tui.panes.catalogue import PANES
from rltui.tui.panes.facts import missing
from rltui.tui.panes.log import LogPane
from rltui.tui.panes.pane import Pane, Slot, View
from rltui.tui.panes.status import StatusPane
from rltui.tui.run_reader import RunReader, RunSource
from rltui.tui.screens.arrangement import Arrangement, arrangement
from rltui.tui.screens.change_prompt import ChangePrompt
from rltui.tui.screens.phase_dialog import PhaseDialog
from rltui.tui.screens.quit_dialog import QuitChoice, QuitDialog
from rltui.tui.symbols import ChartStyle
from rltui.tui.widgets.footer import Footer

SLOTS: tuple[Slot, ...] = get_args(Slot)
TICK = 1.0  # seconds; ages grow also when nothing is heard


class CockpitScreen(Screen[None]):
    """`snapshot` is replaced by the reader thread's newest; its watcher hands it to the panes."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("cockpit")
    snapshot: reactive[RunSnapshot] = reactive(RunSnapshot, always_update=True, init=False, repaint=False)

    class Left(Message):
        """The user wants to see the launcher."""

    def __init__(
        self,
        source: RunSource,
        *,
        readonly: bool = False,
        charts: ChartStyle = "braille",
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__()
        self.source, self.readonly, self._charts, self._clock = source, readonly, charts, clock
        self._inbox: Newest[RunSnapshot] = Newest()
        self._reader: RunReader | None = None
        self._alone: Pane | None = None  # maximised, or chosen where there is room for one only
        self._holders: dict[Slot, Pane] = {}  # the pane that each slot shows, where it is not the slot's first
        self._leaving = False
        self.set_reactive(CockpitScreen.snapshot, RunSnapshot(run=source.name))

    def compose(self) -> ComposeResult:
        yield StatusPane(name="status", classes="status")
        of_slot = {
            slot: [pane(name=pane.__name__.removesuffix("Pane").lower()) for pane in PANES if slot == pane.SLOT]
            for slot in SLOTS
        }
        with Vertical(id="body"):
            with Horizontal(id="upper"):
                with Vertical(id="left"):
                    yield from (*of_slot["charts"], *of_slot["table"])
                with Vertical(id="right"):
                    yield from (*of_slot["rewards"], *of_slot["time"], *of_slot["facts"])
            yield from of_slot["log"]
        yield Footer(in_footer("cockpit"), self.run_named)

    def on_mount(self) -> None:
        self._reader = RunReader(self.source, self._deliver, readonly=self.readonly, clock=self._clock)
        self._reader.start()
        self.set_interval(TICK, self.show_now)

    def on_unmount(self) -> None:
        if self._reader is not None:
            self._reader.stop()

    def on_resize(self) -> None:
        self.place_panes()

    @property
    def panes(self) -> list[Pane]:
        """All of them, the status lines excepted, in the catalogue's order."""
        return sorted((pane for pane in self.query(Pane) if pane.NUMBER), key=lambda pane: PANES.index(type(pane)))

    def _deliver(self, snapshot: RunSnapshot) -> None:
        """From the reader thread: one message, however many snapshots come before it is handled."""
        if self._inbox.put(snapshot):
            self.post_message(SnapshotReady())

    def on_snapshot_ready(self) -> None:
        snapshot = self._inbox.take()
        if snapshot is not None:
            self.snapshot = snapshot

    def watch_snapshot(self, before: RunSnapshot, now: RunSnapshot) -> None:
        if len(before.workers) != len(now.workers):
            self.place_panes()
        self.show_now()
        if self._leaving and not condition(now, self._clock()).running:
            self.app.exit(
                f"{now.run} has stopped at {now.timesteps:,} steps; look at it again with: rltui attach {now.run}"
            )

    def show_now(self) -> None:
        """Hand the newest snapshot and the present moment to all that is on screen."""
        view = View(self.snapshot, self._clock(), self._charts)
        for pane in self.query(Pane):
            pane.show(view)
        self._show_footer(view)

    def _show_footer(self, view: View) -> None:
        running = condition(view.snapshot, view.now).running
        can_steer = running and view.snapshot.link.connected and not self.readonly
        actions = in_footer("cockpit")
        dimmed = frozenset() if can_steer else frozenset(action.name for action in actions if action.trains)
        labels = {"pause": "Resume"} if view.snapshot.state == "paused" else {}
        labels |= {"maximise": "All panes"} if self._alone is not None and not self._plan.single else {}
        answer = answer_line(view.snapshot, view.now, leaving=self._leaving)
        self.query_one(Footer).show(labels, dimmed, answer)

    @property
    def _plan(self) -> Arrangement:
        return arrangement(self.size.width, self.size.height, len(self.snapshot.workers))

    def place_panes(self) -> None:
        """Place the panes for the present size: all of them, one alone, or none in a very small terminal."""
        plan = self._plan
        panes = self.panes
        alone = self._alone or (panes[0] if plan.single else None)
        self.set_class(alone is not None, "alone")
        for pane in panes:
            pane.display = not plan.minimal and (
                pane is alone if alone else self._holds(pane) and pane.SLOT in plan.shown
            )
            pane.border_title = pane.title(panes if alone is pane else ())
            height = plan.heights.get(pane.SLOT)
            pane.styles.height = "1fr" if alone or height is None else height
        for container in ("#left", "#right", "#upper", "#body"):
            box = self.query_one(container)
            box.display = any(pane.display for pane in box.query(Pane))
        self.query_one("#status").styles.height = "1fr" if plan.minimal else 2
        self.query_one("#footer").display = not plan.minimal
        self.call_after_refresh(self.show_now)

    def _holds(self, pane: Pane) -> bool:
        """Whether the pane is the one that its slot shows."""
        first = next(other for other in self.panes if other.SLOT == pane.SLOT)
        return self._holders.get(pane.SLOT, first) is pane

    def run_named(self, action: str) -> None:
        """Run a registered action as its key would."""
        self.call_next(self.run_action, action)

    def focused_pane(self) -> Pane | None:
        """The pane that has the focus."""
        return self.focused if isinstance(self.focused, Pane) else None

    def action_pane(self, number: str) -> None:
        pane = next(pane for pane in self.panes if number == pane.NUMBER)
        self._holders[pane.SLOT] = pane
        if self._alone is not None or self._plan.single or pane.SLOT not in self._plan.shown:
            self._alone = pane
        self.place_panes()
        pane.focus()

    def action_maximise(self) -> None:
        self._alone = (
            None if self._alone is not None and not self._plan.single else self.focused_pane() or self.panes[0]
        )
        self.place_panes()

    def action_back(self) -> None:
        if self._alone is not None and not self._plan.single:
            self._alone = None
            self.place_panes()
        else:
            self.action_launcher()

    def action_launcher(self) -> None:
        self.post_message(self.Left())

    def action_log_level(self) -> None:
        self.query_one(LogPane).next_level()

    def action_pause(self) -> None:
        self.send(Resume() if self.snapshot.state == "paused" else Pause())

    def action_checkpoint(self) -> None:
        self.send(SaveCheckpoint())

    def action_milestone(self) -> None:
        self.send(SaveMilestone())

    def action_next_phase(self) -> None:
        """The bot may not be ready for it: ask first."""

        def decide(wanted: str | None) -> None:
            if wanted:
                self.send(NextPhase())

        self.app.push_screen(PhaseDialog(missing(self.snapshot)), decide)

    def action_flag(self, flag: str) -> None:
        """On for all workers, or off where it is on for any."""
        self.send(SetFlag(flag, not is_on(self.snapshot, flag)))

    def action_change(self) -> None:
        header = self.snapshot.header

        def decide(command: Command | None) -> None:
            if command is not None:
                self.send(command)

        self.app.push_screen(ChangePrompt(header.reward_names if header is not None else ()), decide)

    def action_stop(self) -> None:
        self.send(Stop("now") if self.snapshot.state == "stopping" else Stop("finish"))

    def send(self, command: Command) -> None:
        """Ask the trainer; its answers show in the footer and the log, never the wish."""
        if self._reader is not None:
            self._reader.send(command)

    def action_leave(self) -> None:
        """Ask what is to become of the training, unless there is nothing to ask."""
        if not condition(self.snapshot, self._clock()).running or self._leaving:
            self.app.exit()
            return
        can_stop = not self.readonly and self.snapshot.link.connected
        self.app.push_screen(QuitDialog(self.snapshot.run, can_stop=can_stop), self._decide)

    def _decide(self, choice: QuitChoice | None) -> None:
        if choice == "keep":
            self.app.exit(f"{self.snapshot.run} keeps training; come back with: rltui attach {self.snapshot.run}")
        elif choice == "stop":
            self._leaving = True
            self.send(Stop("finish"))
            self.show_now()
