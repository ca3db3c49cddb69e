"""LauncherScreen; disk reader; edit and compare."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen

from rltui import formatting
from rltui.errors import RltuiError
from rltui.runs.paths import DataDir
from rltui.tui.actions import Place, bindings, in_footer
from rltui.tui.background import if_mounted
from rltui.tui.checks.doctor import Preflight
from rltui.tui.checks.results import ABSENT, KeyChange, ProfileChecker
from rltui.tui.dependencies import Launch, LauncherDependencies, free_megabytes
from rltui.tui.launcher import details as offer_words
from rltui.tui.launcher.catalog import Catalog, CatalogReader, CatalogReady, ProfileEntry
from rltui.tui.launcher.check_lines import PlanContext
from rltui.tui.launcher.details import LauncherDetails, LauncherTitle
from rltui.tui.launcher.plan import LaunchPlan, LaunchPlanReady, Offering
from rltui.tui.launcher.preflight import Examining, PreflightNews
from rltui.tui.launcher.speed import Estimate
from rltui.tui.launcher.start import Starting
from rltui.tui.launcher.tree import FIRST_PROFILE, HEADINGS, Item, ShownTree, profile_at
from rltui.tui.messages import BrowserAsked, RunOpened
from rltui.tui.notifications import exit_message
from rltui.tui.text import Line
from rltui.tui.widgets.dialogs import DiffDialog
from rltui.tui.widgets.drawn_places import DrawnCompositor
from rltui.tui.widgets.filter_bar import FilterLine
from rltui.tui.widgets.footer import Footer
from rltui.tui.widgets.list_view import ListView

if TYPE_CHECKING:
    from rltui.supervise.launch import LaunchedTrainer


class Reading:
    """Tells the screen by CatalogReady, whenever more is known."""

    def __init__(self, screen: LauncherScreen, reader: CatalogReader) -> None:
        self._screen, self._reader = screen, reader
        self._busy = False

    def look(self) -> None:
        """Once more, unless a look is under way."""
        if not self._busy:
            self._busy = True
            self._screen.run_worker(self._read, thread=True, exit_on_error=False)

    def _read(self) -> None:
        """In a thread: everything that is quick first, then what has to be judged."""
        screen = self._screen
        try:
            catalog = self._reader.read()
            screen.post_message(CatalogReady(catalog))
            while screen.is_running and (more := self._reader.read_further()) is not None:
                screen.post_message(CatalogReady(catalog := more))
            while screen.is_running and (path := self._next_to_judge(catalog)) is not None:
                catalog = self._reader.check_one(path)
                screen.post_message(CatalogReady(catalog))
        finally:
            self._busy = False

    def _next_to_judge(self, catalog: Catalog) -> Path | None:
        """The profile under the cursor first; None where all are judged."""
        open_ones = [profile.path for profile in catalog.profiles if profile.check is None]
        shown = self._screen.details.item
        if shown is None:  # where the cursor will start
            wanted = [path for path in open_ones if path.stem == FIRST_PROFILE]
        else:
            wanted = [path for path in open_ones if str(path) == shown.name]
        return next(iter([*wanted, *open_ones]), None)


class Editing:
    """wanted: a profile just written, to which the cursor goes. compared: the first of two profiles."""

    def __init__(self, screen: LauncherScreen, tools: LauncherDependencies) -> None:
        self._screen, self._tools = screen, tools
        self.wanted: Path | None = None
        self.compared: Path | None = None

    def edit(self) -> None:
        """The profile's form."""
        from rltui.tui.form.screen import FormScreen
        from rltui.tui.form.session import EditSession  # not needed before the first picture

        entry = self._screen.profile_here("e", "edits")
        if entry is None:
            return
        try:
            session = EditSession.open(entry.path, entry.shipped)
        except RltuiError as error:
            self._screen.notify(error.message, severity="error")
            return
        self._screen.app.push_screen(FormScreen(session, self._tools.reference, self._tools.texts), self._edited)

    def compare(self) -> None:
        """The first time chooses one side, the second shows the differences."""
        entry = self._screen.profile_here("=", "compares")
        if entry is None:
            return
        if self.compared in (None, entry.path):
            self.compared = entry.path
            words = "go to another profile and press = again; esc gives up"
            self._screen.notify(words, title=f"{entry.name} is one side")
            return
        left, self.compared = self.compared, None
        assert left is not None
        self._screen.run_worker(lambda: self._compare(left, entry.path), thread=True, exit_on_error=False)

    def give_up(self) -> bool:
        """Compare no more; False where nothing was to be compared."""
        given_up, self.compared = self.compared is not None, None
        if given_up:
            self._screen.notify("nothing is compared")
        return given_up

    def _edited(self, path: Path | None) -> None:
        self.wanted = path
        self._screen.action_refresh()

    def _compare(self, left: Path, right: Path) -> None:
        """In a thread."""
        app = self._screen.app
        try:
            found = self._tools.differences(left, right)
        except (OSError, ValueError) as error:
            app.call_from_thread(self._screen.notify, str(error), title="cannot be compared", severity="error")
        else:
            app.call_from_thread(self._show_differences, left.stem, right.stem, found)

    def _show_differences(self, left: str, right: str, found: list[KeyChange]) -> None:
        lines: list[str] = []
        for change in found:
            left_text, right_text = (ABSENT if text is None else text for text in (change.left, change.right))
            lines += [f"  {change.key}", f"- {left_text}", f"+ {right_text}"]
        head = [(f"{formatting.plural(len(found), 'difference')}, defaults included: - {left}, + {right}", "muted")]
        self._screen.app.push_screen(DiffDialog(f"{left} and {right}", head, lines, asks=False))


