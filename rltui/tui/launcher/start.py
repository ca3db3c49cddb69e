"""From plan to running trainer, with its dialogs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Size

from rltui import formatting
from rltui.errors import RltuiError
from rltui.formatting import LARGEST, timesteps_of
from rltui.tui.launcher.plan import LaunchPlan, Start, larger_than, offer_profile, with_total
from rltui.tui.launcher.tree import Item
from rltui.tui.text import Line, wrap
from rltui.tui.widgets.dialogs import AskDialog, Asked, Choices, Dialog, InputCheck, TypedDialog
from rltui.tui.widgets.line_widget import LineWidget
from rltui.tui.widgets.list_view import ScrollableLines

if TYPE_CHECKING:
    from textual.app import App

    from rltui.runs.paths import DataDir
    from rltui.supervise.launch import LaunchedTrainer
    from rltui.tui.dependencies import Launch
    from rltui.tui.launcher.catalog import ProfileEntry
    from rltui.tui.launcher.screen import LauncherScreen


class LaunchingText(ScrollableLines):
    """Words of the start, then of its failure."""

    def __init__(self, offer: LaunchPlan, clock: Callable[[], float]) -> None:
        super().__init__(name="launching-text")
        self._offer, self._clock = offer, clock
        self._begun = clock()
        self.error: RltuiError | None = None

    def paint(self, width: int, height: int) -> list[Line]:
        return self.window(self._lines(width), height)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(width))

    def _lines(self, width: int) -> list[Line]:
        lines = [*wrap(self._offer.title, width, "strong"), *wrap(self._offer.reason, width, "muted")]
        if self.error is None:
            waited = formatting.duration(self._clock() - self._begun)
            return [
                *lines,
                (),
                *wrap(f"◌ The trainer starts: it loads torch, then spawns its workers. {waited}", width, "busy"),
            ]
        lines += [(), *wrap(f"✗ It did not start: {self.error.message}", width, "bad")]
        return [*lines, *([()] if self.error.hint else []), *wrap(self.error.hint, width, "muted")]


class LaunchingScreen(Dialog["LaunchedTrainer | None"]):
    """Dismissed with the trainer once its run has started; a failure stays until it is closed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "close", "Close"),
        ("q", "close", "Close"),
        ("enter", "close", "Close"),
    ]

    def __init__(self, offer: LaunchPlan, launch: Launch, clock: Callable[[], float] = time.time) -> None:
        super().__init__()
        self._offer, self._launch = offer, launch
        self._text = LaunchingText(offer, clock)

    def compose(self) -> ComposeResult:
        with Vertical(id="launching") as box:
            box.border_title = "Launching"
            yield self._text

    def on_mount(self) -> None:
        self.set_interval(0.5, self._text.repaint)
        self.run_worker(self._start, thread=True, exit_on_error=False)

    def _start(self) -> None:
        try:
            trainer = self._launch(self._offer)
        except RltuiError as error:
            self.app.call_from_thread(self._failed, error)
        except Exception as error:  # whatever it was, it belongs on the screen and not into a crash
            self.app.call_from_thread(self._failed, RltuiError(f"{type(error).__name__}: {error}"))
        else:
            self.app.call_from_thread(self.dismiss, trainer)

    def _failed(self, error: RltuiError) -> None:
        self._text.error = error
        self._text.refresh(layout=True)
        self._text.repaint()
        self.query_one("#launching").border_subtitle = "esc closes"

    def action_close(self) -> None:
        """Only a failure can be closed: the trainer that is being started cannot be called back from here."""
        if self._text.error is not None:
            self.dismiss(None)

    def leave(self) -> None:
        self.action_close()


Choice = tuple[str, "str | None", str, str]  # key, answer, title, explanation


