"""BrowserScreen."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen

from rltui.runs.paths import DataDir
from rltui.tui.actions import Place, bindings, in_footer
from rltui.tui.ascii import ChartStyle
from rltui.tui.background import if_mounted
from rltui.tui.browser import table as state_table
from rltui.tui.browser.compare import CompareScreen, compare, to_compare
from rltui.tui.browser.details import AboutState, BrowserTitle, StateDetails
from rltui.tui.browser.fork import ForkScreen
from rltui.tui.browser.library import CheckpointRow, Library, LibraryReader, LibraryReady, RunNode
from rltui.tui.browser.operations import (
    ActDone,
    Copies,
    Deleting,
    Marking,
    OperationContext,
    Undoing,
    unplayable,
    watch_command,
)
from rltui.tui.browser.table import SORTABLE, KeptSorting, ShownStates
from rltui.tui.browser.tree import Shelves
from rltui.tui.browser.verification import HashChecks, Verifying
from rltui.tui.checks.results import ProfileChecker
from rltui.tui.dependencies import Launch
from rltui.tui.launcher.plan import LaunchPlan, StatePlanReady, plan_resume
from rltui.tui.launcher.start import StartDialog, launch_plan
from rltui.tui.messages import BrowserLeft, RunOpened, WatchAsked
from rltui.tui.notifications import exit_message
from rltui.tui.widgets.drawn_places import DrawnCompositor
from rltui.tui.widgets.filter_bar import FilterLine
from rltui.tui.widgets.footer import Answer, Footer
from rltui.tui.widgets.list_view import ListView

if TYPE_CHECKING:
    pass


class Looking:
    """Tells the screen what it has found, in pieces as long as the screen has nothing whole."""

    def __init__(self, screen: BrowserScreen, reader: LibraryReader) -> None:
        self._screen, self._reader = screen, reader
        self._busy = self._again = False

    def look(self) -> None:
        """Once more afterwards where a look is under way, for it may have missed what is new."""
        self._again = self._busy
        if not self._busy:
            self._busy = True
            self._screen.run_worker(self._read, thread=True, exit_on_error=False)

    def arrived(self, library: Library) -> None:
        """The screen has heard of this one."""
        if library.complete and self._again:
            self.look()

    def _read(self) -> None:
        try:
            for library in self._reader.read():
                if library.complete or not self._screen.library.complete:
                    self._screen.post_message(LibraryReady(library))
        finally:
            self._busy = False


@dataclass(frozen=True)
class BrowserDependencies:
    """run: whose states to begin with. readonly: look only. charts: how they are drawn. sorting: of the time before."""

    data: DataDir
    launch: Launch
    checker: ProfileChecker
    clock: Callable[[], float] = time.time
    checks: HashChecks = field(default_factory=HashChecks)
    run: str = ""
    state: Path | None = None  # to begin at
    readonly: bool = False
    charts: ChartStyle = "braille"
    sorting: KeptSorting = field(default_factory=KeptSorting)

    @property
    def ascii_only(self) -> bool:
        """Whether the terminal can show nothing else."""
        return self.charts == "ascii"


MUCH = 50e6  # bytes: reading them takes a while that should be explained


class TrainingOn:
    """Of the browser's screen, which shows the dialogs and hears of the run that was opened."""

    def __init__(self, screen: BrowserScreen, around: BrowserDependencies) -> None:
        self._screen, self._around = screen, around

    def resume(self, entry: CheckpointRow) -> None:
        """Read it to its last byte in a thread, then ask."""
        if (entry.bytes or 0) > MUCH:
            self._screen.notify("every byte of it is being read …", timeout=2)
        self._screen.run_worker(lambda: self._work_out(entry), thread=True, exit_on_error=False)

    def ask(self, message: StatePlanReady) -> None:
        """Say what resuming would do."""
        self._screen.app.push_screen(StartDialog(message.plan), self._launch)

    def fork(self, entry: CheckpointRow) -> None:
        """Ask for the profile of the new run."""
        if not entry.usable:
            why = f"nothing can be forked from this: {entry.reason or 'it is in the trash'}"
            self._screen.notify(why, severity="warning", timeout=8)
            return
        around = self._around
        self._screen.app.push_screen(ForkScreen(around.data, entry, around.checker, around.clock), self._launch)

    def _work_out(self, entry: CheckpointRow) -> None:
        self._screen.post_message(
            StatePlanReady(plan_resume(self._around.data, entry.run, entry.state, entry.words, self._around.clock()))
        )

    def _launch(self, plan: LaunchPlan | None) -> None:
        if plan is not None:
            launch_plan(self._screen, plan, self._around.launch, self._around.clock)


