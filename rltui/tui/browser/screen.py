"""Milestone browser: tree of runs, table of saved states, details of the highlighted one, and what its keys do."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import Screen
from textual.worker import get_current_worker

from rltui import formatting
from rltui.errors import RltuiError
from rltui.runs.inventory import CheckpointInfo
from rltui.runs.launch_plan import LaunchPlan
from rltui.runs.paths import DataDir
from rltui.tui.actions import Place, bindings, in_footer
from rltui.tui.ascii import ChartStyle
from rltui.tui.background import if_mounted
from rltui.tui.browser import evaluate, operations
from rltui.tui.browser.compare import CompareScreen, compare, to_compare
from rltui.tui.browser.details import BrowserTitle, CheckpointDetails
from rltui.tui.browser.evaluate import EvaluationRunner
from rltui.tui.browser.fork import ForkScreen
from rltui.tui.browser.library import ALL, HashChecks, Library, LibraryReader, LibraryReady, RunNode
from rltui.tui.browser.operations import UNDO_SECONDS, Outcome
from rltui.tui.browser.table import SORTABLE, CheckpointTable
from rltui.tui.browser.tree import RunTree
from rltui.tui.checks.results import ProfileChecker
from rltui.tui.dependencies import Launch
from rltui.tui.launcher.plan import PlanReady, plan_state
from rltui.tui.launcher.start import start_dialog, start_trainer
from rltui.tui.messages import BrowserLeft, Refused, RunOpened, WatchAsked, unforeseen
from rltui.tui.text import Line
from rltui.tui.widgets.compositor import PlacedCompositor
from rltui.tui.widgets.dialogs import ChoiceDialog, PromptDialog
from rltui.tui.widgets.filter_bar import FilterBar, clear_filter
from rltui.tui.widgets.footer import Answer, Footer
from rltui.tui.widgets.list_view import ListView

REFRESH = 3.0  # seconds between two looks at the disk
NARROW, TINY, LOW = 100, 60, 16  # columns, columns, rows: what gives way is in app.tcss
MUCH = 50e6  # bytes: reading them takes a while that should be explained


@dataclass(frozen=True)
class BrowserDependencies:
    """run: whose states to begin with. readonly: look only. charts: how they are drawn."""

    data: DataDir
    launch: Launch
    checker: ProfileChecker
    evaluations: EvaluationRunner
    clock: Callable[[], float] = time.time
    run: str = ""
    state: Path | None = None  # to begin at
    readonly: bool = False
    charts: ChartStyle = "braille"


class OperationDone(Message):
    """A thread has done something with a saved state, or could not."""

    def __init__(self, outcome: Outcome | RltuiError) -> None:
        super().__init__()
        self.outcome = outcome


class HashesChecked(Message):
    """The hashes of another saved state have been compared."""


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
        self._compositor = PlacedCompositor()
        self._dependencies = dependencies
        self._data, self._clock, self._checks = dependencies.data, dependencies.clock, HashChecks()
        self._evaluations = dependencies.evaluations
        self._reader = LibraryReader(self._data)
        self._reading = self._read_again = False
        self._undo: Undo | None = None
        self._restored: Path | None = None  # what the cursor goes to once the library has it
        self.library = Library(self._data.root)
        self.tree_list = RunTree(self.library, RunNode("run", dependencies.run) if dependencies.run else ALL)
        node, state = self.tree_list.node, dependencies.state
        self.table = CheckpointTable(self._checks, self._clock, self.library, node, state)
        self._details = CheckpointDetails(self._clock, self.library)

    def compose(self) -> ComposeResult:
        yield BrowserTitle()
        with Horizontal(id="browser-body"):
            yield self.tree_list
            with Vertical(id="browser-right"):
                yield self.table
                yield self._details
        yield Answer()
        yield Footer(in_footer("browser"))
        yield FilterBar()

    def on_mount(self) -> None:
        self.table.focus()
        self._show()
        self._refresh()
        self.set_interval(REFRESH, lambda: self._refresh() if self.is_active else None)
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
        self._refresh()
        self.notify("Read again from disk.", timeout=2)

    def _refresh(self) -> None:
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
            self._refresh()
        if message.library == self.library:
            self._details.repaint()  # ages grow
            return
        self.library = message.library
        self._show()
        self._follow_restored()

    def _follow_restored(self) -> None:
        """The cursor to what has come back; the trash stays in view as long as it holds more."""
        entry = self.library.entry(self._restored) if self._restored else None
        if entry is None:
            return
        self._restored = None
        if self.node.kind != "trash" and not self.node.holds(entry):
            self.tree_list.choose(RunNode("run", entry.run))
        self._show()
        if self.node.holds(entry):
            self.table.reveal(entry.path)

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
        self._show_details()

    def _show_details(self) -> None:
        entry = self.entry
        self._details.show(entry, self.library, entry is not None and entry.path in self.table.sound)
        self._show_keys()

    @if_mounted
    def _show_keys(self) -> None:
        """The footer, and in a row of its own above it what can still be taken back, or the games that are being played."""
        undo = self._undo
        left = undo.until - self._clock() if undo else 0.0
        answer: Line = ()
        if undo and left > 0:
            answer = ((f"{undo.words}: u takes it back, {formatting.remaining(left)}", "warn"),)
        elif self._evaluations.running and (played := self._evaluations.state) is not None:
            answer = ((f"▶ {played.progress}", "good"), (" · E ends it", "muted"))
        labels = {"delete": "Empty"} if self.node.kind == "trash" else {}
        dimmed = operations.unavailable(self.entry, readonly=self._dependencies.readonly)
        self.query_one(Footer).show(labels, dimmed)
        self.query_one(Answer).say(answer, self.size.width, 0)

    def on_list_view_highlighted(self) -> None:
        """Of the table."""
        self._details.first = 0
        self._show_details()

    @on(ListView.Chosen)
    async def _row_chosen(self) -> None:
        await self.run_action("open")

    def action_open(self) -> None:
        if self.focused is self.tree_list:
            self.table.focus()
        elif run := self._highlighted().run:
            self.post_message(RunOpened(run))
        else:
            raise RltuiError("it belongs to no run")

    def action_mark(self) -> None:
        """Folds a run in the tree; selects a state in the table."""
        if self.focused is self.tree_list:
            if not self.tree_list.fold():
                raise RltuiError("only a run opens and closes")
        elif not self.table.mark():
            raise RltuiError("only a whole saved state can be compared")

    def on_key(self, event: events.Key) -> None:
        if event.key in SORTABLE:
            self.table.sort_by(event.key)
            event.stop()

    def action_filter(self) -> None:
        self.query_one(FilterBar).open(self.table, self.table)

    def action_back(self) -> None:
        """The filter first; then to where the browser was opened from."""
        if not clear_filter(self.table):
            self.action_leave()

    def action_leave(self) -> None:
        """As a form is left: the program ends from the launcher, or the cockpit, which asks."""
        self.post_message(BrowserLeft())

    def action_verify(self) -> None:
        """All that are shown; one that was found damaged may have been mended since."""
        paths = [entry.path for entry in self.table.entries if entry.saved]
        if not paths:
            raise RltuiError("the table shows no saved state to read")
        self._read_hashes(paths)
        self.notify(f"Reading {formatting.plural(len(paths), 'saved state')}.", timeout=2)

    @work(thread=True, exclusive=True, group="hashes", exit_on_error=False)
    def _read_hashes(self, paths: Sequence[Path]) -> None:
        worker = get_current_worker()
        for path in paths:
            if worker.is_cancelled:  # asked for anew, or the browser is left
                break
            self._checks.check(path)
            self.post_message(HashesChecked())

    @if_mounted
    def on_hashes_checked(self) -> None:
        self.table.update_rows()

    def action_resume(self) -> None:
        self._attempt(self._resume)

    def _resume(self, entry: CheckpointInfo) -> None:
        if not entry.saved:
            raise RltuiError("training can go on from a milestone or a checkpoint only")
        if (entry.bytes or 0) > MUCH:
            self.notify("every byte of it is being read …", timeout=2)
        self._plan_resume(entry)

    @work(thread=True, exit_on_error=False)
    def _plan_resume(self, entry: CheckpointInfo) -> None:
        self.post_message(PlanReady(plan_state(self._data, entry.run, entry.path, self._clock())))

    @if_mounted
    def on_plan_ready(self, message: PlanReady) -> None:
        plan = message.plan
        if isinstance(plan, LaunchPlan) and plan.kind == "branch":
            self._start(plan)  # which asks for its name
        else:
            self.app.push_screen(start_dialog(plan), self._start)

    def action_fork(self) -> None:
        self._attempt(self._fork)

    def _fork(self, entry: CheckpointInfo) -> None:
        if not entry.usable:
            raise RltuiError(f"nothing can be forked from this: {entry.damage or 'it is in the trash'}")
        self.app.push_screen(ForkScreen(self._data, entry, self._dependencies.checker, self._clock), self._start)

    def _start(self, plan: LaunchPlan | None) -> None:
        if plan is not None:
            start_trainer(self, self._data, plan, self._dependencies.launch, self._clock)

    def action_marks(self) -> None:
        """Which of a milestone's marks to change."""
        self._attempt(self._choose_mark)

    def _choose_mark(self, entry: CheckpointInfo) -> None:
        acts = {"note": self.action_note, "pin": self.action_pin, "promote": self.action_promote}

        def answered(chosen: str | None) -> None:
            """At once: what is typed next goes into the note."""
            try:
                acts.get(chosen or "", lambda: None)()
            except RltuiError as error:  # it has gone meanwhile
                self.post_message(Refused(error))

        self.app.push_screen(operations.marks_dialog(entry), answered)

    def action_pin(self) -> None:
        self._attempt(partial(self._operate_on, partial(operations.toggle_flag, flag="pinned")))

    def action_promote(self) -> None:
        self._attempt(partial(self._operate_on, partial(operations.toggle_flag, flag="released")))

    def action_note(self) -> None:
        self._attempt(partial(self._ask, operations.note_prompt, operations.set_note))

    def action_keep(self) -> None:
        self._attempt(partial(self._operate_on, operations.keep_checkpoint))

    def action_export(self) -> None:
        self._attempt(partial(self._ask, operations.export_prompt, operations.export), writes=False)

    def action_delete(self) -> None:
        """The highlighted state; all that the trash holds, where that is shown."""
        if self.node.kind != "trash":
            self._attempt(partial(self._ask, operations.deletion_prompt, operations.delete))
        else:
            self._check_may_write()
            self._empty_trash()

    def _empty_trash(self) -> None:
        trashed = [entry for entry in self.library.entries if entry.deleted is not None]

        def empty(text: str | None) -> None:
            if text:
                self._undo = None
                self._operate(lambda: operations.empty_trash(self._data, trashed))

        self.app.push_screen(operations.empty_trash_prompt(trashed), empty)

    def action_undo(self) -> None:
        """A row of the trash comes back; else the newest deletion or keeping is taken back, while it may."""
        self._check_may_write()
        undo, self._undo = self._undo, None
        entry = self.entry
        if entry is not None and entry.deleted is not None:
            self._operate_on(operations.restore, entry)
        elif undo is not None and self._clock() < undo.until:
            self._operate(undo.operation)
        else:
            words = f"nothing was deleted or kept in the last {UNDO_SECONDS:g} s"
            raise RltuiError(words, "Older deletions are under Trash: u on a row puts it back")

    def action_compare(self) -> None:
        """Says how to choose two where there are not."""
        chosen = to_compare(self.library, self.table.marked, self.entry)
        if len(chosen) != 2:
            hint = "space selects a row; the highlighted one may be the second"
            raise RltuiError(f"two are compared: {len(chosen)} selected", hint)
        comparison, charts = compare(*chosen), self._dependencies.charts
        self.app.push_screen(CompareScreen(self._data, comparison, self._clock, charts))

    def action_evaluate(self) -> None:
        """Of games under way, whether to end them."""
        if self._evaluations.running:
            self._ask_to_end()
        else:
            self._attempt(self._choose_opponent)

    def _ask_to_end(self) -> None:
        def answered(ends: bool | None) -> None:
            if ends:
                self._evaluations.finish()

        choices = [("g", False, "Go on"), ("e", True, "End it: finished games are kept")]
        self.app.push_screen(ChoiceDialog("Games are being played", choices), answered)

    def _choose_opponent(self, entry: CheckpointInfo) -> None:
        def chosen(opponent: str | None) -> None:
            if opponent is None:
                return
            state = self.library.entry(Path(opponent))
            words = state.title if state is not None else opponent

            def counted(games: str | None) -> None:
                if games is not None:
                    command = evaluate.command(entry, opponent, games, self._data.root)
                    self._evaluate(command, entry.title, words)

            self.app.push_screen(evaluate.games_prompt(entry, words), counted)

        self.app.push_screen(evaluate.opponents(self.library, entry), chosen)

    def _evaluate(self, command: Sequence[str], a: str, b: str) -> None:
        try:
            self._evaluations.begin(command, a, b)
        except RltuiError as error:
            self.post_message(Refused(error))
        self._show_keys()

    def action_watch(self) -> None:
        ascii_only = self._dependencies.charts == "ascii"
        self.post_message(WatchAsked(operations.watch_command(self.entry, self._data, ascii_only=ascii_only)))

    def _check_may_write(self) -> None:
        if self._dependencies.readonly:
            raise RltuiError("this is a view to look only", "start rltui without --readonly to change anything")

    def _highlighted(self) -> CheckpointInfo:
        if (entry := self.entry) is None:
            raise RltuiError("no saved state is highlighted")
        return entry

    def _attempt(self, act: Callable[[CheckpointInfo], None], *, writes: bool = True) -> None:
        """With the highlighted state."""
        entry = self._highlighted()
        if writes:
            self._check_may_write()
        act(entry)

    def _ask(
        self,
        prompt: Callable[[DataDir, CheckpointInfo], PromptDialog],
        operation: Callable[[DataDir, CheckpointInfo, str], Outcome],
        entry: CheckpointInfo,
    ) -> None:
        """For a text; then the operation with it."""

        def answered(text: str | None) -> None:
            if text is not None:
                self._operate(lambda: operation(self._data, entry, text))

        self.app.push_screen(prompt(self._data, entry), answered)

    def _operate_on(self, operation: Callable[[DataDir, CheckpointInfo], Outcome], entry: CheckpointInfo) -> None:
        self._operate(lambda: operation(self._data, entry))

    @work(thread=True, exit_on_error=False)
    def _operate(self, operation: Callable[[], Outcome]) -> None:
        try:
            self.post_message(OperationDone(operation()))
        except RltuiError as error:
            self.post_message(OperationDone(error))
        except Exception as error:  # whatever it was, it belongs on the screen and not into a crash
            self.post_message(OperationDone(RltuiError(unforeseen(self.app)(error))))

    @if_mounted
    def on_operation_done(self, message: OperationDone) -> None:
        outcome = message.outcome
        if isinstance(outcome, RltuiError):
            self.post_message(Refused(outcome))
        else:
            if outcome.undo is not None:
                self._undo = Undo(outcome.words, self._clock() + UNDO_SECONDS, outcome.undo)
            elif outcome.words:
                self.notify(outcome.words, timeout=5)
            self._restored = outcome.restored or self._restored
            self._follow_restored()
            self._show_keys()
        self._refresh()
