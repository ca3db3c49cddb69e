"""CockpitScreen: shows a run in panes and sends commands to its trainer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.screen import Screen

from rltui import formatting
from rltui.errors import RltuiError
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
    command_name,
)
from rltui.events.promotion import distances
from rltui.run_state.change_command import begun
from rltui.run_state.condition import condition, is_on
from rltui.run_state.progress import is_last_phase
from rltui.run_state.reader import RecordSource, RunReader
from rltui.run_state.snapshot import LeftAt, RunSnapshot
from rltui.tui.actions import COCKPIT, Action, Place, bindings, in_footer, pane_footer
from rltui.tui.background import Newest, if_mounted
from rltui.tui.cockpit.change_prompt import ChangePrompt
from rltui.tui.cockpit.dialogs import FlagsDialog, QuitChoice, phase_dialog, quit_dialog
from rltui.tui.cockpit.layout import SINGLE_HEIGHT, SINGLE_WIDTH, STATUS, PaneGrid, is_minimal, is_single
from rltui.tui.cockpit.messages import (
    away_text,
    command_status,
    flag_keys,
    frozen_text,
    how_to_resume,
    nothing_to_close,
)
from rltui.tui.dependencies import ViewOptions
from rltui.tui.messages import BrowserAsked, Refused, ResumeAsked, unforeseen
from rltui.tui.notifications import exit_message
from rltui.tui.panes.action_table import ActionTablePane
from rltui.tui.panes.audit import AuditPane
from rltui.tui.panes.curriculum import CurriculumPane
from rltui.tui.panes.league import LeaguePane
from rltui.tui.panes.live_match import ArenaPane
from rltui.tui.panes.log import LogPane
from rltui.tui.panes.machine import MachinePane
from rltui.tui.panes.metrics import MetricsPane
from rltui.tui.panes.pane import Pane, View
from rltui.tui.panes.reward_trace import TracePane
from rltui.tui.panes.rewards import RewardsPane
from rltui.tui.panes.run_info import RunInfoPane
from rltui.tui.panes.status import StatusPane
from rltui.tui.panes.time import TimePane
from rltui.tui.panes.turtle import TurtlePane
from rltui.tui.panes.workers import WorkersPane
from rltui.tui.widgets.compositor import PlacedCompositor
from rltui.tui.widgets.filter_bar import FilterBar, clear_filter
from rltui.tui.widgets.footer import Answer, Footer

PANES: tuple[type[Pane], ...] = (
    MetricsPane,
    RewardsPane,
    TimePane,
    WorkersPane,
    ActionTablePane,
    TurtlePane,
    CurriculumPane,
    ArenaPane,
    LogPane,
    TracePane,
    LeaguePane,
    RunInfoPane,
    MachinePane,
    AuditPane,
)
_FILTER, _RESUME = (next(action for action in COCKPIT if action.name == name) for name in ("filter", "resume"))
_ALWAYS = [action for action in in_footer("cockpit") if action not in (_FILTER, _RESUME)]
_TRAINING = frozenset(action.name for action in _ALWAYS if action.trains)
AWAY = 60.0  # seconds; who was away for less remembers
TICK = 1.0  # seconds; ages grow also when nothing is heard


class SnapshotReady(Message, bubble=False):
    """The run reader's slot holds a newer RunSnapshot."""


