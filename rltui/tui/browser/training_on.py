"""TrainingOn: from a saved state to a trainer, resumed or forked. What it will do is said, and asked, before it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rltui.tui.browser.library import Entry
from rltui.tui.browser.messages import RunOpened, StartReady
from rltui.tui.browser.starts import resume_start
from rltui.tui.launcher.offers import Offer
from rltui.tui.screens.fork import ForkScreen
from rltui.tui.screens.launching import LaunchingScreen
from rltui.tui.screens.limit_dialog import with_limit_asked
from rltui.tui.screens.start_dialog import StartDialog

if TYPE_CHECKING:
    from rltui.supervise.launch import LaunchedTrainer
    from rltui.tui.browser.surroundings import Surroundings
    from rltui.tui.screens.browser import BrowserScreen

MUCH = 50e6  # bytes: reading them takes a while that should be explained


class TrainingOn:
    """Of the browser's screen, which shows the dialogs and hears of the run that was opened."""

    def __init__(self, screen: BrowserScreen, around: Surroundings) -> None:
        self._screen, self._around = screen, around

    def resume(self, entry: Entry) -> None:
        """Read it to its last byte in a thread, then ask."""
        if (entry.bytes or 0) > MUCH:
            self._screen.notify("every byte of it is being read …", timeout=2)
        self._screen.run_worker(lambda: self._work_out(entry), thread=True, exit_on_error=False)

    def ask(self, message: StartReady) -> None:
        """Say what resuming would do."""
        self._screen.app.push_screen(StartDialog(message.start), self._launch)

    def fork(self, entry: Entry) -> None:
        """Ask for the profile of the new run."""
        if not entry.usable:
            why = f"nothing can be forked from this: {entry.reason or 'it is in the trash'}"
            self._screen.notify(why, severity="warning", timeout=8)
            return
        around = self._around
        self._screen.app.push_screen(ForkScreen(around.data, entry, around.checker, around.clock), self._launch)

    def _work_out(self, entry: Entry) -> None:
        self._screen.post_message(StartReady(resume_start(self._around.data, entry, self._around.clock())))

    def _launch(self, offer: Offer | None) -> None:
        if offer is not None:
            with_limit_asked(self._screen.app, offer, self._launch_now)

    def _launch_now(self, offer: Offer) -> None:
        screen = LaunchingScreen(offer, self._around.launch, self._around.clock)
        self._screen.app.push_screen(screen, self._launched)

    def _launched(self, trainer: LaunchedTrainer | None) -> None:
        if trainer is not None:
            self._screen.post_message(RunOpened(trainer.run, trainer))