class Comparing:
    """Of the browser's screen."""

    def __init__(
        self, screen: BrowserScreen, around: BrowserDependencies, states: ShownStates, stage: OperationContext
    ) -> None:
        self._screen, self._around, self._states, self._stage = screen, around, states, stage

    def show(self) -> None:
        """Says how to choose two where there are not."""
        screen, around = self._screen, self._around
        chosen = to_compare(screen.library, self._states.marked, screen.entry)
        if len(chosen) == 2:
            screen.app.push_screen(CompareScreen(around.data, compare(*chosen), around.clock, around.charts))
        else:
            self._stage.complain(
                f"= compares two: {len(chosen)} marked", "space marks a row; the highlighted one may be the second"
            )


REFRESH = 3.0  # seconds between two looks at the disk
PATIENCE = 0.3  # seconds that the cursor rests before a state is read to its last byte
NARROW, TINY, LOW = 100, 60, 16  # columns, columns, rows: what gives way is in app.tcss


class BrowserScreen(Screen[None]):
    """Reads the disk in threads; what they find comes back as messages. What its keys do is in browser/, a file for each."""

    PLACE: ClassVar[Place] = "browser"
    BINDINGS: ClassVar[list[BindingType]] = bindings(PLACE)

    def __init__(self, around: BrowserDependencies) -> None:
        super().__init__()
        self._compositor = DrawnCompositor()
        self._around, self._checks = around, around.checks
        self._looking = Looking(self, LibraryReader(around.data))
        self._stage = OperationContext(self, readonly=around.readonly)
        self._training_on, self._verifying = TrainingOn(self, around), Verifying(self, around.checks)
        self._undoing = Undoing(around.data, self._stage, around.clock)
        self._about = AboutState(self, around, self._undoing)
        self._marking = Marking(around.data, self._stage)
        self._copies = Copies(around.data, self._stage, self._undoing)
        self._deleting = Deleting(around.data, self._stage, self._undoing)
        self.library = Library(around.data.root)
        self._shelves, self._states = Shelves(self, around.run), ShownStates(self, around)
        self._comparing = Comparing(self, around, self._states, self._stage)

    def compose(self) -> ComposeResult:
        yield BrowserTitle()
        with Horizontal(id="browser-body"):
            tree = ListView(name="shelves", classes="pane")
            tree.border_title = "Runs"
            yield tree
            with Vertical(id="browser-right"):
                table = ListView(name="states", classes="pane")
                yield table
                yield FilterLine("state-filter", table, self._states)
                yield StateDetails(self._about.words)
        yield Footer(in_footer("browser"))
        yield Answer()

    def on_mount(self) -> None:
        self.table.focus()
        self._show()
        self.action_refresh()
        self.set_interval(REFRESH, lambda: self._looking.look() if self.is_active else None)
        self.set_interval(1.0, self._show_keys)

    @property
    def tree_list(self) -> ListView:
        return self._shelves.list

    @property
    def node(self) -> RunNode:
        """Whose entries the table shows."""
        return self._shelves.node

    @property
    def table(self) -> ListView:
        return self.query_one("#states", ListView)

    @property
    def shown(self) -> list[CheckpointRow]:
        """The table's rows."""
        return self._states.entries

    @property
    def entry(self) -> CheckpointRow | None:
        """What the table's cursor stands on."""
        key = self.table.key
        return next((entry for entry in self.shown if entry.path == key), None)

    # Reading

    def action_refresh(self) -> None:
        self._looking.look()

    @if_mounted
    def on_library_ready(self, message: LibraryReady) -> None:
        self._looking.arrived(message.library)
        if message.library == self.library:
            self.query_one(StateDetails).repaint()  # ages grow
            return
        self.library = message.library
        self._states.forget_gone()
        self._show()

    # Showing

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < NARROW, "narrow")
        self.set_class(event.size.width < TINY, "tiny")
        self.set_class(event.size.height < LOW, "low")
        self.call_after_refresh(self._show)

    @if_mounted
    def _show(self) -> None:
        title = self.query_one(BrowserTitle)
        title.library = self.library
        title.repaint()
        self._shelves.show()
        self.show_table()

    def show_table(self) -> None:
        """The table, and what is known of the state under its cursor."""
        self._states.show()
        self.query_one(FilterLine).tell()
        self._about.show()

    @if_mounted
    def _show_keys(self) -> None:
        self._about.show_keys()

    # Moving

    def on_list_view_highlighted(self, message: ListView.Highlighted) -> None:
        if isinstance(message.key, RunNode):
            if self._shelves.goes_to(message.key):
                self.table.first = self.table.cursor = 0
                self.show_table()
            return
        self.query_one(StateDetails).first = 0
        self._about.show()
        self.set_timer(PATIENCE, self._rested)

    @if_mounted
    def _rested(self) -> None:
        self._verifying.check_rested(self.entry)

    @on(ListView.Chosen)
    def action_open(self) -> None:
        if self.focused is self.tree_list:
            self.table.focus()
        elif (entry := self.entry) is not None and entry.run:
            self.post_message(RunOpened(entry.run))

    def action_mark(self) -> None:
        if self.focused is self.tree_list:
            if self._shelves.fold():
                self._show()
        elif (entry := self.entry) is not None and entry.meta is not None:
            self._states.mark(entry)
            self.show_table()

    def on_key(self, event: events.Key) -> None:
        if event.key in SORTABLE:
            self._sort(event.key)
            event.stop()

    def _sort(self, key: str) -> None:
        self._states.sort(key)
        self.show_table()

    def on_list_view_head_clicked(self, message: ListView.HeadClicked) -> None:
        key = state_table.key_at(self.table.head or (), message.x)
        if key:
            self._sort(key)

    def action_filter(self) -> None:
        self.query_one(FilterLine).open()

    def action_back(self) -> None:
        """The filter first; then to where the browser was opened from."""
        if not self.query_one(FilterLine).drop():
            self.post_message(BrowserLeft())

    def action_leave(self) -> None:
        """As from the launcher."""
        self.app.exit(exit_message([inventory.run for inventory in self.library.inventories if inventory.trainer]))

    def action_verify(self) -> None:
        self._verifying.verify([entry for entry in self.shown if entry.usable or self._is_wrong(entry)])

    def _is_wrong(self, entry: CheckpointRow) -> bool:
        """Whether it was found damaged by its hashes: it may have been mended since."""
        return self._checks.verdict(entry.path)[0] == "damaged"

    @if_mounted
    def on_hashes_checked(self) -> None:
        self.show_table()
        if any(self._checks.verdict(entry.path)[0] == "gone" for entry in self.shown):
            self.action_refresh()

    # Training on

    def action_resume(self) -> None:
        self._act(self._training_on.resume)

    @if_mounted
    def on_state_plan_ready(self, message: StatePlanReady) -> None:
        self._training_on.ask(message)

    def action_fork(self) -> None:
        self._act(self._training_on.fork)

    # Acts

    def action_pin(self) -> None:
        self._act(self._marking.pin)

    def action_note(self) -> None:
        self._act(self._marking.note)

    def action_promote(self) -> None:
        self._act(self._marking.promote)

    def action_keep(self) -> None:
        self._act(self._copies.keep)

    def action_delete(self) -> None:
        if self.node.kind == "trash":
            if self._stage.may_act():
                self._deleting.empty(self.library)
        else:
            self._act(self._deleting.delete)

    def action_undo(self) -> None:
        if self._stage.may_act():
            self._undoing.undo(self.entry)

    def action_export(self) -> None:
        if (entry := self.entry) is not None:
            self._copies.export(entry)

    def _act(self, act: Callable[[CheckpointRow], None]) -> None:
        """With the highlighted state."""
        if (entry := self.entry) is not None and self._stage.may_act():
            act(entry)

    def action_compare(self) -> None:
        self._comparing.show()

    def action_watch(self) -> None:
        entry = self.entry
        why = unplayable(entry)
        if entry is None or why:
            self._stage.complain(why)
            return
        self.post_message(WatchAsked(watch_command(entry, self._around.data, ascii_only=self._around.ascii_only)))

    @if_mounted
    def on_act_done(self, message: ActDone) -> None:
        if message.error is not None:
            self._stage.complain(message.error.message, message.error.hint)
        else:
            self.notify(message.words, timeout=5)
        self.action_refresh()
