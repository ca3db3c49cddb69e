"""The launcher: what can be trained and looked at on the left, what enter will do with it, in words, on the right."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input

from rltui.runs.paths import DataDir
from rltui.tui.actions import bindings, in_footer
from rltui.tui.checks.profile_check import ProfileChecker
from rltui.tui.launcher import offer_words
from rltui.tui.launcher.catalog import Catalog
from rltui.tui.launcher.catalog_reader import CatalogReader
from rltui.tui.launcher.catalog_tree import HEADINGS, PROFILES, Item, filtered, first_match, groups, rows
from rltui.tui.launcher.edits import EditsMixin
from rltui.tui.launcher.examining import PreflightMixin
from rltui.tui.launcher.moment import Moment
from rltui.tui.launcher.offers import Offer, offer_milestone, offer_profile, offer_resume
from rltui.tui.launcher.tools import LauncherTools
from rltui.tui.machine.memory import free_megabytes
from rltui.tui.messages import BrowserAsked, CatalogReady, OfferReady
from rltui.tui.paint import Line
from rltui.tui.screens.launching import LaunchingScreen
from rltui.tui.widgets.footer import Footer
from rltui.tui.widgets.painted import Painted
from rltui.tui.widgets.row_list import RowList
from rltui.tui.widgets.scrolled import Scrolled

if TYPE_CHECKING:
    from rltui.supervise.launch import LaunchedTrainer
    from rltui.tui.screens.launching import Launch

REFRESH = 2.0  # seconds between two looks at the disk
FIRST_PROFILE = "quick"  # where the cursor starts: the one for a first bot
PATIENCE = 0.15  # seconds that the cursor rests before checkpoints are read for it


class Title(Painted):
    """The first line: the program and what the data folder holds."""

    def __init__(self) -> None:
        super().__init__(name="title")
        self.catalog: Catalog | None = None

    def paint(self, width: int, height: int) -> list[Line]:
        return [offer_words.title_line(self.catalog, width)]


class Details(Scrolled):
    """The right side. The launcher sets what it says."""

    def __init__(self, words: Callable[[int], list[Line]]) -> None:
        super().__init__(name="details", classes="pane")
        self._words = words

    def paint(self, width: int, height: int) -> list[Line]:
        return self.window(self._words(width), height)


class LauncherScreen(PreflightMixin, EditsMixin, Screen[None]):
    """Reads the disk in threads of its own; what they find comes back as messages."""

    CSS_PATH = "../styles/form.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings("launcher")

    class Opened(Message):
        """A run is to be shown. trainer: the one just launched for it, if so."""

        def __init__(self, run: str, trainer: LaunchedTrainer | None = None) -> None:
            super().__init__()
            self.run, self.trainer = run, trainer

    def __init__(
        self,
        data: DataDir,
        launch: Launch,
        checker: ProfileChecker,
        clock: Callable[[], float] = time.time,
        free_memory: Callable[[], float | None] = free_megabytes,
        tools: LauncherTools | None = None,
    ) -> None:
        super().__init__()
        self._data, self._launch, self._clock, self._free_memory = data, launch, clock, free_memory
        self._reader = CatalogReader(data, checker)
        self._tools = tools or LauncherTools()
        self.catalog: Catalog | None = None
        self._folded: set[Item] = set()
        self._grouped: set[Item] = set()  # groups seen: a new one starts closed unless it is the first
        self._offer: tuple[tuple[Item, object], Offer] | None = None
        self._asked: tuple[Item, object] | None = None
        self._reading = False
        self._impatient: Item | None = None  # enter was pressed on it before its offer was known
        self._shown: Item | None = None  # what the right side is about
        self._wanted: Path | None = None  # a profile just written: the cursor goes there
        self._filter = ""  # what the list's rows must match
        self._compared: Path | None = None  # the first of two profiles

    def compose(self) -> ComposeResult:
        yield Title()
        with Horizontal(id="launcher-body"):
            tree = RowList(name="tree", classes="pane")
            tree.border_title = "What to train"
            yield tree
            yield Details(self._words)
        yield Input(id="launcher-filter", compact=True, placeholder="a regular expression; ! inverts; esc clears")
        yield Footer(in_footer("launcher"))

    def on_mount(self) -> None:
        self.query_one(RowList).focus()
        self.action_refresh()
        self.set_interval(REFRESH, self._refresh_if_seen)
        self._show_footer()

    def on_screen_resume(self) -> None:
        self.action_refresh()

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_rows)

    # What there is

    def _refresh_if_seen(self) -> None:
        if self.app.screen is self:
            self.action_refresh()

    def action_refresh(self) -> None:
        if not self._reading:
            self._reading = True
            self.run_worker(self._read, thread=True, exit_on_error=False)

    def _read(self) -> None:
        """In a thread: everything that is quick first, then what has to be judged by a child."""
        try:
            catalog = self._reader.read()
            self.post_message(CatalogReady(catalog))
            while self.is_running and (path := self._next_to_judge(catalog)) is not None:
                catalog = self._reader.check_one(path)
                self.post_message(CatalogReady(catalog))
        finally:
            self._reading = False

    def _next_to_judge(self, catalog: Catalog) -> Path | None:
        """The profile under the cursor first; None where all are judged."""
        open_ones = [profile.path for profile in catalog.profiles if profile.check is None]
        if self._shown is None:  # where the cursor will start
            wanted = [path for path in open_ones if path.stem == FIRST_PROFILE]
        else:
            wanted = [path for path in open_ones if str(path) == self._shown.name]
        return next(iter([*wanted, *open_ones]), None)

    def on_catalog_ready(self, message: CatalogReady) -> None:
        if message.catalog == self.catalog:
            self.query_one(Details).repaint()  # ages grow
            return
        self.catalog = message.catalog
        self._close_new_groups(message.catalog)
        self.preflight_moved()
        title = self.query_one(Title)
        title.catalog = message.catalog
        title.repaint()
        self._show_rows()

    def _close_new_groups(self, catalog: Catalog) -> None:
        for index, (item, _, _) in enumerate(groups(catalog)):
            if item not in self._grouped and (self._grouped or index):
                self._folded.add(item)
            self._grouped.add(item)

    def _show_rows(self) -> None:
        if self.catalog is None:
            return
        tree = self.query_one(RowList)
        found = filtered(rows(self.catalog, frozenset(self._folded), max(tree.size.width, 20)), self._filter)
        profiles = [row.key for row in found if isinstance(row.key, Item) and row.key.kind == "profile"]
        first = next((item for item in profiles if Path(item.name).stem == FIRST_PROFILE), (*profiles, PROFILES)[0])
        wanted = Item("profile", str(self._wanted)) if self._wanted else None
        if wanted is not None and wanted in profiles:
            self._wanted = None
            tree.set_rows(found, wanted)
        elif (
            self._filter and isinstance(tree.key, Item) and tree.key.kind in HEADINGS
        ):  # typed before the list was there
            tree.set_rows(found, first_match(found))
        else:
            tree.set_rows(found, None if tree.key is not None else first)

    # What enter would do

    @property
    def item(self) -> Item | None:
        """What the cursor stands on."""
        key = self.query_one(RowList).key
        return key if isinstance(key, Item) else None

    def on_row_list_highlighted(self, message: RowList.Highlighted) -> None:
        if message.key != self._impatient:
            self._impatient = None
        self._show_details()
        self._show_footer()
        self.set_timer(PATIENCE, self._ask_for_offer)
        self.preflight_moved()

    def _show_details(self) -> None:
        details, item = self.query_one(Details), self.item
        details.border_title = offer_words.heading(item)
        if item != self._shown:
            self._shown, details.first = item, 0
        details.repaint()

    def _stamp(self, item: Item) -> object:
        """What an offer rests on: profile, and the runs' saved states."""
        catalog = self.catalog
        if catalog is None:
            return None
        entry = catalog.profile(Path(item.name)) if item.kind == "profile" else None
        saved = tuple((run.name, run.state, run.checkpoint, len(run.milestones)) for run in catalog.runs)
        return entry.check if entry else None, saved

    def _ask_for_offer(self) -> None:
        item = self.item
        if item is None or item.kind not in ("profile", "run", "milestone"):
            return
        key = item, self._stamp(item)
        if key != self._asked and self._present_offer() is None and not self._is_checking(item):
            self._asked = key
            self.run_worker(lambda: self._work_out(*key), thread=True, group="offer", exit_on_error=False)

    def _is_checking(self, item: Item) -> bool:
        entry = self.catalog.profile(Path(item.name)) if self.catalog and item.kind == "profile" else None
        return entry is not None and entry.check is None

    def _work_out(self, item: Item, stamp: object) -> None:
        offer = self._offer_for(item)
        if offer is not None:
            self.post_message(OfferReady(item, stamp, offer))

    def _offer_for(self, item: Item, *, new: bool = False) -> Offer | None:
        catalog = self.catalog
        if catalog is None:
            return None
        if item.kind == "profile":
            entry = catalog.profile(Path(item.name))
            return offer_profile(self._data, entry, self._clock(), new=new) if entry else None
        if item.kind == "run":
            run = catalog.run(item.name)
            return offer_resume(self._data, run, self._clock()) if run and run.state != "training" else None
        found = catalog.milestone(item.name)
        return offer_milestone(self._data, found[1], self._clock()) if found else None

    def on_offer_ready(self, message: OfferReady) -> None:
        self._offer = (message.item, message.stamp), message.offer
        if message.item == self.item:
            self.query_one(Details).repaint()
        if message.item == self._impatient == self.item and self._present_offer() is not None:
            self._start(message.offer)

    def _present_offer(self) -> Offer | None:
        item = self.item
        if item is None or self._offer is None:
            return None
        key, offer = self._offer
        return offer if key == (item, self._stamp(item)) else None

    def _words(self, width: int) -> list[Line]:
        if self.catalog is None:
            return []
        offer = self._present_offer()
        preflight, estimate = self.preflight_of(self.item)
        moment = Moment(self._clock(), offer, self._free_memory(), preflight, estimate)
        return offer_words.lines(self.item, self.catalog, moment, width)

    # What is done

    def on_row_list_chosen(self) -> None:
        self.action_launch()

    def action_launch(self) -> None:
        item = self.item
        if item is None:
            return
        if item.kind in ("section", "group"):
            self.action_fold()
        elif item.kind == "run":
            self.post_message(self.Opened(item.name))
        else:
            self._start(self._present_offer())

    def action_resume(self) -> None:
        run = self.catalog.run(self.item.name) if self.catalog and self.item and self.item.kind == "run" else None
        if run is None:
            self.notify("R goes on with a run: choose one under Runs", severity="warning")
        elif run.state == "training":
            self.notify(f"{run.name} is training: enter shows it", severity="warning")
        else:
            self._start(self._present_offer())

    def action_new(self) -> None:
        item = self.item
        if item is None or item.kind != "profile":
            self.notify("n starts a new run of a profile: choose one under Profiles", severity="warning")
            return
        self._start(self._offer_for(item, new=True))

    def _start(self, offer: Offer | None) -> None:
        self._impatient = None if offer is not None else self.item
        if offer is None:  # the answer is on its way: what was asked for starts when it is there
            self._ask_for_offer()
        elif offer.refused:
            self.notify(offer.hint, title=offer.refused.split("\n")[0], severity="error", timeout=8)
        else:
            self.app.push_screen(LaunchingScreen(offer, self._launch, self._clock), self._launched)

    def _launched(self, trainer: LaunchedTrainer | None) -> None:
        if trainer is not None:
            self.post_message(self.Opened(trainer.run, trainer))

    def action_fold(self) -> None:
        item = self.item
        if item is not None and item.kind in ("section", "group"):
            self._folded ^= {item}
            self._show_rows()

    def action_browser(self) -> None:
        """With what is highlighted, where it is a run or something of one."""
        item = self.item
        found = self.catalog.milestone(item.name) if self.catalog and item and item.kind == "milestone" else None
        run = found[0].name if found else item.name.partition("/")[0] if item and item.kind in ("run", "group") else ""
        self.post_message(BrowserAsked(run, found[1].path if found else ""))

    def action_leave(self) -> None:
        self.app.exit()

    def _show_footer(self) -> None:
        item = self.item
        kind = item.kind if item else "section"
        words = {"profile": "Launch", "run": "Open", "milestone": "Branch off", "section": "Fold", "group": "Fold"}
        run = self.catalog.run(item.name) if self.catalog and item and kind == "run" else None
        dimmed = {"resume"} if run is None or run.state == "training" else set()
        dimmed |= {"new", "edit", "compare"} if kind != "profile" else set()
        self.query_one(Footer).show({"launch": words[kind]}, frozenset(dimmed), ())
