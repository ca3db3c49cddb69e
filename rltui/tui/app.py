"""The program: its screens and how they follow each other. What a screen shows is its own affair."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import App, SuspendNotSupported, SystemCommand
from textual.binding import BindingType
from textual.screen import ModalScreen, Screen

from rltui.errors import RltuiError
from rltui.runs.paths import DataDir, name_problem
from rltui.supervise.lifeline import BY_SIGNAL, Lifeline, ending_signals
from rltui.tui.actions import PLACES, Place, pane_actions
from rltui.tui.browser.hash_checks import HashChecks
from rltui.tui.browser.messages import RunOpened, WatchAsked
from rltui.tui.copying import Copying
from rltui.tui.herald import Herald
from rltui.tui.launcher_tools import LauncherTools
from rltui.tui.memory import free_megabytes
from rltui.tui.messages import BrowserAsked
from rltui.tui.offers import Offer
from rltui.tui.other_run import OtherRuns
from rltui.tui.own_keys import keymap
from rltui.tui.paint import plain
from rltui.tui.panes.catalogue import PANES
from rltui.tui.panes.pane import Pane
from rltui.tui.pictures import save_picture, screen_text
from rltui.tui.profile_check import ProfileChecker
from rltui.tui.run_reader import RunSource
from rltui.tui.runs_on_disk import RunsOnDisk
from rltui.tui.sampler import Sampler
from rltui.tui.screens.browser import BrowserScreen, Surroundings
from rltui.tui.screens.cockpit import CockpitScreen
from rltui.tui.screens.help import HelpScreen
from rltui.tui.screens.launcher import LauncherScreen
from rltui.tui.screens.launching import LaunchingScreen
from rltui.tui.sources import RunFiles
from rltui.tui.symbols import AsciiFilter, chart_style, needs_ascii
from rltui.tui.table_check import TableChecker
from rltui.tui.teller import Teller
from rltui.tui.terminal_watch import TerminalWatch
from rltui.tui.themes import DARK, LIGHT
from rltui.tui.ui_settings import UiSettings
from rltui.tui.ui_toml import Loaded, load, save_layout, ui_path

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual.driver import Driver

    from rltui.supervise.launch import LaunchedTrainer
    from rltui.tui.screens.launching import Launch

LAUNCHER = "launcher"  # the installed screen's name
FORM_CLASS = "profile-form"  # its module imports tomlkit: it is known by its class in the styles


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
    tools: LauncherTools = field(default_factory=LauncherTools)
    tables: TableChecker = field(default_factory=TableChecker)
    other_runs: OtherRuns | None = None  # to compare with
    sampler: Callable[[Path, Callable[[], int | None]], Sampler] = Sampler


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
        ui: Loaded | None = None,
    ) -> None:
        """ui: the user's own keys, layout and notices."""
        no_color = os.environ.get("NO_COLOR")
        super().__init__(driver_class=_driver())
        if no_color is not None:
            os.environ["NO_COLOR"] = no_color  # Textual takes it away; trainers launched from here shall know it
        self._data, self._first_run, self._readonly = data, attach, readonly
        self._world = world or World()
        self.other_runs = self._world.other_runs or RunsOnDisk(data)
        self._lifeline = lifeline or Lifeline()
        self.watch_terminal = TerminalWatch(self._lifeline)
        self.panicked = False
        self._checks = HashChecks()
        self._back_to = ""  # the run whose cockpit the browser was opened from
        self._charts = chart_style(os.environ, ascii_only)
        if ascii_only:
            self._filters.append(AsciiFilter())
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.ui = ui or Loaded(UiSettings(), ui_path())
        self.own_keys = self.ui.settings.keys
        self.set_keymap(keymap(self.own_keys))
        self._teller = Teller(self, self.ui.settings, self.write_to_terminal)
        self._herald = Herald(self._world.clock())
        self._copying = Copying(self)
        self.theme = LIGHT.name if self.ui.settings.theme == "light" else DARK.name
        if self.ui.settings.charts != "auto" and not ascii_only:
            self._charts = self.ui.settings.charts

    def on_load(self) -> None:
        self._lifeline.entered()

    def on_mount(self) -> None:
        self._end_on_signals()
        self._teller.begin()
        self.set_interval(1.0, self._look_after_run)
        if self.ui.problems:
            lines = "\n".join(str(problem) for problem in self.ui.problems)
            self.notify(
                lines, title="ui.toml: the defaults hold for this", severity="warning", timeout=20, markup=False
            )
        launch = self._world.launch or self._launch_detached
        world = self._world
        launcher = LauncherScreen(self._data, launch, world.checker, world.clock, world.free_memory, world.tools)
        self.install_screen(launcher, LAUNCHER)
        if self._first_run is not None:
            self.open_run(self._first_run)
        else:
            self.show_launcher()

    def on_unmount(self) -> None:
        self._teller.end()

    def write_to_terminal(self, sequence: str) -> None:
        """What is for the terminal itself and draws nothing."""
        if self._driver is not None and not self.is_headless:
            self._driver.write(sequence)

    def on_cockpit_screen_news(self, message: CockpitScreen.News) -> None:
        for notice in self._herald.hear(message.before, message.now):
            self._teller.tell(notice)

    def _look_after_run(self) -> None:
        """A trainer that has gone without a word says so to nobody."""
        cockpit = self._cockpit
        moment = self._world.clock()
        for notice in self._herald.tick(cockpit.snapshot, moment) if cockpit is not None else ():
            self._teller.tell(notice)
        self._teller.name_run(cockpit.snapshot if cockpit is not None else None, moment)

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
        self._herald = Herald(self._world.clock())
        source = (self._world.sources or self._run_files)(run, trainer)
        self._show(
            CockpitScreen(
                source, readonly=self._readonly, charts=self._charts, clock=self._world.clock, layout=self.ui.settings
            )
        )

    def _show(self, screen: Screen[None] | str) -> None:
        """In the place of the launcher or cockpit that is there; the first goes on Textual's own empty screen."""
        if len(self.screen_stack) == 1:
            self.push_screen(screen)
        else:
            self.switch_screen(screen)

    def on_browser_asked(self, message: BrowserAsked) -> None:
        """The browser in the place of what is shown, which it goes back to."""
        self._back_to = message.run if self.place == "cockpit" else ""
        state = Path(message.state) if message.state else None
        launch = self._world.launch or self._launch_detached
        around = Surroundings(
            self._data, launch, self._world.checker, self._world.clock, self._checks, message.run, state,
            readonly=self._readonly, ascii_only=self._charts == "ascii",
        )  # fmt: skip
        self._show(BrowserScreen(around))

    def on_browser_left(self) -> None:
        if self._back_to:
            self.open_run(self._back_to)
        else:
            self.show_launcher()

    def on_run_opened(self, message: RunOpened) -> None:
        self.open_run(message.run, message.trainer)

    def on_watch_asked(self, message: WatchAsked) -> None:
        """A match has the terminal until it is left."""
        from rltui.supervise.foreground import run_in_foreground

        try:
            with self.suspend():
                code = run_in_foreground(message.command, lambda: self.watch_terminal.asked_to_end)
        except (OSError, SuspendNotSupported) as error:
            self.notify(str(error), title="It cannot be watched here", severity="error")
            return
        if code:
            self.notify(
                f"{shlex.join(message.command[1:])}: exit code {code}",
                title="The match ended early",
                severity="warning",
            )

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
    def data(self) -> DataDir:
        """The folder that this program looks at."""
        return self._data

    @property
    def world(self) -> World:
        """What lies outside the program."""
        return self._world

    @property
    def guarded(self) -> bool:
        """Whether the parent process is this program's guardian."""
        return self._lifeline.guardian is not None

    @property
    def bytes_written(self) -> int | None:
        """To the terminal since the start; None where nobody counts."""
        written = getattr(self._driver, "written", None)
        return written if isinstance(written, int) else None

    @property
    def place(self) -> Place:
        """Where the user is, below any dialog."""
        if any(screen.has_class(FORM_CLASS) for screen in self.screen_stack):
            return "form"
        if any(isinstance(screen, BrowserScreen) for screen in self.screen_stack):
            return "browser"
        return "cockpit" if any(isinstance(screen, CockpitScreen) for screen in self.screen_stack) else "launcher"

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The palette: everything in the registry."""
        for action in PLACES[self.place]:
            if action.palette:
                yield SystemCommand(action.label, action.help, self._runner(screen, action.name))
        if isinstance(screen, CockpitScreen) and (pane := screen.focused_pane()) is not None:
            for action in pane_actions(pane.pane_id()):
                if action.palette:
                    yield SystemCommand(f"{pane.NAME}: {action.label}", action.help, self._runner(pane, action.name))

    def _runner(self, owner: Screen[object] | Pane, action: str) -> Callable[[], object]:
        return lambda: self.call_later(owner.run_action, action)

    def action_help(self) -> None:
        screen = self.screen
        if isinstance(screen, CockpitScreen):
            pane = screen.focused_pane()
            topic, explained = (pane.NAME, pane.explained()) if pane else ("Cockpit", [("", HELP_COCKPIT)])
            self.push_screen(HelpScreen("cockpit", topic, explained, pane.pane_id() if pane else ""))
        elif isinstance(screen, LauncherScreen):
            self.push_screen(HelpScreen("launcher", "Launcher", [("", HELP_LAUNCHER)]))
        elif isinstance(screen, BrowserScreen):
            self.push_screen(HelpScreen("browser", "Milestones and checkpoints", HELP_BROWSER))

    def action_toggle_theme(self) -> None:
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name

    @property
    def pictures(self) -> Path:
        """Where pictures and copied texts go: the folder of the run that is looked at, else the data folder."""
        cockpit = self._cockpit
        name = cockpit.source.name if cockpit is not None else ""
        return (self._data.run(name).folder if name and not name_problem(name) else self._data.root) / "screens"

    @property
    def _cockpit(self) -> CockpitScreen | None:
        return next((screen for screen in self.screen_stack if isinstance(screen, CockpitScreen)), None)

    def action_picture(self) -> None:
        try:
            path = save_picture(self, self.pictures)
        except OSError as error:
            self.notify(str(error), title="No picture was saved", severity="error", markup=False)
        else:
            self.notify(f"{path}\nand as text beside it", title="Picture saved", markup=False)

    def copy_to_clipboard(self, text: str) -> None:
        """A selection, by ctrl+c."""
        self._clipboard = text
        self._copying.copy(text, "selection")

    def action_copy(self) -> None:
        """What has the focus, as text; the whole screen where that is nothing with lines."""
        cockpit = self._cockpit
        pane = cockpit.focused_pane() if cockpit is not None and cockpit is self.screen else None
        if pane is not None:
            self._copying.copy(plain(pane.lines), pane.pane_id())
        else:
            self._copying.copy(screen_text(self.screen).rstrip(), "screen")

    def action_save_layout(self) -> None:
        """Which panes the slots show, how high they are, light or dark: to ui.toml, as the user asked."""
        cockpit = self._cockpit
        if cockpit is None:
            return
        theme = "light" if self.theme == LIGHT.name else "dark"
        try:
            save_layout(self.ui.path, cockpit.seating.shows(), cockpit.seating.extra, theme)
        except RltuiError as error:
            self.notify(error.message, title="Not saved", severity="error", markup=False)
            return
        cockpit.seating.keep()
        self.notify(str(self.ui.path), title="Layout saved", markup=False)

    async def action_quit(self) -> None:
        """ctrl+q, from anywhere: the launcher's and the cockpit's way to leave; a dialog it closes."""
        screen = self.screen
        if isinstance(screen, CockpitScreen | LauncherScreen | BrowserScreen):
            screen.action_leave()
        elif screen.has_class(FORM_CLASS):
            await screen.run_action("leave")
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
HELP_BROWSER = (
    ("", "Everything that is kept of every bot. The tree chooses what the table shows; branches and forks stand below the run that they left."),
    ("signs", "○ its hashes have not been compared yet, ✓ every byte is right, ✗ damaged, ! a stray that rltui leaves alone, × in the trash; ▲ pinned, ● released, ■ marked for the comparison"),
    ("milestone", "a copy that is kept until you delete it"),
    ("checkpoint", "the newest states of a run; older ones are removed as newer ones come"),
    ("rating", "from games between milestones; – while none have been played"),
    ("safety", "Nothing here changes a saved state: marks are kept beside it, a deletion can be undone, and nothing starts from zero."),
)  # fmt: skip


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
    mouse: bool = True,
    lifeline: Lifeline | None = None,
) -> int:
    """Open the launcher, or the cockpit on the run `attach`; returns the exit code when the user has left.

    readonly: look only. ascii_only: also where the terminal could draw more. mouse: False leaves it to the terminal.
    lifeline: to the guardian, if there is one.
    """
    ascii_only = ascii_only or needs_ascii(os.environ)
    lifeline = lifeline or Lifeline()
    ui = load(ui_path(), [pane.pane_id() for pane in PANES])
    app = RltuiApp(data_dir, attach=attach, readonly=readonly, ascii_only=ascii_only, lifeline=lifeline, ui=ui)
    if os.environ.get("SSH_CONNECTION"):
        app.animation_level = "none"
    return run_until_left(app, lifeline, mouse=mouse and ui.settings.mouse)


def run_until_left(app: RltuiApp, lifeline: Lifeline, *, mouse: bool = True) -> int:
    """The exit code: 0, 1 where the interface failed, 128 + N where signal N ended it."""
    with app.watch_terminal:
        words = app.run(mouse=mouse)
        lifeline.left()
    if words:
        print(words)
    if app.panicked or app.return_code == 1:
        print("rltui: the interface failed; a running trainer goes on. Look again: rltui attach", file=sys.stderr)
        return 1
    return app.return_code or 0