class CockpitScreen(Screen[None]):
    """Shows one run and sends commands to its trainer. The reader thread's newest snapshot replaces `snapshot`; its watcher
    hands it to the panes.
    """

    PLACE: ClassVar[Place] = "cockpit"
    BINDINGS: ClassVar[list[BindingType]] = bindings(PLACE)
    snapshot: reactive[RunSnapshot] = reactive(RunSnapshot, always_update=True, init=False, repaint=False)

    class Left(Message):
        """The user wants to see the launcher."""

    class SnapshotChanged(Message):
        """The trainer has been heard again: what was known before, and what is known now."""

        def __init__(self, before: RunSnapshot, now: RunSnapshot) -> None:
            super().__init__()
            self.before, self.now = before, now

    def __init__(self, source: RecordSource, options: ViewOptions, clock: Callable[[], float]) -> None:
        super().__init__()
        self._compositor = PlacedCompositor()
        self.source, self.readonly, self._charts, self._clock = source, options.readonly, options.charts, clock
        settings = options.settings
        self.grid = PaneGrid([pane(name=pane.pane_id()) for pane in PANES], settings, name="body")
        for pane in self.panes:
            if isinstance(pane, MetricsPane):
                pane.charting = replace(pane.charting, smoothing=settings.smoothing)
        self._changes: list[str] = []  # typed, oldest first
        self._inbox: Newest[RunSnapshot] = Newest()
        self._reader: RunReader | None = None
        self._leaving = False
        self._left: LeftAt | None = None  # until it has been told what came since
        self._still: View | None = None  # the view of when the display was frozen
        self.set_reactive(CockpitScreen.snapshot, RunSnapshot(run=source.name))

    def compose(self) -> ComposeResult:
        yield StatusPane(name="status", classes="status")
        yield self.grid
        yield Footer((), self._footer_keys)
        yield Answer("pane('a')")
        yield FilterBar()

    def on_mount(self) -> None:
        left = self.source.left_at()
        if left is not None and self._clock() - left.time >= AWAY:
            self._left = self.query_one(LogPane).left = left
        words = unforeseen(self.app)
        self._reader = RunReader(self.source, self._deliver, readonly=self.readonly, clock=self._clock, words=words)
        self._reader.start()
        self.set_interval(TICK, self.show_now)

    def on_unmount(self) -> None:
        if self._reader is not None:
            self._reader.stop()
        self.note_left()

    def note_left(self) -> None:
        """What comes from now on, nobody has seen: also before another cockpit on the run opens in the place of this one."""
        if self.snapshot.header is not None:
            self.source.leave(LeftAt(self._clock(), self.snapshot.timesteps, self.snapshot.log_total))

    def on_resize(self) -> None:
        minimal = is_minimal(*self.size)
        self.query_one(StatusPane).styles.height = "1fr" if minimal else STATUS
        self.query_one(Footer).display = self.grid.display = not minimal
        self.grid.place(self.shown)

    def on_pane_grid_arranged(self) -> None:
        self.show_now()

    @property
    def panes(self) -> tuple[Pane, ...]:
        """All of them, the status lines excepted."""
        return self.grid.panes

    def _deliver(self, snapshot: RunSnapshot) -> None:
        """From the reader thread: one message, however many snapshots come before it is handled."""
        if self._inbox.put(snapshot):
            self.post_message(SnapshotReady())

    @if_mounted
    def on_snapshot_ready(self) -> None:
        snapshot = self._inbox.take()
        if snapshot is not None:
            self.snapshot = snapshot

    def watch_snapshot(self, before: RunSnapshot, now: RunSnapshot) -> None:
        self.grid.place(self.shown)
        self.show_now()
        self.post_message(self.SnapshotChanged(before, now))
        if (left := self._left) is not None and now.log_total >= left.log_total:  # all of a long journal has been read
            self._left = None
            self.notify(away_text(left, now, self._clock()), title="While you were away", timeout=20)
        if self._leaving and not self.running:
            self.app.exit(
                f"{now.run} has stopped at {now.timesteps:,} timesteps; look at it again with: rltui attach {now.run}"
            )

    @property
    def _live_view(self) -> View:
        return View(self.snapshot, self._clock(), self._charts)

    @property
    def shown(self) -> View:
        """What the panes show: the newest, or what was there when they were frozen."""
        return self._still or self._live_view

    @property
    def frozen(self) -> bool:
        """The panes stand still while training goes on."""
        return self._still is not None

    @if_mounted
    def show_now(self) -> None:
        """Hand the newest snapshot and the present moment to all that is on screen; the frozen one while it is frozen."""
        live = self._live_view
        self.grid.view = self._still or live
        for pane in self.panes:
            pane.show(self.grid.view)
        frozen = frozen_text(self._still.snapshot, self._still.now, live.snapshot) if self._still is not None else ""
        self.query_one(StatusPane).show(replace(live, frozen=frozen))
        footer = self.query_one(Footer)
        footer.show(self._footer_labels(), _TRAINING if self.why_not else frozenset())
        answer = command_status(self.snapshot, live.now, leaving=self._leaving)
        below = int(footer.display)
        lowest = [pane for pane in self.panes if pane.display and pane.region.bottom == self.size.height - below]
        free = min((pane.subtitle_start for pane in lowest), default=0)
        self.query_one(Answer).say(answer, self.size.width, below, free)

    def _footer_labels(self) -> dict[str, str]:
        labels = {"pause": "Resume"} if self.snapshot.state == "paused" else {}
        labels |= {"maximise": "All panes"} if self.grid.choice.alone is not None else {}
        return labels | ({"launcher": "Launcher", "resume": "Resume"} if not self.running else {})

    @property
    def running(self) -> bool:
        """Whether a trainer is believed to be there."""
        return condition(self.snapshot, self._clock()).running

    def focused_pane(self) -> Pane | None:
        """The pane that has the focus."""
        return self.grid.focused_pane

    def _footer_keys(self) -> Sequence[Action]:
        """What acts: of a run that has ended nothing that needs a trainer; of the focused pane its own."""
        pane = self.focused_pane()
        always = [action for action in _ALWAYS if self.running or not action.trains]
        found = [*([] if self.running else [_RESUME]), *([_FILTER] if pane and pane.FILTERS else [])]
        return [*found, *(pane_footer(pane.pane_id()) if pane else []), *always]

    def on_pane_tab_clicked(self, message: Pane.TabClicked) -> None:
        self.grid.show_pane(message.pane)

    def action_pane(self, number: str) -> None:
        self.grid.show_pane(next(pane for pane in self.panes if number == pane.NUMBER))

    def action_next_pane(self, step: int) -> None:
        self.grid.step(step)

    def action_maximise(self) -> None:
        if self.grid.choice.alone is None and is_single(*self.size):
            raise RltuiError(f"one pane at a time here; several fit from {SINGLE_WIDTH}×{SINGLE_HEIGHT} on")
        self.grid.maximise()
        self.show_now()

    def action_grow(self, direction: int) -> None:
        if not self.grid.grow(direction):
            raise RltuiError(
                "the pane cannot be any higher here" if direction > 0 else "the pane cannot be any lower here"
            )

    def action_reset_layout(self) -> None:
        self.grid.reset()

    def action_freeze(self) -> None:
        """The panes stand still; training, its state and your keys do not."""
        live = self._live_view
        self._still = None if self._still is not None else replace(live, frozen=formatting.clock(live.now))
        self.grid.place(self.shown)
        for pane in self.panes if self._still is None else ():
            pane.show_at_once(self._live_view)
        self.show_now()

    def action_back(self) -> None:
        """One level back: the filter, frozen, a maximised pane. It never leaves: what is typed next would act elsewhere."""
        pane = self.focused_pane()
        if pane is not None and pane.filtered is not None and clear_filter(pane.filtered):
            pane.redraw()
        elif self._still is not None:
            self.action_freeze()
        elif self.grid.choice.alone is not None:
            self.action_maximise()
        else:
            raise RltuiError(nothing_to_close(getattr(self.app, "own_keys", {})))

    def action_filter(self) -> None:
        """Of the focused pane."""
        pane = self.focused_pane()
        if pane is None or pane.filtered is None:
            raise RltuiError("nothing to filter in this pane")
        self.query_one(FilterBar).open(pane, pane.filtered)

    def action_browser(self) -> None:
        self.post_message(BrowserAsked(self.snapshot.run))

    def action_launcher(self) -> None:
        self.post_message(self.Left())

    def action_compare(self) -> None:
        """From any pane: the charts, and the runs to compare with."""
        charts = self.query_one(MetricsPane)
        self.grid.show_pane(charts)
        charts.action_compare()

    def action_log_level(self) -> None:
        log = self.query_one(LogPane)
        level = log.next_level()
        if not log.display:
            self.notify(f"log: {level} and above", timeout=2)

    @property
    def why_not(self) -> str:
        """Why nothing can be asked of the trainer from here, in words; empty where it can."""
        link = self.snapshot.link
        if self.readonly:
            return "this view is read-only; rltui attach without --readonly may act"
        if not self.running:
            return how_to_resume(self.snapshot, getattr(self.app, "own_keys", {}))
        if not link.connected:
            return f"no trainer is connected: {link.problem}" if link.problem else "no trainer is connected"
        if not link.mine:
            return f"{link.controller or 'somebody else'} controls; O takes control"
        return ""

    def send(self, command: Command) -> None:
        """Ask the trainer; its answers show above the footer and in the log, never the request."""
        if not self.readonly and not self._leaving and not self.running:
            self.post_message(Refused(RltuiError(f"{command_name(command)}: not sent", self.why_not)))
        elif self._reader is not None:
            self._reader.send(command)

    def _check_may_ask(self, what: str) -> None:
        """Before a dialog opens that would lead to nothing."""
        if reason := self.why_not:
            raise RltuiError(f"{what}: not now", reason)

    def action_pause(self) -> None:
        self.send(Resume() if self.snapshot.state == "paused" else Pause())

    def action_checkpoint(self) -> None:
        self.send(SaveCheckpoint())

    def action_milestone(self) -> None:
        self.send(SaveMilestone())

    def action_stop(self) -> None:
        self.send(Stop("now") if self.snapshot.state == "stopping" else Stop("finish"))

    def action_resume(self) -> None:
        if self.readonly or self.running:
            raise RltuiError("resume: not now", self.why_not if self.readonly else "it has not ended")
        self.post_message(ResumeAsked(self.source.name))

    def action_take_control(self) -> None:
        if self.snapshot.link.mine:
            raise RltuiError("you control this run already")
        self.send(TakeControl())

    def action_next_phase(self) -> None:
        """The bot may not be ready for it: ask first."""

        def decide(wanted: str | None) -> None:
            if wanted:
                self.send(NextPhase())

        self._check_may_ask("next phase")
        plan = self.snapshot.plan
        if is_last_phase(self.snapshot) or (plan is not None and not plan.phases):
            why = "this is the last one" if plan is not None and plan.phases else "the profile has no phases"
            raise RltuiError("next phase: not now", f"none follows: {why}")
        distances_left = [distance.words for distance in distances(self.snapshot.metrics)]
        self.app.push_screen(phase_dialog(distances_left), decide)

    def action_flag(self, flag: str) -> None:
        """On for all workers, or off where it is on for any."""
        self.send(SetFlag(flag, not is_on(self.snapshot, flag)))

    def action_render(self) -> None:
        """The viewer on, also one that has failed; or off."""
        viewer = self.snapshot.viewer
        self.send(SetRender(viewer is None or viewer.state == "failed"))

    def action_flags(self) -> None:
        """All flags, for all workers or one."""
        self._check_may_ask("debug flags")
        keys = flag_keys(getattr(self.app, "own_keys", {}))
        self.app.push_screen(FlagsDialog(lambda: self.snapshot, self.send, self._clock, keys))

    def action_change(self) -> None:
        """Of what the focused pane's cursor is on, to begin with."""

        def decide(text: str | None) -> None:
            if text is not None:
                self.send(prompt.parse(text))

        self._check_may_ask("change")
        pane = self.focused_pane()
        setting = pane.setting if pane is not None else ""
        prompt = ChangePrompt(self.snapshot, self._changes, begun(self.snapshot, setting) if setting else "")
        self.app.push_screen(prompt, decide)

    def action_leave(self) -> None:
        """Ask what is to become of the training, unless there is nothing to ask."""
        if not self.running or self._leaving:
            self.app.exit()
            return
        can_stop = not self.readonly and self.snapshot.link.connected
        self.app.push_screen(quit_dialog(self.snapshot.run, can_stop=can_stop), self._decide)

    def _decide(self, choice: QuitChoice | None) -> None:
        if choice == "keep":
            self.app.exit(exit_message([self.snapshot.run]))
        elif choice == "stop":
            self._leaving = True
            self.send(Stop("finish"))
            self.show_now()
