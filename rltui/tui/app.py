"""The program: its screens and how they follow each other. What a screen shows is its own affair."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from textual.app import App, SystemCommand
from textual.binding import BindingType
from textual.screen import ModalScreen, Screen

from rltui.runs.paths import DataDir
from rltui.supervise.lifeline import BY_SIGNAL, Lifeline, ending_signals
from rltui.tui.actions import PLACES, Place
from rltui.tui.memory import free_megabytes
from rltui.tui.offers import Offer
from rltui.tui.pictures import save_picture
from rltui.tui.profile_check import ProfileChecker
from rltui.tui.run_reader import RunSource
from rltui.tui.screens.cockpit import CockpitScreen
from rltui.tui.screens.help import HelpScreen
from rltui.tui.screens.launcher import LauncherScreen
from rltui.tui.screens.launching import LaunchingScreen
from rltui.tui.sources import RunFiles
from rltui.tui.symbols import AsciiFilter, chart_style, needs_ascii
from rltui.tui.terminal_watch import TerminalWatch
from rltui.tui.themes import DARK, LIGHT

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual.driver import Driver

    from rltui.supervise.launch import LaunchedTrainer
    from rltui.tui.screens.launching import Launch

LAUNCHER = "launcher"  # the installed screen's name


@dataclass(frozen=True)
class World:
    """What lies outside the program, for tests to replace. None: the real one.

    sources: (run, trainer just launched) → where its news comes from. clock: Unix seconds. free_memory: MB.
    """

    sources: Callable[[str, LaunchedTrainer | None], RunSource] | None = None
    launch: Launch | None = None
    checker: ProfileChecker = field(default_factory=ProfileChecker)
    clock: Callable[[], float] = time.time
    free_memory: Callable[[], float | None] = free_megabytes


class RltuiApp(App[str]):
    """Launcher or cockpit, and dialogs above them. Ends with a sentence for the terminal, or nothing."""

    CSS_PATH: ClassVar[list[str]] = ["styles/app.tcss"]  # type: ignore[assignment]
    TITLE = "rltui"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(
        self,
        data: DataDir,
        *,
        attach: str | None = None,
        readonly: bool = False,
        ascii_only: bool = False,
        world: World | None = None,
        lifeline: Lifeline | None = None,
    ) -> None:
        no_color = os.environ.get("NO_COLOR")
        super().__init__(driver_class=_driver())
        if no_color is not None:
            os.environ["NO_COLOR"] = no_color  # Textual takes it away; trainers launched from here shall know it
        self._data, self._first_run, self._readonly = data, attach, readonly
        self._world = world or World()
        self._lifeline = lifeline or Lifeline()
        self.watch_terminal = TerminalWatch(self._lifeline)
        self.panicked = False
        self._charts = chart_style(os.environ, ascii_only)
        if ascii_only:
            self._filters.append(AsciiFilter())
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = DARK.name

    def on_load(self) -> None:
        self._lifeline.entered()

    def on_mount(self) -> None:
        self._end_on_signals()
        launch = self._world.launch or self._launch_detached
        launcher = LauncherScreen(self._data, launch, self._world.checker, self._world.clock, self._world.free_memory)
        self.install_screen(launcher, LAUNCHER)
        if self._first_run is not None:
            self.open_run(self._first_run)
        else:
            self.show_launcher()

    def panic(self, *renderables: RenderableType) -> None:
        """Something failed that nobody foresaw, in Textual or here: say what, and end with 1."""
        self.panicked = True
        super().panic(*renderables)

    def show_launcher(self) -> None:
        """The launcher in the place of what is shown; it stays as it was left."""
        self._lifeline.opened("")
        self._show(LAUNCHER)

    def open_run(self, run: str, trainer: LaunchedTrainer | None = None) -> None:
        """The cockpit on a run, in the place of what is shown: what lies below another screen still costs time."""
        self._lifeline.opened(run)
        source = (self._world.sources or self._run_files)(run, trainer)
        self._show(CockpitScreen(source, readonly=self._readonly, charts=self._charts, clock=self._world.clock))

    def _show(self, screen: Screen[None] | str) -> None:
        """In the place of the launcher or cockpit that is there; the first goes on Textual's own empty screen."""
        if len(self.screen_stack) == 1:
            self.push_screen(screen)
        else:
            self.switch_screen(screen)

    def on_cockpit_screen_left(self) -> None:
        self.show_launcher()

    def on_launcher_screen_opened(self, message: LauncherScreen.Opened) -> None:
        self.open_run(message.run, message.trainer)

    def _run_files(self, run: str, trainer: LaunchedTrainer | None) -> RunSource:
        alive = (lambda: trainer.process.poll() is None) if trainer is not None else None
        return RunFiles(self._data.run(run), readonly=self._readonly, launched=alive)

    def _launch_detached(self, offer: Offer) -> LaunchedTrainer:
        from rltui.supervise import launch  # with psutil, not needed before the first picture

        return launch.detached(offer.profile, self._data, offer.run, offer.args)

    def _end_on_signals(self) -> None:
        """Leave the terminal as it was also when told to end from outside; training goes on."""
        if sys.platform == "win32" or self.is_headless:
            return
        loop = asyncio.get_running_loop()

        def end(number: int, _: object = None) -> None:
            self.watch_terminal.expect_end(BY_SIGNAL + number)  # here, for the loop may be what hangs
            loop.call_soon_threadsafe(self._end, number)

        for number in ending_signals():
            signal.signal(number, end)
        self.watch_terminal.tell = lambda: loop.call_soon_threadsafe(self._end, signal.SIGHUP)

    def _end(self, number: int) -> None:
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # without its guardian the viewer is no longer in the foreground
        self.exit(return_code=BY_SIGNAL + number)

    @property
    def place(self) -> Place:
        """Where the user is, below any dialog."""
        return "cockpit" if any(isinstance(screen, CockpitScreen) for screen in self.screen_stack) else "launcher"

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The palette: everything in the registry."""
        for action in PLACES[self.place]:
            if action.palette:
                yield SystemCommand(action.label, action.help, self._runner(screen, action.name))

    def _runner(self, screen: Screen[object], action: str) -> Callable[[], object]:
        return lambda: self.call_later(screen.run_action, action)

    def action_help(self) -> None:
        screen = self.screen
        if isinstance(screen, CockpitScreen):
            pane = screen.focused_pane()
            topic, explained = (pane.NAME, pane.explained()) if pane else ("Cockpit", [("", HELP_COCKPIT)])
            self.push_screen(HelpScreen("cockpit", topic, explained))
        elif isinstance(screen, LauncherScreen):
            self.push_screen(HelpScreen("launcher", "Launcher", [("", HELP_LAUNCHER)]))

    def action_toggle_theme(self) -> None:
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name

    def action_picture(self) -> None:
        try:
            path = save_picture(self, self._data.root / "screens")
        except OSError as error:
            self.notify(str(error), title="No picture was saved", severity="error")
        else:
            self.notify(str(path), title="Picture saved")

    async def action_quit(self) -> None:
        """ctrl+q, from anywhere: the launcher's and the cockpit's way to leave; a dialog it closes."""
        screen = self.screen
        if isinstance(screen, CockpitScreen | LauncherScreen):
            screen.action_leave()
        elif isinstance(screen, LaunchingScreen):
            screen.action_close()
        elif isinstance(screen, ModalScreen):
            screen.dismiss(None)

    def action_help_quit(self) -> None:
        """ctrl+c by reflex ends nothing."""
        self.notify("q leaves. A running trainer goes on unless you say otherwise.", title="Nothing was stopped")


HELP_COCKPIT = (
    "One run, live or from disk. The two lines at the top say what the trainer does, how far it is and how fast; the panes "
    "below have digits. Everything shown was written to the run's journal by the trainer, so it is all still there when "
    "you come back. Capital letters act on the training, lower-case ones only on the view."
)
HELP_LAUNCHER = (
    "Profiles say what a bot shall learn, runs are bots in training, milestones are kept copies of them. Move with the arrow "
    "keys; the right side says in words what enter will do, from where and why, before it happens. A trainer that you "
    "launch goes on when this window closes."
)


def _driver() -> type[Driver] | None:
    """None: Textual's own, on Windows."""
    if sys.platform == "win32":
        return None
    from rltui.tui.terminal_driver import TerminalDriver

    return TerminalDriver


def run_app(
    data_dir: DataDir,
    attach: str | None = None,
    readonly: bool = False,
    *,
    ascii_only: bool = False,
    lifeline: Lifeline | None = None,
) -> int:
    """Open the launcher, or the cockpit on the run `attach`; returns the exit code when the user has left.

    readonly: look only. ascii_only: also where the terminal could draw more. lifeline: to the guardian, if there is one.
    """
    ascii_only = ascii_only or needs_ascii(os.environ)
    lifeline = lifeline or Lifeline()
    app = RltuiApp(data_dir, attach=attach, readonly=readonly, ascii_only=ascii_only, lifeline=lifeline)
    return run_until_left(app, lifeline)


def run_until_left(app: RltuiApp, lifeline: Lifeline) -> int:
    """The exit code: 0, 1 where the interface failed, 128 + N where signal N ended it."""
    with app.watch_terminal:
        words = app.run()
        lifeline.left()
    if words:
        print(words)
    if app.panicked or app.return_code == 1:
        print("rltui: the interface failed; a running trainer goes on. Look again: rltui attach", file=sys.stderr)
        return 1
    return app.return_code or 0
