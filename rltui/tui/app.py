"""RltuiApp: theme, keys, and the wiring of screens, notices and captures; and its run, from start to exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen, Screen

from rltui.errors import RltuiError
from rltui.runs.paths import DATA_VARIABLE, DataDir, name_problem
from rltui.supervise.guardian import Lifeline
from rltui.supervise.signals import BY_SIGNAL
from rltui.supervise.terminal import in_browser
from rltui.tui import background
from rltui.tui.actions import Place, place_of
from rltui.tui.ascii import AsciiFilter, ControlCharacterFilter, chart_style, needs_ascii
from rltui.tui.capture import Capture, screen_text
from rltui.tui.dependencies import Dependencies, ViewOptions
from rltui.tui.help import FocusedPane, PaletteCommands, help_on, palette_commands
from rltui.tui.keymap import keymap
from rltui.tui.messages import BrowserAsked, GamesPlayed, Refused, ResumeAsked, RunOpened, WatchAsked
from rltui.tui.navigation import Navigator
from rltui.tui.notifications import Notifier
from rltui.tui.settings import LoadedSettings, UiSettings, load, save_layout, ui_path
from rltui.tui.terminal.exit import TerminalWatch, end_on_signals, lend_terminal
from rltui.tui.terminal.key_queue import KeyDone, KeyQueue
from rltui.tui.text import plain
from rltui.tui.themes import DARK, LIGHT
from rltui.tui.widgets.dialogs import Dialog, Palette

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual.actions import ActionParseResult
    from textual.dom import DOMNode
    from textual.driver import Driver
    from textual.notifications import SeverityLevel

    from rltui.run_state.other_run import OtherRuns
    from rltui.tui.cockpit.screen import CockpitScreen
    from rltui.tui.panes.pane import Pane


class RltuiApp(App[str]):
    """Launcher or cockpit, and dialogs above them. Ends with a sentence for the terminal, or nothing."""

    CSS_PATH: ClassVar[list[str]] = ["styles/app.tcss", "styles/form.tcss"]  # type: ignore[assignment]  # Textual: any paths
    TITLE = "rltui"
    ENABLE_COMMAND_PALETTE = True
    # Beside Textual's own key, which browsers print by; with priority as that one, so that it is there in a dialog too.
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+p,f2", "command_palette", show=False, priority=True)]
    COMMANDS = {PaletteCommands}  # noqa: RUF012  # Textual: read only

    def __init__(
        self,
        data: DataDir,
        *,
        attach: str | None = None,
        readonly: bool = False,
        ascii_only: bool = False,
        dependencies: Dependencies | None = None,
        ui: LoadedSettings | None = None,
    ) -> None:
        """ui: the user's own keys, layout and notices."""
        no_color = os.environ.get("NO_COLOR")
        super().__init__(driver_class=_driver())
        if no_color is not None:
            os.environ["NO_COLOR"] = no_color  # Textual takes it away; trainers launched from here shall know it
        self._data, self._first_run = data, attach
        self._dependencies = dependencies or Dependencies()
        self._lifeline = self._dependencies.lifeline
        self.watch_terminal = TerminalWatch(self._lifeline)
        self.panicked = False
        self._key_queue = KeyQueue(self)
        self._filters.append(ControlCharacterFilter())
        if ascii_only:
            self._filters.append(AsciiFilter())
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.ui = ui or LoadedSettings(UiSettings(), ui_path())
        self.own_keys = self.ui.settings.keys
        self.set_keymap(keymap(self.own_keys))
        self._notifier = Notifier(self, self.ui.settings, self._dependencies.clock, self.write_to_terminal)
        self._capture = Capture(self, lambda: self._screens_folder, lambda words: self.write_to_terminal(words))
        self.theme = self._css_theme = LIGHT.name if self.ui.settings.theme == "light" else DARK.name
        self.stylesheet.set_variables(self.get_css_variables())
        charts = self.ui.settings.charts
        charts = chart_style(os.environ, ascii_only) if ascii_only or charts == "auto" else charts
        options = ViewOptions(readonly, charts, self.ui.settings)
        self._navigator = Navigator(self, data, self._dependencies, options, self._notifier)

    def on_load(self) -> None:
        self._lifeline.entered()

    def on_mount(self) -> None:
        if not self.is_headless:
            end_on_signals(self.watch_terminal, self._end)
        self._notifier.begin()
        self.set_interval(1.0, self._check_run)
        if not self.is_headless:
            self.set_timer(background.FIRST_PICTURE, background.begin_imports)
        if self.ui.problems:
            lines = "\n".join(str(problem) for problem in self.ui.problems)
            self.notify(lines, title="ui.toml: the defaults hold for this", severity="warning", timeout=20)
        if self._first_run is not None:
            self._navigator.show_run(self._first_run)
        else:
            self._navigator.show_launcher()

    async def on_event(self, event: events.Event) -> None:
        """Keys and pastes are handed on one after the other."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await super().on_event(event)
        elif self._key_queue.arrived(event):
            await super().on_event(event)
            self._key_queue.passed_on()

    def on_key_done(self, message: KeyDone) -> None:
        self._key_queue.answered(message)

    def on_unmount(self) -> None:
        self._notifier.end()
        self._navigator.end()

    def write_to_terminal(self, sequence: str) -> None:
        """A sequence for the terminal itself, which draws nothing."""
        if self._driver is not None and not self.is_headless:
            self._driver.write(sequence)

    def on_cockpit_screen_snapshot_changed(self, message: CockpitScreen.SnapshotChanged) -> None:
        self._notifier.hear(message.before, message.now)

    def _check_run(self) -> None:
        cockpit = self._navigator.cockpit
        self._notifier.look(cockpit.snapshot if cockpit is not None else None)

    def refresh_css(self, animate: bool = True) -> None:
        """Textual asks for it at its start too, where all has just been read in the right colours."""
        if self.theme != self._css_theme:
            self._css_theme = self.theme
            super().refresh_css(animate)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """As Textual does, but never as markup: paths, names and errors have brackets of their own."""
        super().notify(message, title=title, severity=severity, timeout=timeout, markup=False)

    def panic(self, *renderables: RenderableType) -> None:
        """Something failed that nobody foresaw, in Textual or here: say what, and end with 1."""
        self.panicked = True
        super().panic(*renderables)

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """An action that cannot act now raises why: no key does nothing silently."""
        try:
            return await super().run_action(action, default_namespace, namespaces)
        except RltuiError as error:
            self._notifier.refuse(error)
            return True

    def on_refused(self, message: Refused) -> None:
        self._notifier.refuse(message.error)

    def on_browser_asked(self, message: BrowserAsked) -> None:
        self._navigator.show_browser(message.run, message.state)

    def on_browser_left(self) -> None:
        self._navigator.leave_browser()

    def on_run_opened(self, message: RunOpened) -> None:
        self._navigator.open_run(message.run, message.trainer)

    def on_resume_asked(self, message: ResumeAsked) -> None:
        self._navigator.resume_run(message.run)

    def on_cockpit_screen_left(self) -> None:
        self._navigator.show_launcher()

    def on_games_played(self, message: GamesPlayed) -> None:
        severity: SeverityLevel = "error" if message.failed else "information"
        self.notify(message.words, title="Evaluation", severity=severity, timeout=20)

    def on_watch_asked(self, message: WatchAsked) -> None:
        """A match has the terminal until it is left."""
        lend_terminal(self, message.command, lambda: self.watch_terminal.asked_to_end)

    def _end(self, number: int) -> None:
        self.exit(return_code=BY_SIGNAL + number)

    @cached_property
    def other_runs(self) -> OtherRuns:
        """To compare with the one that is looked at."""
        from rltui.run_state.other_run import RunsOnDisk

        return self._dependencies.other_runs or RunsOnDisk(self._data)

    @property
    def data(self) -> DataDir:
        """The folder that this program looks at."""
        return self._data

    @property
    def dependencies(self) -> Dependencies:
        """What it takes from outside."""
        return self._dependencies

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
        return next((place for screen in reversed(self.screen_stack) if (place := place_of(screen))), "launcher")

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The palette: everything in the registry."""
        yield from palette_commands(self.place, screen, self._explained_pane(screen), self.own_keys)

    def action_command_palette(self) -> None:
        if not isinstance(self.screen, Palette):
            self.push_screen(Palette())

    def action_help(self) -> None:
        explained = help_on(place_of(self.screen), self._explained_pane(self.screen))
        if explained is not None:
            self.push_screen(explained)

    def action_toggle_theme(self) -> None:
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name

    @property
    def _screens_folder(self) -> Path:
        """Where pictures and copied texts go: the folder of the run that is looked at, else the data folder."""
        cockpit = self._navigator.cockpit
        run = cockpit.source.name if cockpit is not None else ""
        return (self._data.run(run).folder if run and not name_problem(run) else self._data.root) / "screens"

    def _focused_pane(self, screen: Screen[object]) -> Pane | None:
        """None where the screen is not the cockpit."""
        cockpit = self._navigator.cockpit
        return cockpit.focused_pane() if cockpit is not None and cockpit is screen else None

    def _explained_pane(self, screen: Screen[object]) -> FocusedPane | None:
        pane = self._focused_pane(screen)
        return FocusedPane(pane, pane.pane_id(), pane.NAME, pane.explained()) if pane is not None else None

    def keep_trace(self, error: BaseException) -> str:
        """What nobody foresaw, in words; its traceback goes to a file that they name."""
        return self._capture.keep_trace(error)

    def action_picture(self) -> None:
        self._capture.picture()

    def copy_to_clipboard(self, text: str) -> None:
        """A selection, by ctrl+c."""
        self._clipboard = text
        self._capture.copy(text, "selection")

    def action_copy(self) -> None:
        """What has the focus, as text; the whole screen where that is nothing with lines."""
        if (pane := self._focused_pane(self.screen)) is not None:
            self._capture.copy(plain(pane.lines), pane.pane_id())
        else:
            self._capture.copy(screen_text(self.screen).rstrip(), "screen")

    def action_save_layout(self) -> None:
        """Which panes the slots show, how high they are, light or dark: to ui.toml."""
        cockpit = self._navigator.cockpit
        if cockpit is None:
            return
        choice = cockpit.grid.choice
        save_layout(self.ui.path, choice.chosen_ids(), choice.extra, "light" if self.theme == LIGHT.name else "dark")
        choice.make_default()
        self.notify(self.ui.path.name, title="Layout saved")

    async def action_quit(self) -> None:
        """ctrl+q, from anywhere: the launcher's and the cockpit's way to leave; a dialog it closes."""
        screen = self.screen
        if place_of(screen) is not None:
            await screen.run_action("leave")
        elif isinstance(screen, Dialog):
            screen.leave()
        elif isinstance(screen, ModalScreen):
            screen.dismiss(None)

    def action_help_quit(self) -> None:
        """ctrl+c by reflex ends nothing."""
        self.notify("q leaves. A running trainer goes on unless you say otherwise.", title="Nothing was stopped")


def _driver() -> type[Driver] | None:
    """None: Textual's own, in a browser and on Windows."""
    if sys.platform != "win32" and not in_browser(os.environ):
        from rltui.tui.terminal.driver import TerminalDriver

        return TerminalDriver
    return None


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
    os.environ[DATA_VARIABLE] = str(data_dir.root)  # children that check profiles look for saved bots in the same
    ascii_only = ascii_only or needs_ascii(os.environ)
    lifeline = lifeline or Lifeline()
    ui = load(ui_path())
    dependencies = Dependencies(lifeline=lifeline)
    app = RltuiApp(data_dir, attach=attach, readonly=readonly, ascii_only=ascii_only, dependencies=dependencies, ui=ui)
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
