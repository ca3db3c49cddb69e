"""Starting: from an offer to a trainer, or to the run that is trained already; where neither can be, what else there is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rltui.tui.launcher.catalog_tree import Item
from rltui.tui.launcher.offers import Offer, offer_profile
from rltui.tui.screens.launching import LaunchingScreen

if TYPE_CHECKING:
    from rltui.runs.paths import DataDir
    from rltui.supervise.launch import LaunchedTrainer
    from rltui.tui.launcher.catalog import ProfileEntry
    from rltui.tui.screens.launcher import LauncherScreen
    from rltui.tui.screens.launching import Launch

Choice = tuple[str, "str | None", str, str]  # key, answer, title, explanation


class Starting:
    """Of the launcher's screen, which shows the dialogs and opens the run."""

    def __init__(self, screen: LauncherScreen, data: DataDir, launch: Launch, clock: Callable[[], float]) -> None:
        self._screen, self._data, self._launch, self._clock = screen, data, launch, clock

    def start(self, offer: Offer) -> None:
        """As offered. A refusal that is no fault of the profile's leaves a choice."""
        if offer.kind == "open" and offer.run is not None:
            self._screen.open_run(offer.run)
        elif offer.kind == "branch":
            self._ask_branch(offer)
        elif not offer.refused:
            self._begin(offer)
        elif (entry := self._screen.valid_profile()) is not None:
            self._ask_otherwise(entry, offer)
        else:
            self._say_refused(offer)

    def _say_refused(self, offer: Offer) -> None:
        self._screen.notify(offer.hint, title=offer.refused.split("\n")[0], severity="error", timeout=8)

    def _ask_branch(self, offer: Offer) -> None:
        """From a milestone: enter shows what a run is, so it may have been pressed to look."""
        from rltui.tui.browser.starts import Start  # not needed before the first picture
        from rltui.tui.screens.start_dialog import StartDialog

        self._screen.app.push_screen(StartDialog(Start(offer)), lambda wanted: self._begin(wanted) if wanted else None)

    def _begin(self, offer: Offer) -> None:
        from rltui.tui.screens.limit_dialog import with_limit_asked  # not needed before the first picture

        with_limit_asked(self._screen.app, offer, self._launch_now)

    def _launch_now(self, offer: Offer) -> None:
        self._screen.app.push_screen(LaunchingScreen(offer, self._launch, self._clock), self._launched)

    def _ask_otherwise(self, entry: ProfileEntry, offer: Offer) -> None:
        """No run can be gone on with: show one that is being trained, or begin another."""
        from rltui.tui.form.dialogs import AskDialog  # not needed before the first picture

        why = offer.refused.split("\n")[0].rstrip(":")
        choices: list[Choice] = [("c", None, "Cancel", f"Nothing is started. {why}: the right side says why.")]
        trained = self._screen.catalog.training[:1] if self._screen.catalog else ()
        for run in trained:
            choices.append(("o", f"open {run.name}", f"Open run {run.name}", f"It is trained now, with {run.profile}."))
        choices.append(("n", "new", "Start a new run", f"{entry.name} from zero, beside what is there."))
        item = self._screen.item
        dialog = AskDialog(f"{entry.name}: nothing to go on with", choices)
        self._screen.app.push_screen(dialog, lambda answer: self._answered(item, answer))

    def _answered(self, item: Item | None, answer: str | None) -> None:
        if answer == "new" and item is not None:
            self.start_new(item)
        elif answer is not None:
            self._screen.open_run(answer.removeprefix("open "))

    def start_new(self, item: Item) -> None:
        """A run of this profile from zero."""
        offer = self._screen.offering.of(item, new=True)
        if offer is not None and offer.refused:
            self._say_refused(offer)
        elif offer is not None:
            self.start(offer)

    def force(self) -> None:
        """In spite of checks: names what is passed over, and asks."""
        entry = self._screen.profile_here("F", "forces")
        if entry is None or entry.check is None:
            return
        if entry.check.valid:
            self._screen.notify("nothing speaks against it: enter launches", severity="information")
        elif not entry.check.forcible:
            self._screen.notify("its mistakes cannot be passed over: e opens its form", severity="error")
        else:
            self._ask_force(entry)

    def _ask_force(self, entry: ProfileEntry) -> None:
        from rltui.tui.form.dialogs import AskDialog  # not needed before the first picture

        faults = "\n".join(problem.message for problem in entry.check.errors) if entry.check else ""
        choices: list[Choice] = [
            ("c", None, "Cancel", "Nothing is launched."),
            ("f", "force", "Launch it all the same", f"Passed over: {faults}"),
        ]
        self._screen.app.push_screen(
            AskDialog(f"Launch {entry.name} in spite of its checks?", choices),
            lambda choice: self._forced(entry) if choice else None,
        )

    def _forced(self, entry: ProfileEntry) -> None:
        offer = offer_profile(self._data, entry, self._clock(), force=True)
        if offer.kind == "nothing fits":
            offer = offer_profile(self._data, entry, self._clock(), new=True, force=True)
        self.start(offer)

    def _launched(self, trainer: LaunchedTrainer | None) -> None:
        if trainer is not None:
            self._screen.open_run(trainer.run, trainer)