class Starting:
    """Of the launcher's screen, which shows the dialogs and opens the run."""

    def __init__(self, screen: LauncherScreen, data: DataDir, launch: Launch, clock: Callable[[], float]) -> None:
        self._screen, self._data, self._launch, self._clock = screen, data, launch, clock

    def start(self, offer: LaunchPlan) -> None:
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

    def _say_refused(self, offer: LaunchPlan) -> None:
        self._screen.notify(offer.hint, title=offer.refused.split("\n")[0], severity="error", timeout=8)

    def _ask_branch(self, offer: LaunchPlan) -> None:
        """From a milestone: enter shows what a run is, so it may have been pressed to look."""
        from rltui.tui.launcher.plan import Start  # not needed before the first picture

        self._screen.app.push_screen(StartDialog(Start(offer)), lambda wanted: self._begin(wanted) if wanted else None)

    def _begin(self, offer: LaunchPlan) -> None:

        with_limit_asked(self._screen.app, offer, self._launch_now)

    def _launch_now(self, offer: LaunchPlan) -> None:
        self._screen.app.push_screen(LaunchingScreen(offer, self._launch, self._clock), self._launched)

    def _ask_otherwise(self, entry: ProfileEntry, offer: LaunchPlan) -> None:
        """No run can be gone on with: show one that is being trained, or begin another."""
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


class StartWords(LineWidget):
    """Of the offer, or of the refusal."""

    def __init__(self, offer: LaunchPlan) -> None:
        super().__init__(name="start-words")
        self._offer = offer

    def paint(self, width: int, height: int) -> list[Line]:
        return [*offer_lines(self._offer, width), ()]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.paint(width, 100))


def offer_lines(offer: LaunchPlan, width: int) -> list[Line]:
    """What would happen, or each difference that keeps it from happening."""
    if offer.refused:
        found = [row for text in offer.refused.split("\n") for row in wrap(text, width, "bad")]
        return found + (wrap(offer.hint, width, "muted") if offer.hint else [])
    found = [*wrap(offer.title, width, "strong"), *wrap(offer.reason, width)]
    return found + [row for warning in offer.warnings for row in wrap(f"! {warning}", width, "warn")]


class StartDialog(Dialog[LaunchPlan | None]):
    """Dismissed with what is to be launched, or None. The safe choice comes first, and nothing starts from zero."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Cancel")]

    def __init__(self, start: Start) -> None:
        super().__init__()
        self._start = start

    def compose(self) -> ComposeResult:
        offer, instead = self._start.offer, self._start.instead
        choices: list[tuple[str, str | None, str, str]] = [("c", None, "Cancel", "Nothing is changed.")]
        if not offer.refused:
            choices.append(
                (
                    "r",
                    "go",
                    offer.title[:1].upper() + offer.title[1:],
                    "A trainer starts; it goes on when this window closes.",
                )
            )
        elif instead is not None and not instead.refused:
            choices.append(("g", "instead", "Use the newest good one before it", f"{instead.title}: {instead.reason}"))
        with Vertical(id="dialog") as box:
            box.border_title = "It cannot be gone on from" if offer.refused else "Train on from here"
            yield StartWords(offer)
            yield Choices(choices)

    def dismiss(self, result: object = None) -> object:  # type: ignore[override]
        """Choices gives words, the caller wants the offer."""
        offers = {"go": self._start.offer, "instead": self._start.instead}
        return super().dismiss(offers.get(result) if isinstance(result, str) else None)


def with_limit_asked(app: App[Any], offer: LaunchPlan, go: Callable[[LaunchPlan], None]) -> None:
    """Call `go` with the offer: at once, or once a new limit has been given where the old one is reached."""
    if offer.reached is None:
        go(offer)
        return

    def answered(text: str | None) -> None:
        if text is not None:
            go(with_total(offer, timesteps_of(text)))

    app.push_screen(TypedDialog(_asked(offer, offer.reached)), answered)


def _asked(offer: LaunchPlan, limit: int) -> Asked:
    example = larger_than(offer.timesteps)
    lines = (
        (f"{offer.run} was started to end at {limit:,} timesteps, and has {offer.timesteps:,}.", "strong"),
        (f"Type the total at which it is to end now, as in {example:,} or {formatting.exact(example)}.", ""),
    )

    def judge(text: str) -> InputCheck:
        if not text.strip():
            return InputCheck("enter alone: it trains on until you stop it")
        total = timesteps_of(text)
        if total is None:
            return InputCheck(f"✗ expected a whole number of timesteps, at most {LARGEST:,}")
        if total <= offer.timesteps:
            return InputCheck(f"✗ it has {offer.timesteps:,} already: a larger total")
        return InputCheck(f"✓ enter trains on, {total - offer.timesteps:,} timesteps more", True)

    return Asked("Its step limit is reached", lines, judge, placeholder=f"{example:,}", empty="take")
