"""LauncherScreen: chooses what to train, resume, open, edit or compare."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.worker import Worker

from rltui import formatting
from rltui.errors import RltuiError
from rltui.profile.changes import ABSENT, KeyChange
from rltui.runs.launch_plan import LaunchPlan
from rltui.runs.paths import DataDir
from rltui.tui.actions import Place, bindings, in_footer, key_name
from rltui.tui.background import if_mounted
from rltui.tui.dependencies import Dependencies, Launch
from rltui.tui.keymap import meaning_elsewhere
from rltui.tui.launcher.catalog import Catalog, CatalogReader, CatalogReady, ProfileEntry
from rltui.tui.launcher.details import LauncherDetails, LauncherTitle
from rltui.tui.launcher.plan import PLANNED, OpenRun, Plan, PlanReady, Refusal, offered, plan_item, plan_stamp
from rltui.tui.launcher.start import force_dialog, nothing_fits_dialog, start_dialog, start_trainer
from rltui.tui.launcher.tree import FIRST_PROFILE, HEADINGS, CatalogTree, Item, profile_at
from rltui.tui.messages import BrowserAsked, Refused, RunOpened
from rltui.tui.notifications import exit_message
from rltui.tui.widgets.compositor import PlacedCompositor
from rltui.tui.widgets.dialogs import TextDialog, diff_lines
from rltui.tui.widgets.filter_bar import FilterBar, clear_filter
from rltui.tui.widgets.footer import Footer
from rltui.tui.widgets.list_view import ListView

REFRESH = 2.0  # seconds between two looks at the disk
PATIENCE = 0.15  # seconds that the cursor rests before checkpoints are read for it
ENTER = {"profile": "Launch", "run": "Open", "milestone": "Branch off…", "section": "Fold", "group": "Fold"}
ELSEWHERE = {  # where the keys of other screens act
    "cockpit": "an open run: ",
    "browser": "the browser: b opens it",
    "form": "a profile's form: e opens it there",
}


class LauncherScreen(Screen[None]):
    """Reads the disk in threads; what they find comes back as messages."""

    PLACE: ClassVar[Place] = "launcher"
    BINDINGS: ClassVar[list[BindingType]] = bindings(PLACE)

    def __init__(self, data: DataDir, launch: Launch, dependencies: Dependencies) -> None:
        super().__init__()
        self._compositor = PlacedCompositor()
        self._data, self._launch = data, launch
        self._clock, self._tools = dependencies.clock, dependencies.tools
        self._reader = CatalogReader(data, dependencies.checker)
        self._reading: Worker[None] | None = None
        self.catalog: Catalog | None = None
        self._newest_plan: PlanReady | None = None
        self._asked: tuple[Item, object] | None = None  # for whose plan a thread was started last, and its stamp
        self._starts_when_planned: Item | None = None  # enter was pressed on it before its plan was there
        self._compared: Path | None = None  # the first of two profiles
        self.tree_list = CatalogTree()
        self.details = LauncherDetails(data, self._tools, self._clock)

    def compose(self) -> ComposeResult:
        yield LauncherTitle()
        with Horizontal(id="launcher-body"):
            yield self.tree_list
            yield self.details
        yield Footer(in_footer("launcher"))
        yield FilterBar()

    def on_mount(self) -> None:
        self.tree_list.focus()
        self._read()
        self.set_interval(REFRESH, lambda: self._read() if self.is_active else None)
        self._show_footer()

    def on_screen_resume(self) -> None:
        self._read()
        self._show_rows()
        self._show_details()

    def go_to_run(self, run: str) -> None:
        """The cursor, once it is listed."""
        self.tree_list.wanted = Item("run", run)

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_rows)

    @property
    def item(self) -> Item | None:
        """What the cursor stands on."""
        return self.tree_list.item if self.tree_list.is_attached else None

    def _read(self) -> None:
        """Once more, unless a thread does so already."""
        if self._reading is None or self._reading.is_finished:
            self._reading = self._read_disk()

    @work(thread=True, group="catalog", exit_on_error=False)
    def _read_disk(self) -> None:
        """Everything that is quick first, then what has to be judged."""
        catalog = self._reader.read()
        self.post_message(CatalogReady(catalog))
        while self.is_running and (more := self._reader.read_further()) is not None:
            self.post_message(CatalogReady(catalog := more))
        while self.is_running and (path := self._next_to_check(catalog)) is not None:
            catalog = self._reader.check_one(path)
            self.post_message(CatalogReady(catalog))

    def _next_to_check(self, catalog: Catalog) -> Path | None:
        """The profile under the cursor first; None where all are checked."""
        unchecked = [profile.path for profile in catalog.profiles if profile.check is None]
        shown = self.details.item
        if shown is None:  # where the cursor will start
            wanted = [path for path in unchecked if path.stem == FIRST_PROFILE]
        else:
            wanted = [path for path in unchecked if str(path) == shown.name]
        return next(iter([*wanted, *unchecked]), None)

    def action_refresh(self) -> None:
        self._read_anew()
        self.notify("Read again from disk.", timeout=2)

    def _read_anew(self) -> None:
        self._read()
        self.details.examine()

    def action_measure(self) -> None:
        self._profile("measured")
        if not self.details.examine(speed=True):
            raise RltuiError("only a valid profile can be measured")

    @if_mounted
    def on_catalog_ready(self, message: CatalogReady) -> None:
        if message.catalog == self.catalog:
            self.details.repaint()  # ages grow
            return
        self.catalog = message.catalog
        title = self.query_one(LauncherTitle)
        title.catalog = message.catalog
        title.repaint()
        self._show_rows()
        self._show_details()

    @if_mounted
    def _show_rows(self) -> None:
        if self.catalog is not None:
            self.tree_list.show(self.catalog)

    def _show_details(self) -> None:
        self.details.show(self.item, self.catalog, self.plan)
        self._show_footer()

    def on_list_view_highlighted(self, message: ListView.Highlighted) -> None:
        if message.key != self._starts_when_planned:
            self._starts_when_planned = None
        self._show_details()
        self.set_timer(PATIENCE, self.ask_plan)

    def _show_footer(self) -> None:
        item, plan = self.item, self.plan
        kind = item.kind if item else "section"
        launch = "Open" if isinstance(plan, OpenRun) else ENTER[kind]
        if kind == "profile" and isinstance(plan, LaunchPlan) and plan.kind == "resume":
            launch = "Resume"
        run = self.catalog.run(item.name) if self.catalog and item and kind == "run" else None
        offer = offered(plan) if kind == "profile" else None
        dimmed = {"resume"} if offer is None and (run is None or run.state == "training") else set()
        dimmed |= {"new", "edit", "compare"} if kind != "profile" else set()
        labels = {"launch": launch}
        if "resume" not in dimmed and (offer is None or offer is not plan):  # what belongs to the moment is shown first
            labels["resume"] = "Branch" if offer is not None else "Resume"
        self.query_one(Footer).show(labels, frozenset(dimmed))

    @property
    def plan(self) -> Plan | None:
        """For what the cursor stands on, as things are now; None while it is being worked out."""
        item, newest = self.item, self._newest_plan
        if item is None or newest is None or self.catalog is None:
            return None
        return newest.plan if (newest.item, newest.stamp) == (item, plan_stamp(self.catalog, item)) else None

    def ask_plan(self) -> None:
        """Have it worked out, unless it is known or being worked out."""
        item, catalog = self.item, self.catalog
        if item is None or catalog is None or item.kind not in PLANNED:
            return
        entry = profile_at(catalog, item)
        asked = item, plan_stamp(catalog, item)
        if asked != self._asked and self.plan is None and (entry is None or entry.check is not None):
            self._asked = asked
            self._work_out_plan(catalog, *asked)

    @work(thread=True, group="plan", exit_on_error=False)
    def _work_out_plan(self, catalog: Catalog, item: Item, stamp: object) -> None:
        plan = plan_item(self._data, catalog, item, self._clock())
        if plan is not None:
            self.post_message(PlanReady(plan, item, stamp))

    @if_mounted
    def on_plan_ready(self, message: PlanReady) -> None:
        if (message.item, message.stamp) == self._asked:  # else a later question has been asked since
            self._newest_plan = message
        if message.item == self.item:
            self._show_details()
        if message.item == self._starts_when_planned == self.item and (plan := self.plan) is not None:
            self._start(plan)

    @on(ListView.Chosen)
    async def _row_chosen(self) -> None:
        await self.run_action("launch")

    def action_launch(self) -> None:
        item = self.item
        if item is None:
            raise RltuiError("nothing is listed yet")
        if item.kind in HEADINGS:
            self.action_fold()
        elif item.kind == "run":
            self.post_message(RunOpened(item.name))
        else:
            self._start(self.plan)

    def action_resume(self) -> None:
        if profile_at(self.catalog, self.item) is not None:
            self._start_offer()
            return
        run = self.catalog.run(self.item.name) if self.catalog and self.item and self.item.kind == "run" else None
        if run is None:
            raise RltuiError("only a run can be resumed: choose one under Runs")
        if run.state == "training":
            raise RltuiError(f"{run.name} is training: enter shows it")
        self._start(self.plan)

    def _start_offer(self) -> None:
        if self.plan is None:
            raise RltuiError("its checkpoints are being looked at")
        if (offer := offered(self.plan)) is None:
            raise RltuiError("no saved bot fits this profile, or its run trains: enter goes on")
        self._launch_plan(offer)

    def action_new(self) -> None:
        self._profile("started anew")
        self._start_otherwise(new=True)

    def _start_otherwise(self, *, new: bool = False, force: bool = False) -> None:
        """What the highlighted profile does by other keys than enter."""
        if self.catalog is not None and (item := self.item) is not None:
            self._start(plan_item(self._data, self.catalog, item, self._clock(), new=new, force=force))

    def _start(self, plan: Plan | None) -> None:
        """Where it is not known yet, it starts when it is. A refusal that is no fault of the profile's leaves a choice."""
        self._starts_when_planned = self.item if plan is None else None
        entry = profile_at(self.catalog, self.item)
        if plan is None:
            self.ask_plan()
        elif isinstance(plan, OpenRun):
            self.post_message(RunOpened(plan.run))
        elif isinstance(plan, LaunchPlan):
            self._launch_plan(plan)
        elif entry is None:  # a state of a run that cannot be used
            self.app.push_screen(start_dialog(plan), self._launch_plan)
        elif isinstance(plan, Refusal):
            self._refuse(entry, plan)

    def _launch_plan(self, plan: LaunchPlan | None) -> None:
        if plan is not None:
            start_trainer(self, self._data, plan, self._launch, self._clock, self.details.end_preflight())

    def _refuse(self, entry: ProfileEntry, plan: Refusal) -> None:
        if entry.check is not None and entry.check.forcible:
            self._ask_to_force(entry)
            return
        if entry.invalid:
            self.post_message(Refused(RltuiError(plan.words, plan.hint)))
            return

        def answered(answer: str | None) -> None:
            if answer == "new":
                self._start_otherwise(new=True)
            elif answer == "offer":
                self._launch_plan(plan.fallback)
            elif answer is not None:
                self.post_message(RunOpened(answer.removeprefix("open ")))

        training = next(iter(self.catalog.training), None) if self.catalog else None
        self.app.push_screen(nothing_fits_dialog(entry, plan, training), answered)

    def action_force(self) -> None:
        """In spite of checks: names what is passed over, and asks."""
        entry = self._profile("launched so")
        if entry.check is None:
            raise RltuiError("it is being checked")
        if entry.check.valid:
            raise RltuiError("nothing speaks against it: enter launches")
        if not entry.check.forcible:
            raise RltuiError("its mistakes cannot be passed over: e opens its form")
        self._ask_to_force(entry)

    def _ask_to_force(self, entry: ProfileEntry) -> None:
        self.app.push_screen(force_dialog(entry), lambda yes: self._start_otherwise(force=True) if yes else None)

    def _profile(self, done: str) -> ProfileEntry:
        """That the cursor stands on. done: what is to be done with it."""
        entry = profile_at(self.catalog, self.item)
        if entry is None:
            raise RltuiError(f"only a profile can be {done}: choose one under Profiles")
        return entry

    def action_edit(self) -> None:
        from rltui.tui.form.screen import FormScreen
        from rltui.tui.form.session import EditSession  # not needed before the first picture

        entry = self._profile("edited")
        session = EditSession.open(entry.path, entry.shipped)
        self.app.push_screen(FormScreen(session, self._tools.reference, self._tools.texts), self._edited)

    def _edited(self, path: Path | None) -> None:
        self.tree_list.wanted = Item("profile", str(path)) if path is not None else None
        self._read_anew()

    def action_compare(self) -> None:
        """The first time chooses one side, the second shows the differences."""
        entry = self._profile("compared")
        if self._compared in (None, entry.path):
            self._compared = entry.path
            self.notify("go to another profile and press = again; esc gives up", title=f"{entry.name} is one side")
            return
        left, self._compared = self._compared, None
        assert left is not None
        self._compare(left, entry.path)

    @work(thread=True, group="compare", exit_on_error=False)
    def _compare(self, left: Path, right: Path) -> None:
        try:
            found = self._tools.differences(left, right)
        except (OSError, ValueError) as error:
            self.app.call_from_thread(self.notify, str(error), title="cannot be compared", severity="error")
        else:
            self.app.call_from_thread(self._show_differences, left.stem, right.stem, found)

    def _show_differences(self, left: str, right: str, found: list[KeyChange]) -> None:
        lines: list[str] = []
        for change in found:
            left_text, right_text = (ABSENT if text is None else text for text in (change.left, change.right))
            lines += [f"  {change.key}", f"- {left_text}", f"+ {right_text}"]
        head = [(f"{formatting.plural(len(found), 'difference')}, defaults included: - {left}, + {right}", "muted")]
        self.app.push_screen(TextDialog(f"{left} and {right}", partial(diff_lines, head, lines)))

    def action_fold(self) -> None:
        if not self.tree_list.fold():
            raise RltuiError("only a heading opens and closes; while a filter is on, all are open")

    def on_key(self, event: events.Key) -> None:
        """A key of another screen says where it acts; this screen's own come after it, to the program."""
        if not event.is_printable or event.key in self.active_bindings:
            return
        if (found := meaning_elsewhere(event.key, getattr(self.app, "own_keys", {}))) is None:
            return
        place, action = found
        item, where = self.item, ELSEWHERE[place]
        if place == "cockpit":
            run = item.name if item is not None and item.kind == "run" else ""
            where += f"enter opens {run} first" if run else "choose one under Runs"
        event.stop()
        words = f"{key_name(event.key)} ({action.label.rstrip('…')}) acts in {where}"
        self.post_message(Refused(RltuiError(words)))

    def action_filter(self) -> None:
        self.query_one(FilterBar).open(self.tree_list, self.tree_list)

    def action_back(self) -> None:
        """The filter first; then what was to be compared."""
        if clear_filter(self.tree_list):
            return
        if self._compared is None:
            raise RltuiError("nothing to close: q quits")
        self._compared = None
        self.notify("nothing is compared")

    def action_browser(self) -> None:
        """With what is highlighted, where it is a run or something of one."""
        item = self.item
        found = self.catalog.milestone(item.name) if self.catalog and item and item.kind == "milestone" else None
        run = found.run if found else item.name.partition("/")[0] if item and item.kind in ("run", "group") else ""
        self.post_message(BrowserAsked(run, str(found.path) if found else ""))

    def action_leave(self) -> None:
        """Nothing is asked: no run is looked at here. What goes on is told where the program was started."""
        self.app.exit(exit_message([run.name for run in self.catalog.training] if self.catalog else []))
