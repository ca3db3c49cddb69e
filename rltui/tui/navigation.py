"""Switches between launcher, cockpit and browser."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from textual.app import App
from textual.screen import ModalScreen, Screen

from rltui.errors import RltuiError
from rltui.tui.actions import place_of

if TYPE_CHECKING:
    from rltui.run_state.reader import RecordSource
    from rltui.runs.paths import DataDir
    from rltui.supervise.guardian import Lifeline
    from rltui.supervise.launch import LaunchedTrainer
    from rltui.tui.ascii import ChartStyle
    from rltui.tui.browser.table import SavedSorting
    from rltui.tui.browser.verification import HashChecks
    from rltui.tui.cockpit.screen import CockpitScreen
    from rltui.tui.dependencies import Dependencies, Launch, LaunchRequest
    from rltui.tui.launcher.screen import LauncherScreen
    from rltui.tui.notifications import Notifier
    from rltui.tui.settings import LoadedSettings

CONNECT_SECONDS = 1.0
LAUNCHER = "launcher"  # the installed screen's name
_NAME = "suspended cockpit"  # installed, since Textual removes what is not once another takes its place


class SuspendedCockpit:
    """At most one. While it is suspended, nobody shows it."""

    def __init__(self, app: App[str]) -> None:
        self._app = app
        self._cockpit: CockpitScreen | None = None

    @property
    def run(self) -> str:
        """Whose cockpit it is; empty: there is none."""
        return self._cockpit.source.name if self._cockpit is not None else ""

    def suspend(self, cockpit: CockpitScreen | None) -> None:
        """Before another screen takes its place; None: there is none."""
        self.remove()
        if cockpit is not None:
            self._app.install_screen(cockpit, _NAME)
            cockpit.rest()
        self._cockpit = cockpit

    def resume(self) -> CockpitScreen | None:
        """To be shown again."""
        cockpit, self._cockpit = self._cockpit, None
        if cockpit is not None:
            self._app.uninstall_screen(cockpit)
            cockpit.wake()
        return cockpit

    def remove(self) -> None:
        """Another run, or the launcher, is gone to."""
        cockpit, self._cockpit = self._cockpit, None
        if cockpit is not None:
            self._app.uninstall_screen(cockpit)
            cockpit.remove()


class Navigator:
    """Screens are imported as they are needed (background.DEFERRED): the first picture shall come soon."""

    def __init__(
        self,
        app: App[str],
        data: DataDir,
        dependencies: Dependencies,
        ui: LoadedSettings,
        lifeline: Lifeline,
        notifier: Notifier,
        *,
        readonly: bool,
        charts: ChartStyle,
    ) -> None:
        self._app, self._data, self._dependencies, self._ui = app, data, dependencies, ui
        self._lifeline, self._notifier = lifeline, notifier
        self._readonly, self._charts = readonly, charts
        self._suspended = SuspendedCockpit(app)  # that the browser was opened from
        self._checks: HashChecks | None = None  # of the browser, since it was first opened
        self._sorting: SavedSorting | None = None  # of the browser

    @property
    def cockpit(self) -> CockpitScreen | None:
        """The one that is open, also below a dialog."""
        found = next((screen for screen in self._app.screen_stack if place_of(screen) == "cockpit"), None)
        return cast("CockpitScreen | None", found)

    def show_launcher(self) -> None:
        """It stays as it was left."""
        self._suspended.remove()
        self._lifeline.opened("")
        if not self._app.is_screen_installed(LAUNCHER):
            self._app.install_screen(self._launcher(), LAUNCHER)
        self._show(LAUNCHER)

    def show_run(self, run: str, trainer: LaunchedTrainer | None = None) -> None:
        """The cockpit on a run. trainer: the one just launched for it, if so."""
        from rltui.tui.cockpit.screen import CockpitScreen

        self._suspended.remove()
        self._lifeline.opened(run)
        self._notifier.follow()
        clock, layout = self._dependencies.clock, self._ui.settings
        source = (self._dependencies.sources or self._run_files)(run, trainer)
        self._show(CockpitScreen(source, readonly=self._readonly, charts=self._charts, clock=clock, layout=layout))

    def show_browser(self, run: str, state: str) -> None:
        """At this run and saved state, or at everything; it goes back to what is shown now."""
        from rltui.tui.browser.screen import BrowserDependencies, BrowserScreen
        from rltui.tui.browser.table import SavedSorting
        from rltui.tui.browser.verification import HashChecks

        given, ui = self._dependencies, self._ui
        self._checks = self._checks or HashChecks()
        self._sorting = self._sorting or SavedSorting(ui.settings, ui.path, self._save_in_thread)
        around = BrowserDependencies(
            self._data, self._launch, given.checker, given.clock, self._checks, run, Path(state) if state else None,
            readonly=self._readonly, charts=self._charts, sorting=self._sorting,
        )  # fmt: skip
        self._suspended.suspend(self.cockpit)
        self._show(BrowserScreen(around))

    def leave_browser(self) -> None:
        """Back to where it was opened from."""
        if (cockpit := self._suspended.resume()) is not None:
            self._show(cockpit)
        else:
            self.show_launcher()

    def open_run(self, run: str, trainer: LaunchedTrainer | None) -> None:
        """From launcher or browser: in the cockpit that the browser was opened from, if that is the run's."""
        if trainer is None and run == self._suspended.run:
            self.leave_browser()
        else:
            self.show_run(run, trainer)

    def _save_in_thread(self, write: Callable[[], None]) -> None:
        """Notifies the user where it fails."""
        app = self._app

        def save() -> None:
            try:
                write()
            except RltuiError as error:
                words, hint = error.message, error.hint
                app.call_later(lambda: app.notify(f"{words}; {hint}", title="Not saved", severity="warning"))

        app.run_worker(save, thread=True, exit_on_error=False)

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
        from rltui.tui.launcher.screen import LauncherScreen

        return LauncherScreen(self._data, self._launch, self._dependencies)

    @property
    def _launch(self) -> Launch:
        return self._dependencies.launch or self._launch_detached

    def _launch_detached(self, request: LaunchRequest) -> LaunchedTrainer:
        from rltui.supervise import launch  # with psutil

        return launch.detached(request.profile, self._data, request.run, request.args)

    def _run_files(self, run: str, trainer: LaunchedTrainer | None) -> RecordSource:
        from rltui.run_state.reader import RunFiles
        from rltui.supervise.control_client import connected

        paths = self._data.run(run)
        alive = (lambda: trainer.process.poll() is None) if trainer is not None else None
        return RunFiles(paths, partial(connected, paths, CONNECT_SECONDS, readonly=self._readonly), alive)