REFRESH = 2.0  # seconds between two looks at the disk
PATIENCE = 0.15  # seconds that the cursor rests before checkpoints are read for it
ENTER = {"profile": "Launch", "run": "Open", "milestone": "Branch off…", "section": "Fold", "group": "Fold"}
OFFERED = {"open": "Open", "resume": "Resume"}  # what enter does on a profile, where it begins no run


class LauncherScreen(Screen[None]):
    """Reads the disk in threads of its own; what they find comes back as messages."""

    PLACE: ClassVar[Place] = "launcher"
    BINDINGS: ClassVar[list[BindingType]] = bindings(PLACE)

    def __init__(
        self,
        data: DataDir,
        launch: Launch,
        checker: ProfileChecker,
        clock: Callable[[], float] = time.time,
        free_memory: Callable[[], float | None] = free_megabytes,
        tools: LauncherDependencies | None = None,
    ) -> None:
        super().__init__()
        self._compositor = DrawnCompositor()
        self._clock, self._free_memory = clock, free_memory
        self._reading = Reading(self, CatalogReader(data, checker))
        self.catalog: Catalog | None = None
        tools = tools or LauncherDependencies()
        self.offering = Offering(self, data, clock)
        self._starting = Starting(self, data, launch, clock)
        self._examining = Examining(self, data, tools, clock)
        self._editing = Editing(self, tools)
        self._tree = ShownTree(self, self._editing)

    def compose(self) -> ComposeResult:
        yield LauncherTitle()
        with Horizontal(id="launcher-body"):
            tree = ListView(name="tree", classes="pane")
            tree.border_title = "What to train"
            yield tree
            yield LauncherDetails(self._words)
        yield FilterLine("launcher-filter", tree, self._tree)
        yield Footer(in_footer("launcher"))

    def on_mount(self) -> None:
        self.tree_list.focus()
        self._reading.look()
        self.set_interval(REFRESH, lambda: self._reading.look() if self.is_active else None)
        self._show_footer()

    def on_screen_resume(self) -> None:
        self._reading.look()

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_rows)

    def on_unmount(self) -> None:
        self._examining.end()

    @property
    def tree_list(self) -> ListView:
        return self._tree.list

    @property
    def details(self) -> LauncherDetails:
        return self.query_one(LauncherDetails)

    @property
    def item(self) -> Item | None:
        """What the cursor stands on."""
        return self._tree.item

    # What there is

    def action_refresh(self) -> None:
        self._reading.look()
        self._examining.anew()

    @if_mounted
    def on_catalog_ready(self, message: CatalogReady) -> None:
        if message.catalog == self.catalog:
            self.details.repaint()  # ages grow
            return
        self.catalog = message.catalog
        self._tree.renewed(message.catalog)
        self._examining.moved()
        title = self.query_one(LauncherTitle)
        title.catalog = message.catalog
        title.repaint()
        self._show_rows()

    @if_mounted
    def _show_rows(self) -> None:
        self._tree.show()

    # What enter would do

    def on_list_view_highlighted(self, message: ListView.Highlighted) -> None:
        if message.key != self.offering.impatient:
            self.offering.impatient = None
        self.details.about(self.item)
        self._show_footer()
        self.set_timer(PATIENCE, self.offering.ask)
        self._examining.moved()

    @if_mounted
    def on_launch_plan_ready(self, message: LaunchPlanReady) -> None:
        waited_for = self.offering.arrived(message)
        if message.item == self.item:
            self.details.repaint()
            self._show_footer()
        if waited_for is not None:
            self._start(waited_for)

    @if_mounted
    def on_preflight_news(self, message: PreflightNews) -> None:
        self._examining.heard(message.preflight)

    def preflight_of(self, item: Item | None) -> tuple[Preflight | None, Estimate | None]:
        """What is known now of what the cursor stands on."""
        return self._examining.known_of(item)

    def _words(self, width: int) -> list[Line]:
        if self.catalog is None:
            return []
        preflight, estimate = self.preflight_of(self.item)
        moment = PlanContext(self._clock(), self.offering.present, self._free_memory(), preflight, estimate)
        return offer_words.lines(self.item, self.catalog, moment, width)

    # What is done

    def profile_here(self, key: str, does: str) -> ProfileEntry | None:
        """The profile that the cursor stands on; where it is none, what the key is for is told."""
        entry = profile_at(self.catalog, self.item)
        if entry is None:
            self.notify(f"{key} {does} a profile: choose one under Profiles", severity="warning")
        return entry

    def valid_profile(self) -> ProfileEntry | None:
        """The profile that the cursor stands on, if it can be trained."""
        entry = profile_at(self.catalog, self.item)
        return entry if entry is not None and entry.check is not None and entry.check.valid else None

    def open_run(self, run: str, trainer: LaunchedTrainer | None = None) -> None:
        """In the cockpit. trainer: the one just launched for it, if so."""
        self.post_message(RunOpened(run, trainer))

    @on(ListView.Chosen)
    def action_launch(self) -> None:
        item = self.item
        if item is None:
            return
        if item.kind in HEADINGS:
            self.action_fold()
        elif item.kind == "run":
            self.open_run(item.name)
        else:
            self._start(self.offering.present)

    def action_resume(self) -> None:
        run = self.catalog.run(self.item.name) if self.catalog and self.item and self.item.kind == "run" else None
        if run is None:
            self.notify("R goes on with a run: choose one under Runs", severity="warning")
        elif run.state == "training":
            self.notify(f"{run.name} is training: enter shows it", severity="warning")
        else:
            self._start(self.offering.present)

    def action_new(self) -> None:
        if self.profile_here("n", "starts a new run of") is not None and (item := self.item) is not None:
            self._starting.start_new(item)

    def _start(self, offer: LaunchPlan | None) -> None:
        """Without an offer, its answer is on its way: what was asked for starts when it is there."""
        self.offering.impatient = None if offer is not None else self.item
        if offer is None:
            self.offering.ask()
        else:
            self._starting.start(offer)

    def action_force(self) -> None:
        self._starting.force()

    def action_edit(self) -> None:
        self._editing.edit()

    def action_compare(self) -> None:
        self._editing.compare()

    def action_fold(self) -> None:
        self._tree.fold()

    def action_browser(self) -> None:
        """With what is highlighted, where it is a run or something of one."""
        item = self.item
        found = self.catalog.milestone(item.name) if self.catalog and item and item.kind == "milestone" else None
        run = found[0].name if found else item.name.partition("/")[0] if item and item.kind in ("run", "group") else ""
        self.post_message(BrowserAsked(run, str(found[1].path) if found else ""))

    def action_leave(self) -> None:
        """Nothing is asked: no run is looked at here. What goes on is told where the program was started."""
        self.app.exit(exit_message([run.name for run in self.catalog.training] if self.catalog else []))

    # The filter

    @property
    def filter_line(self) -> FilterLine:
        return self.query_one(FilterLine)

    def action_filter(self) -> None:
        """A line under the list."""
        self.filter_line.open()

    def action_back(self) -> None:
        """The filter first; then what was to be compared."""
        if not self.filter_line.drop():
            self._editing.give_up()

    def _show_footer(self) -> None:
        item, offer = self.item, self.offering.present
        kind = item.kind if item else "section"
        labels = {
            "launch": OFFERED.get(offer.kind, ENTER[kind]) if offer is not None and kind == "profile" else ENTER[kind]
        }
        run = self.catalog.run(item.name) if self.catalog and item and kind == "run" else None
        dimmed = {"resume"} if run is None or run.state == "training" else set()
        dimmed |= {"new", "edit", "compare"} if kind != "profile" else set()
        labels |= {"resume": "Resume"} if "resume" not in dimmed else {}  # what belongs to the moment is shown first
        self.query_one(Footer).show(labels, frozenset(dimmed))
