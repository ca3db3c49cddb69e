"""Switches between launcher, cockpit and browser."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from textual.app import App
from textual.screen import ModalScreen, Screen

from rltui.errors import RltuiError
from rltui.tui.actions import place_of
from rltui.tui.messages import GamesPlayed

if TYPE_CHECKING:
    from rltui.run_state.reader import RecordSource
    from rltui.runs.launch_plan import LaunchPlan
    from rltui.runs.paths import DataDir
    from rltui.supervise.launch import LaunchedTrainer
    from rltui.tui.browser.evaluate import EvaluationRunner, PlayedMatches
    from rltui.tui.cockpit.screen import CockpitScreen
    from rltui.tui.dependencies import Dependencies, Launch, ViewOptions
    from rltui.tui.launcher.plan import Plan
    from rltui.tui.launcher.screen import LauncherScreen
    from rltui.tui.notifications import Notifier

CONNECT_SECONDS = 1.0
LAUNCHER = "launcher"  # the installed screen's name


class Navigator:
    """Screens are imported as they are needed (background.DEFERRED): the first picture shall come soon."""

    def __init__(
        self,
        app: App[str],
        data: DataDir,
        dependencies: Dependencies,
        options: ViewOptions,
        notifier: Notifier,
    ) -> None:
        self._app, self._data, self._dependencies, self._options = app, data, dependencies, options
        self._lifeline, self._notifier = dependencies.lifeline, notifier
        self._evaluations: EvaluationRunner | None = None

    @property
    def cockpit(self) -> CockpitScreen | None:
        """The one that is open, also below the browser or a dialog."""
        found = next((screen for screen in self._app.screen_stack if place_of(screen) == "cockpit"), None)
        return cast("CockpitScreen | None", found)

    def show_launcher(self) -> None:
        """It stays as it was left, but that the cursor is on the run that was looked at."""
        self._lifeline.opened("")
        if not self._app.is_screen_installed(LAUNCHER):
            self._app.install_screen(self._launcher(), LAUNCHER)
        if self.cockpit is not None:
            cast("LauncherScreen", self._app.get_screen(LAUNCHER)).go_to_run(self.cockpit.source.name)
        self._show(LAUNCHER)

    def show_run(self, run: str, trainer: LaunchedTrainer | None = None) -> None:
        """The cockpit on a run. trainer: the one just launched for it, if so."""
        from rltui.tui.cockpit.screen import CockpitScreen

        self._lifeline.opened(run)
        self._notifier.follow()
        if self.cockpit is not None:
            self.cockpit.note_left()
        source = (self._dependencies.sources or self._run_files)(run, trainer)
        self._show(CockpitScreen(source, self._options, self._dependencies.clock))

    def show_browser(self, run: str, state: str) -> None:
        """At this run and saved state, or at everything; above what is shown now, which stays as it is."""
        from rltui.tui.browser.evaluate import EvaluationRunner
        from rltui.tui.browser.screen import BrowserDependencies, BrowserScreen

        if self._evaluations is None:
            self._evaluations = EvaluationRunner(self._games_ended, self._dependencies.evaluator)
        self._close_dialogs()
        if place_of(self._app.screen) != "browser":  # asked for twice
            given = self._dependencies
            dependencies = BrowserDependencies(
                self._data, self._launch, given.checker, self._evaluations, given.clock, run, Path(state) if state else None,
                readonly=self._options.readonly, charts=self._options.charts,
            )  # fmt: skip
            self._app.push_screen(BrowserScreen(dependencies))

    def end(self) -> None:
        """With the program; games that are being played are given up."""
        if self._evaluations is not None:
            self._evaluations.end()

    def _games_ended(self, played: PlayedMatches) -> None:
        """From the evaluation's thread."""
        self._app.post_message(GamesPlayed(played.result, failed=played.failed))

    def leave_browser(self) -> None:
        """Back to where it was opened from."""
        self._close_dialogs()
        if place_of(self._app.screen) == "browser":
            self._app.pop_screen()

    def open_run(self, run: str, trainer: LaunchedTrainer | None) -> None:
        """From launcher or browser: in the cockpit that the browser was opened from, if that is the run's."""
        if trainer is None and self.cockpit is not None and self.cockpit.source.name == run:
            self.leave_browser()
        else:
            self.show_run(run, trainer)

    def resume_run(self, run: str) -> None:
        """Of the cockpit that shows it. Its checkpoint is read to the last byte: in a thread."""
        from rltui.runs.launch_plan import LaunchPlan
        from rltui.runs.summary import describe_run
        from rltui.tui.launcher.plan import Refusal, plan_run
        from rltui.tui.launcher.start import start_trainer

        clock = self._dependencies.clock

        def go(plan: Plan) -> None:
            cockpit = self.cockpit
            if cockpit is None or cockpit is not self._app.screen:
                return  # left, or asked twice
            if isinstance(plan, LaunchPlan):
                start_trainer(cockpit, self._data, plan, self._launch, clock)
            elif isinstance(plan, Refusal):
                self._notifier.refuse(RltuiError(f"resume: {plan.words}", plan.hint))

        def plan() -> None:
            summary = describe_run(self._data.run(run), brief=True)
            self._app.call_from_thread(go, plan_run(self._data, summary, clock()))

        self._app.run_worker(plan, thread=True, exit_on_error=False)

    def _close_dialogs(self) -> None:
        """Those that were opened since another screen was asked for."""
        while isinstance(self._app.screen, ModalScreen):
            self._app.pop_screen()

    def _show(self, screen: Screen[None] | str) -> None:
        """In the place of all others. The first goes on Textual's own empty screen."""
        app = self._app
        while len(app.screen_stack) > 2:
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

    def _launch_detached(self, plan: LaunchPlan) -> LaunchedTrainer:
        from rltui.supervise import launch  # with psutil

        return launch.detached(plan.profile, self._data, plan.run, plan.args)

    def _run_files(self, run: str, trainer: LaunchedTrainer | None) -> RecordSource:
        from rltui.run_state.reader import RunFiles
        from rltui.supervise.control_client import connected

        paths = self._data.run(run)
        alive = (lambda: trainer.process.poll() is None) if trainer is not None else None
        return RunFiles(paths, partial(connected, paths, CONNECT_SECONDS, readonly=self._options.readonly), alive)
