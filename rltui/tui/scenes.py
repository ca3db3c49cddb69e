"""Scenes: launcher, cockpit and browser, each shown in the place of the one before: what lies below another still costs time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from textual.screen import ModalScreen, Screen

from rltui.errors import RltuiError
from rltui.tui.kept_cockpit import KeptCockpit
from rltui.tui.place import place_of

if TYPE_CHECKING:
    from rltui.supervise.guardian import Lifeline
    from rltui.supervise.launch import LaunchedTrainer
    from rltui.tui.app import RltuiApp
    from rltui.tui.browser.hash_checks import HashChecks
    from rltui.tui.browser.kept_sorting import KeptSorting
    from rltui.tui.launcher.offers import Offer
    from rltui.tui.notices.messenger import Messenger
    from rltui.tui.run.run_reader import RunSource
    from rltui.tui.screens.cockpit import CockpitScreen
    from rltui.tui.screens.launcher import LauncherScreen
    from rltui.tui.screens.launching import Launch
    from rltui.tui.symbols import ChartStyle

LAUNCHER = "launcher"  # the installed screen's name


class Scenes:
    """Of the app. Screens are imported as they are needed (see later.py): the first picture shall come soon."""

    def __init__(
        self, app: RltuiApp, lifeline: Lifeline, messenger: Messenger, *, readonly: bool, charts: ChartStyle
    ) -> None:
        self._app, self._lifeline, self._messenger = app, lifeline, messenger
        self._readonly, self._charts = readonly, charts
        self._kept = KeptCockpit(app)  # that the browser was opened from
        self._checks: HashChecks | None = None  # of the browser, since it was first opened
        self._sorting: KeptSorting | None = None  # of the browser

    @property
    def cockpit(self) -> CockpitScreen | None:
        """The one that is open, also below a dialog."""
        found = next((screen for screen in self._app.screen_stack if place_of(screen) == "cockpit"), None)
        return cast("CockpitScreen | None", found)

    def show_launcher(self) -> None:
        """It stays as it was left."""
        self._kept.let_go()
        self._lifeline.opened("")
        if not self._app.is_screen_installed(LAUNCHER):
            self._app.install_screen(self._launcher(), LAUNCHER)
        self._show(LAUNCHER)

    def show_run(self, run: str, trainer: LaunchedTrainer | None = None) -> None:
        """The cockpit on a run. trainer: the one just launched for it, if so."""
        from rltui.tui.screens.cockpit import CockpitScreen

        self._kept.let_go()
        self._lifeline.opened(run)
        self._messenger.follow()
        world, layout = self._app.world, self._app.ui.settings
        source = (world.sources or self._run_files)(run, trainer)
        self._show(
            CockpitScreen(source, readonly=self._readonly, charts=self._charts, clock=world.clock, layout=layout)
        )

    def show_browser(self, run: str, state: str) -> None:
        """At this run and saved state, or at everything; it goes back to what is shown now."""
        from rltui.tui.browser.hash_checks import HashChecks
        from rltui.tui.browser.kept_sorting import KeptSorting
        from rltui.tui.browser.surroundings import Surroundings
        from rltui.tui.screens.browser import BrowserScreen

        world = self._app.world
        self._checks = self._checks or HashChecks()
        ui = self._app.ui
        self._sorting = self._sorting or KeptSorting(ui.settings, ui.path, self._soon)
        around = Surroundings(
            self._app.data, self._launch, world.checker, world.clock, self._checks, run, Path(state) if state else None,
            readonly=self._readonly, charts=self._charts, sorting=self._sorting,
        )  # fmt: skip
        self._kept.keep(self.cockpit)
        self._show(BrowserScreen(around))

    def leave_browser(self) -> None:
        """Back to where it was opened from."""
        if (cockpit := self._kept.take()) is not None:
            self._show(cockpit)
        else:
            self.show_launcher()

    def show_run_from_browser(self, run: str, trainer: LaunchedTrainer | None) -> None:
        """The cockpit that it was opened from, if that is the run."""
        if trainer is None and run == self._kept.run:
            self.leave_browser()
        else:
            self.show_run(run, trainer)

    def _soon(self, write: Callable[[], None]) -> None:
        """In a thread; where it fails it is told."""
        app = self._app

        def told() -> None:
            try:
                write()
            except RltuiError as error:
                words, hint = error.message, error.hint
                app.call_later(lambda: app.notify(f"{words}; {hint}", title="Not saved", severity="warning"))

        app.run_worker(told, thread=True, exit_on_error=False)

    def _show(self, screen: Screen[None] | str) -> None:
        """The first goes on Textual's own empty screen."""
        app = self._app
        while isinstance(app.screen, ModalScreen):  # opened since this was asked for
            app.pop_screen()
        if len(app.screen_stack) == 1:
            app.push_screen(screen)
        else:
            app.switch_screen(screen)

    def _launcher(self) -> LauncherScreen:
        from rltui.tui.screens.launcher import LauncherScreen

        world = self._app.world
        return LauncherScreen(self._app.data, self._launch, world.checker, world.clock, world.free_memory, world.tools)

    @property
    def _launch(self) -> Launch:
        return self._app.world.launch or self._launch_detached

    def _launch_detached(self, offer: Offer) -> LaunchedTrainer:
        from rltui.supervise import launch  # with psutil

        return launch.detached(offer.profile, self._app.data, offer.run, offer.args)

    def _run_files(self, run: str, trainer: LaunchedTrainer | None) -> RunSource:
        from rltui.tui.run.sources import RunFiles

        alive = (lambda: trainer.process.poll() is None) if trainer is not None else None
        return RunFiles(self._app.data.run(run), readonly=self._readonly, launched=alive)
