"""The milestone browser: runs and phases on the left, their saved states as a table, what is known of one below it."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen

from rltui import figures
from rltui.tui.actions import Place, bindings, in_footer
from rltui.tui.browser import shelf_tree, state_table, state_words
from rltui.tui.browser.acts import StateActs, watch_command
from rltui.tui.browser.library import ALL, Entry, Library, Node
from rltui.tui.browser.library_reader import LibraryReader
from rltui.tui.browser.looking import Looking
from rltui.tui.browser.messages import (
    ActDone,
    BrowserLeft,
    LibraryReady,
    RunOpened,
    StartReady,
    WatchAsked,
)
from rltui.tui.browser.pair import compare, to_compare
from rltui.tui.browser.parts import BrowserTitle, StateDetails
from rltui.tui.browser.shown_states import ShownStates
from rltui.tui.browser.stage import Stage
from rltui.tui.browser.state_table import SORTABLE
from rltui.tui.browser.surroundings import Surroundings
from rltui.tui.browser.training_on import TrainingOn
from rltui.tui.browser.verifying import Verifying
from rltui.tui.news import while_there
from rltui.tui.paint import Line
from rltui.tui.screens.compare import CompareScreen
from rltui.tui.widgets.answer import Answer
from rltui.tui.widgets.filter_line import FilterLine
from rltui.tui.widgets.footer import Footer
from rltui.tui.widgets.row_list import RowList
from rltui.tui.widgets.state_list import StateList

REFRESH = 3.0  # seconds between two looks at the disk
PATIENCE = 0.3  # seconds that the cursor rests before a state is read to its last byte
NARROW, TINY, LOW = 100, 60, 16  # columns, columns, rows: what gives way is in app.tcss


class BrowserScreen(Screen[None]):
    """Reads the disk in threads; what they find comes back as messages. Acts themselves are in browser/acts.py."""

    PLACE: ClassVar[Place] = "browser"
    BINDINGS: ClassVar[list[BindingType]] = bindings(PLACE)

    def __init__(self, around: Surroundings) -> None:
        super().__init__()
        self._around, self._clock, self._checks = around, around.clock, around.checks
        self._looking = Looking(self, LibraryReader(around.data))
        self._stage = Stage(self)
        self._training_on, self._verifying = TrainingOn(self, around), Verifying(self, around.checks)
        self._acts = StateActs(around.data, self._stage, around.clock)
        self.library = Library(around.data.root)
        self.node: Node = Node("run", around.run) if around.run else ALL
        self._folded: set[Node] = set()
        self._states = ShownStates(self, around)

    def compose(self) -> ComposeResult:
        yield BrowserTitle()
        with Horizontal(id="browser-body"):
            tree = RowList(name="shelves", classes="pane")
            tree.border_title = "Runs"
            yield tree
            with Vertical(id="browser-right"):
                table = StateList(name="states", classes="pane")
                yield table
                yield FilterLine("state-filter", table, self._states)
                yield StateDetails(self._words)
        yield Footer(in_footer("browser"))
        yield Answer()

    def on_mount(self) -> None:
        self.table.focus()
        self._show()
        self.action_refresh()
        self.set_interval(REFRESH, lambda: self._looking.look() if self.is_active else None)
        self.set_interval(1.0, self._show_footer)

    @property
    def tree_list(self) -> RowList:
        return self.query_one("#shelves", RowList)

    @property
    def table(self) -> StateList:
        return self.query_one("#states", StateList)

    @property
    def shown(self) -> list[Entry]:
        """The table's rows."""
        return self._states.entries

    @property
    def entry(self) -> Entry | None:
        """What the table's cursor stands on."""
        key = self.table.key
        return next((entry for entry in self.shown if entry.path == key), None)

    # Reading

    def action_refresh(self) -> None:
        self._looking.look()

    @while_there
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

    @while_there
    def _show(self) -> None:
        title = self.query_one(BrowserTitle)
        title.library = self.library
        title.repaint()
        width = max(self.tree_list.size.width, 20)
        self.tree_list.set_rows(shelf_tree.rows(self.library, frozenset(self._folded), width), self.node)
        self.show_table()

    def show_table(self) -> None:
        """The table, and what is known of the state under its cursor."""
        self._states.show()
        self.query_one(FilterLine).tell()
        self._show_details()

    def _show_details(self) -> None:
        details, entry = self.query_one(StateDetails), self.entry
        details.border_title = Content(state_words.title(entry))
        details.repaint()
        self._show_footer()

    def _words(self, width: int) -> list[Line]:
        entry = self.entry
        verdict = self._checks.verdict(entry.path) if entry else ("unchecked", "")
        return state_words.lines(entry, self.library, verdict, self._clock(), width)

    @while_there
    def _show_footer(self) -> None:
        entry, undo = self.entry, self._acts.undoable
        left = undo.until - self._clock() if undo else 0.0
        answer: Line = (
            ((f"{undo.words}: u takes it back, {figures.remaining(left)}", "warn"),) if undo and left > 0 else ()
        )
        labels = {"delete": "Empty"} if self.node.kind == "trash" else {}
        dimmed = state_words.unusable(entry, readonly=self._around.readonly)
        self.query_one(Footer).show(labels, dimmed)
        self.query_one(Answer).say(answer, self.size.width, 1)

    # Moving

    def on_row_list_highlighted(self, message: RowList.Highlighted) -> None:
        if isinstance(message.key, Node):
            there = any(row.key == self.node for row in self.tree_list.rows)
            soon = not self.library.complete and not there  # the one asked for is to come
            stale = message.key != self.tree_list.key
            if message.key != self.node and not soon and not stale:
                self.node = message.key
                self.table.first = self.table.cursor = 0
                self.show_table()
            return
        self.query_one(StateDetails).first = 0
        self._show_details()
        self.set_timer(PATIENCE, self._rested)

    @while_there
    def _rested(self) -> None:
        self._verifying.check_rested(self.entry)

    @on(RowList.Chosen)
    def action_open(self) -> None:
        if self.focused is self.tree_list:
            self.table.focus()
        elif (entry := self.entry) is not None and entry.run:
            self.post_message(RunOpened(entry.run))

    def action_mark(self) -> None:
        if self.focused is self.tree_list:
            node = self.tree_list.key
            if isinstance(node, Node) and node.kind == "run":
                self._folded ^= {node}
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

    def on_state_list_sorted(self, message: StateList.Sorted) -> None:
        key = state_table.key_at(self.table.head, message.x)
        if key:
            self._sort(key)

    def action_filter(self) -> None:
        self.query_one(FilterLine).open()

    def action_back(self) -> None:
        """The filter first; then to where the browser was opened from."""
        if not self.query_one(FilterLine).drop():
            self.post_message(BrowserLeft())

    def action_leave(self) -> None:
        self.app.exit()

    def action_verify(self) -> None:
        self._verifying.verify([entry for entry in self.shown if entry.usable])

    @while_there
    def on_hashes_checked(self) -> None:
        self.show_table()
        if any(self._checks.verdict(entry.path)[0] == "gone" for entry in self.shown):
            self.action_refresh()

    # Training on

    def _may_act(self) -> bool:
        if self._around.readonly:
            self._stage.complain("this is a view to look only", "start rltui without --readonly to change anything")
        return not self._around.readonly

    def action_resume(self) -> None:
        if (entry := self.entry) is not None and self._may_act():
            self._training_on.resume(entry)

    @while_there
    def on_start_ready(self, message: StartReady) -> None:
        self._training_on.ask(message)

    def action_fork(self) -> None:
        entry = self.entry
        if entry is None or not self._may_act():
            return
        if entry.usable:
            self._training_on.fork(entry)
        else:
            self._stage.complain(f"nothing can be forked from this: {entry.reason or 'it is in the trash'}")

    # Acts

    def action_pin(self) -> None:
        self._act(self._acts.pin)

    def action_note(self) -> None:
        self._act(self._acts.note)

    def action_promote(self) -> None:
        self._act(self._acts.promote)

    def action_keep(self) -> None:
        self._act(self._acts.keep)

    def action_delete(self) -> None:
        if self.node.kind == "trash":
            if self._may_act():
                self._acts.empty(self.library)
        else:
            self._act(self._acts.delete)

    def action_undo(self) -> None:
        if self._may_act():
            self._acts.undo(self.entry)

    def action_export(self) -> None:
        if (entry := self.entry) is not None:
            self._acts.export(entry)

    def _act(self, act: Callable[[Entry], None]) -> None:
        if (entry := self.entry) is not None and self._may_act():
            act(entry)

    def action_compare(self) -> None:
        chosen = to_compare(self.library, self._states.marked, self.entry)
        if len(chosen) != 2:
            self._stage.complain(
                f"= compares two: {len(chosen)} marked", "space marks a row; the highlighted one may be the second"
            )
            return
        self.app.push_screen(CompareScreen(self._around.data, compare(*chosen), self._clock, self._around.charts))

    def action_watch(self) -> None:
        entry = self.entry
        if entry is None or not entry.usable:
            self._stage.complain("only a complete state can be watched")
            return
        self.post_message(WatchAsked(watch_command(entry, self._around.data, ascii_only=self._around.ascii_only)))

    @while_there
    def on_act_done(self, message: ActDone) -> None:
        if message.error is not None:
            self._stage.complain(message.error.message, message.error.hint)
        else:
            self.notify(message.words, timeout=5)
        self.action_refresh()
