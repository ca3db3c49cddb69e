"""Offering: what enter would do with what the cursor stands on, worked out in a thread, for it reads checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rltui.tui.launcher.catalog_tree import Item, profile_at
from rltui.tui.launcher.offers import Offer, offer_milestone, offer_open, offer_profile, offer_resume
from rltui.tui.messages import OfferReady

if TYPE_CHECKING:
    from rltui.runs.paths import DataDir
    from rltui.tui.screens.launcher import LauncherScreen

WITH_OFFERS = ("profile", "run", "milestone")


class Offering:
    """The screen hears of each offer by OfferReady. impatient: enter was pressed on this before its offer was known."""

    def __init__(self, screen: LauncherScreen, data: DataDir, clock: Callable[[], float]) -> None:
        self._screen, self._data, self._clock = screen, data, clock
        self._known: tuple[tuple[Item, object], Offer] | None = None
        self._asked: tuple[Item, object] | None = None
        self.impatient: Item | None = None

    @property
    def present(self) -> Offer | None:
        """For what the cursor stands on, as things are now; None while it is being worked out."""
        item = self._screen.item
        if item is None or self._known is None:
            return None
        key, offer = self._known
        return offer if key == (item, self._stamp(item)) else None

    def ask(self) -> None:
        """Have it worked out, unless it is known or being worked out."""
        item = self._screen.item
        if item is None or item.kind not in WITH_OFFERS:
            return
        key = item, self._stamp(item)
        if key != self._asked and self.present is None and not self._is_checking(item):
            self._asked = key
            self._screen.run_worker(lambda: self._work_out(*key), thread=True, group="offer", exit_on_error=False)

    def arrived(self, message: OfferReady) -> Offer | None:
        """The offer, where enter was pressed for it before."""
        self._known = (message.item, message.stamp), message.offer
        waited = message.item == self.impatient == self._screen.item
        return message.offer if waited and self.present is not None else None

    def of(self, item: Item, *, new: bool = False) -> Offer | None:
        """Worked out now. new: a run from zero, whatever else could be done. None for what is gone."""
        catalog = self._screen.catalog
        if catalog is None:
            return None
        if item.kind == "profile":
            entry = profile_at(catalog, item)
            trained = catalog.trained_by(entry) if entry is not None and not new else None
            if trained is not None:
                return offer_open(trained)
            return offer_profile(self._data, entry, self._clock(), new=new) if entry else None
        if item.kind == "run":
            run = catalog.run(item.name)
            return offer_resume(self._data, run, self._clock()) if run and run.state != "training" else None
        found = catalog.milestone(item.name)
        return offer_milestone(self._data, found[1], self._clock()) if found else None

    def _stamp(self, item: Item) -> object:
        """What an offer rests on: profile, and the runs' saved states."""
        catalog = self._screen.catalog
        if catalog is None:
            return None
        entry = profile_at(catalog, item)
        saved = tuple((run.name, run.state, run.checkpoint, len(run.milestones)) for run in catalog.runs)
        return entry.check if entry else None, saved

    def _is_checking(self, item: Item) -> bool:
        entry = profile_at(self._screen.catalog, item)
        return entry is not None and entry.check is None

    def _work_out(self, item: Item, stamp: object) -> None:
        """In a thread."""
        offer = self.of(item)
        if offer is not None:
            self._screen.post_message(OfferReady(item, stamp, offer))
