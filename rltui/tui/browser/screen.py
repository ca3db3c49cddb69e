"""Milestone browser: tree of runs, table of saved states, details of the highlighted one, and what its keys do."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import Screen

from rltui import formatting
from rltui.errors import RltuiError
from rltui.runs.inventory import CheckpointInfo
from rltui.runs.paths import DataDir
from rltui.tui.actions import Place, bindings, in_footer
from rltui.tui.ascii import ChartStyle
from rltui.tui.background import if_mounted
from rltui.tui.browser import operations
from rltui.tui.browser.compare import CompareScreen, compare, to_compare
from rltui.tui.browser.details import BrowserTitle, CheckpointDetails
from rltui.tui.browser.fork import ForkScreen
from rltui.tui.browser.library import ALL, Library, LibraryReader, LibraryReady, RunNode
from rltui.tui.browser.operations import UNDO_SECONDS, Outcome
from rltui.tui.browser.table import SORTABLE, CheckpointTable, SavedSorting
from rltui.tui.browser.tree import RunTree
from rltui.tui.browser.verification import HashChecks, HashesChecked, VerificationQueue
from rltui.tui.checks.results import ProfileChecker
from rltui.tui.dependencies import Launch
from rltui.tui.launcher.plan import LaunchPlan, StatePlanReady, plan_resume
from rltui.tui.launcher.start import StartDialog, launch_plan
from rltui.tui.messages import BrowserLeft, RunOpened, WatchAsked
from rltui.tui.notifications import exit_message
from rltui.tui.text import Line
from rltui.tui.widgets.dialogs import PromptDialog, TextPrompt
from rltui.tui.widgets.drawn_places import DrawnCompositor
from rltui.tui.widgets.filter_bar import FilterLine
from rltui.tui.widgets.footer import Answer, Footer
from rltui.tui.widgets.list_view import ListView

REFRESH = 3.0  # seconds between two looks at the disk
PATIENCE = 0.3  # seconds that the cursor rests before a state is read to its last byte
NARROW, TINY, LOW = 100, 60, 16  # columns, columns, rows: what gives way is in app.tcss
MUCH = 50e6  # bytes: reading them takes a while that should be explained


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
    sorting: SavedSorting = field(default_factory=SavedSorting)


class OperationDone(Message):
    """A thread has done something with a saved state, or could not."""

    def __init__(self, outcome: Outcome | RltuiError) -> None:
        super().__init__()
        self.outcome = outcome


@dataclass(frozen=True, slots=True)
class Undo:
    """What `u` takes back. until: Unix seconds."""

    words: str
    until: float
    operation: Callable[[], Outcome]


class BrowserScreen(Screen[None]):
    """Reads the disk in threads; what they find comes back as messages."""

    PLACE: ClassVar[Place] = "browser"
    BINDINGS: ClassVar[list[BindingType]] = bindings(PLACE)

    def __init__(self, dependencies: BrowserDependencies) -> None:
        super().__init__()
        self._compositor = DrawnCompositor()
        self._dependencies = dependencies
        self._data, self._clock, self._checks = dependencies.data, dependencies.clock, dependencies.checks
        self._reader = LibraryReader(self._data)
        self._reading = self._read_again = False
        self._queue = VerificationQueue(self._checks)
        self._undo: Undo | None = None
        self.library = Library(self._data.root)
        self.tree_list = RunTree(self.library, RunNode("run", dependencies.run) if dependencies.run else ALL)
        self.table = CheckpointTable(
            self._checks, self._clock, dependencies.sorting, self.library, self.tree_list.node, dependencies.state
        )
        self._details = CheckpointDetails(self._checks, self._clock, self.library)

    def compose(self) -> ComposeResult:
        yield BrowserTitle()
        with Horizontal(id="browser-body"):
            yield self.tree_list
            with Vertical(id="browser-right"):
                yield self.table
                yield FilterLine("state-filter", self.table, self.table)
                yield self._details
        yield Footer(in_footer("browser"))
        yield Answer()

    def on_mount(self) -> None:
        self.table.focus()
        self._show()
        self.action_refresh()
        self.set_interval(REFRESH, lambda: self.action_refresh() if self.is_active else None)
        self.set_interval(1.0, self._show_keys)

    @property
    def node(self) -> RunNode:
        """Whose states the table shows."""
        return self.tree_list.node

    @property
    def entry(self) -> CheckpointInfo | None:
        """What the table's cursor stands on."""
        return self.table.entry

    def action_refresh(self) -> None:
        """Look at the disk; once more afterwards where a look is under way, for it may have missed what is new."""
        self._read_again = self._reading
        if not self._reading:
            self._reading = True
            self._read_library()

    @work(thread=True, exit_on_error=False)
    def _read_library(self) -> None:
        """In pieces as long as the screen has nothing whole."""
        try:
            for library in self._reader.read():
                if library.complete or not self.library.complete:
                    self.post_message(LibraryReady(library))
        finally:
            self._reading = False

    @if_mounted
    def on_library_ready(self, message: LibraryReady) -> None:
        if message.library.complete and self._read_again:
            self.action_refresh()
        if message.library == self.library:
            self._details.repaint()  # ages grow
            return
        self.library = message.library
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < NARROW, "narrow")
        self.set_class(event.size.width < TINY, "tiny")
        self.set_class(event.size.height < LOW, "low")
        self.call_after_refresh(self._show)

    @if_mounted
    def _show(self) -> None:
        self.query_one(BrowserTitle).show(self.library)
        self.tree_list.show(self.library)
        self.table.show(self.library, self.node)

    @if_mounted
    def on_run_tree_node_changed(self) -> None:
        self.table.show(self.library, self.node)

    @if_mounted
    def on_checkpoint_table_updated(self) -> None:
        self.query_one(FilterLine).update_border()
        self._show_details()

    def _show_details(self) -> None:
        self._details.show(self.entry, self.library)
        self._show_keys()

    @if_mounted
    def _show_keys(self) -> None:
        """The footer, and above it what can still be taken back."""
        undo = self._undo
        left = undo.until - self._clock() if undo else 0.0
        answer: Line = ()
        if undo and left > 0:
            answer = ((f"{undo.words}: u takes it back, {formatting.remaining(left)}", "warn"),)
        labels = {"delete": "Empty"} if self.node.kind == "trash" else {}
        dimmed = operations.unavailable(self.entry, readonly=self._dependencies.readonly)
        self.query_one(Footer).show(labels, dimmed)
        self.query_one(Answer).say(answer, self.size.width, 1)

    def on_list_view_highlighted(self) -> None:
        """Of the table."""
        self._details.first = 0
        self._show_details()
        self.set_timer(PATIENCE, self._rested)

    @if_mounted
    def _rested(self) -> None:
        entry = self.entry
        if entry is None or not entry.usable or self._queue.busy:
            return
        if self._checks.verdict(entry.path)[0] == "unchecked":
            self._verify([entry])

    @on(ListView.Chosen)
    def action_open(self) -> None:
        if self.focused is self.tree_list:
            self.table.focus()
        elif (entry := self.entry) is not None and entry.run:
            self.post_message(RunOpened(entry.run))

    def action_mark(self) -> None:
        """Folds a run in the tree; marks a state in the table."""
        if self.focused is self.tree_list:
            self.tree_list.fold()
        else:
            self.table.mark()

    def on_key(self, event: events.Key) -> None:
        if event.key in SORTABLE:
            self.table.sort_by(event.key)
            event.stop()

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
        """All that are shown; one that was found damaged by its hashes may have been mended since."""
        entries = self.table.entries
        self._verify([e for e in entries if e.usable or self._checks.verdict(e.path)[0] == "damaged"])

    def _verify(self, entries: list[CheckpointInfo]) -> None:
        if self._queue.put([entry.path for entry in entries]):
            self._read_hashes()

    @work(thread=True, exit_on_error=False)
    def _read_hashes(self) -> None:
        for _ in self._queue.read(lambda: self.is_attached):
            self.post_message(HashesChecked())

    @if_mounted
    def on_hashes_checked(self) -> None:
        self.table.update_rows()
        if any(self._checks.verdict(entry.path)[0] == "gone" for entry in self.table.entries):
            self.action_refresh()

    def action_resume(self) -> None:
        self._attempt(self._resume)

    def _resume(self, entry: CheckpointInfo) -> None:
        if (entry.bytes or 0) > MUCH:
            self.notify("every byte of it is being read …", timeout=2)
        self._plan_resume(entry)

    @work(thread=True, exit_on_error=False)
    def _plan_resume(self, entry: CheckpointInfo) -> None:
        self.post_message(
            StatePlanReady(
                plan_resume(self._data, entry.run, entry if entry.saved else None, entry.title, self._clock())
            )
        )

    @if_mounted
    def on_state_plan_ready(self, message: StatePlanReady) -> None:
        self.app.push_screen(StartDialog(message.plan), self._start)

    def action_fork(self) -> None:
        self._attempt(self._fork)

    def _fork(self, entry: CheckpointInfo) -> None:
        if not entry.usable:
            raise RltuiError(f"nothing can be forked from this: {entry.damage or 'it is in the trash'}")
        self.app.push_screen(ForkScreen(self._data, entry, self._dependencies.checker, self._clock), self._start)

    def _start(self, plan: LaunchPlan | None) -> None:
        if plan is not None:
            launch_plan(self, plan, self._dependencies.launch, self._clock)

    def action_pin(self) -> None:
        self._attempt(lambda entry: self._toggle(entry, "pinned"))

    def action_promote(self) -> None:
        self._attempt(lambda entry: self._toggle(entry, "released"))

    def _toggle(self, entry: CheckpointInfo, flag: operations.Flag) -> None:
        operations.check_can_mark(entry)
        self._operate(lambda: operations.toggle_flag(self._data, entry, flag))

    def action_note(self) -> None:
        self._attempt(
            lambda entry: self._ask(
                operations.note_prompt(entry), lambda text: operations.set_note(self._data, entry, text)
            )
        )

    def action_keep(self) -> None:
        self._attempt(self._keep)

    def _keep(self, entry: CheckpointInfo) -> None:
        operations.check_can_keep(entry)
        self._operate(lambda: operations.keep_checkpoint(self._data, entry))

    def action_export(self) -> None:
        self._attempt(
            lambda entry: self._ask(
                operations.export_prompt(self._data, entry), lambda text: operations.export(self._data, entry, text)
            ),
            writes=False,
        )

    def action_delete(self) -> None:
        """The highlighted state; all that the trash holds, where that is shown."""
        if self.node.kind == "trash":
            if self._may_write():
                self._empty_trash()
        else:
            self._attempt(
                lambda entry: self._ask(
                    operations.deletion_prompt(self._data, entry), lambda _: operations.delete(self._data, entry)
                )
            )

    def _empty_trash(self) -> None:
        trashed = [entry for entry in self.library.entries if entry.deleted is not None]

        def empty(text: str | None) -> None:
            if text:
                self._undo = None
                self._operate(lambda: operations.empty_trash(self._data, trashed))

        try:
            self.app.push_screen(PromptDialog(operations.empty_trash_prompt(trashed)), empty)
        except RltuiError as error:
            self._complain(error)

    def action_undo(self) -> None:
        """A row of the trash comes back; else the newest deletion or keeping is taken back, while it may."""
        if not self._may_write():
            return
        undo, self._undo = self._undo, None
        entry = self.entry
        if entry is not None and entry.deleted is not None:
            self._operate(lambda: operations.restore(self._data, entry))
        elif undo is not None and self._clock() < undo.until:
            self._operate(undo.operation)
        else:
            words = f"nothing was deleted or kept in the last {UNDO_SECONDS:g} s"
            self._complain(RltuiError(words, "Older deletions are under Trash: u on a row puts it back"))

    def action_compare(self) -> None:
        """Says how to choose two where there are not."""
        chosen = to_compare(self.library, self.table.marked, self.entry)
        if len(chosen) == 2:
            comparison, charts = compare(*chosen), self._dependencies.charts
            self.app.push_screen(CompareScreen(self._data, comparison, self._clock, charts))
        else:
            hint = "space marks a row; the highlighted one may be the second"
            self._complain(RltuiError(f"= compares two: {len(chosen)} marked", hint))

    def action_watch(self) -> None:
        try:
            entry = operations.check_can_watch(self.entry)
        except RltuiError as error:
            self._complain(error)
            return
        ascii_only = self._dependencies.charts == "ascii"
        self.post_message(WatchAsked(operations.watch_command(entry, self._data, ascii_only=ascii_only)))

    def _may_write(self) -> bool:
        """Says why not where nothing may be changed."""
        if self._dependencies.readonly:
            hint = "start rltui without --readonly to change anything"
            self._complain(RltuiError("this is a view to look only", hint))
        return not self._dependencies.readonly

    def _attempt(self, act: Callable[[CheckpointInfo], None], *, writes: bool = True) -> None:
        """With the highlighted state; says why not where that cannot be done."""
        if (entry := self.entry) is not None and (not writes or self._may_write()):
            try:
                act(entry)
            except RltuiError as error:
                self._complain(error)

    def _ask(self, prompt: TextPrompt, operation: Callable[[str], Outcome]) -> None:
        """For a text; then the operation with it."""

        def answered(text: str | None) -> None:
            if text is not None:
                self._operate(lambda: operation(text))

        self.app.push_screen(PromptDialog(prompt), answered)

    @work(thread=True, exit_on_error=False)
    def _operate(self, operation: Callable[[], Outcome]) -> None:
        try:
            self.post_message(OperationDone(operation()))
        except RltuiError as error:
            self.post_message(OperationDone(error))
        except Exception as error:  # whatever it was, it belongs on the screen and not into a crash
            self.post_message(OperationDone(RltuiError(f"{type(error).__name__}: {error}")))

    @if_mounted
    def on_operation_done(self, message: OperationDone) -> None:
        outcome = message.outcome
        if isinstance(outcome, RltuiError):
            self._complain(outcome)
        else:
            if outcome.undo is not None:
                self._undo = Undo(outcome.undo_words, self._clock() + UNDO_SECONDS, outcome.undo)
            self.notify(outcome.words, timeout=5)
        self.action_refresh()

    def _complain(self, error: RltuiError) -> None:
        """Say why something is not done."""
        head, _, rest = error.message.partition("\n")
        text = "\n".join(part for part in (rest, error.hint) if part)
        self.notify(text or head, title=head if text else "", severity="warning", timeout=8)
