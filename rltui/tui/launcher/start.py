"""From a LaunchPlan to a running trainer, with the dialogs on the way."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Size
from textual.screen import Screen

from rltui import formatting
from rltui.errors import RltuiError
from rltui.formatting import LARGEST, timesteps_of
from rltui.runs.summary import RunSummary
from rltui.tui.dependencies import Launch
from rltui.tui.launcher.catalog import ProfileEntry
from rltui.tui.launcher.plan import LaunchPlan, StatePlan, next_round_total, with_step_limit
from rltui.tui.messages import RunOpened
from rltui.tui.text import Line, wrap
from rltui.tui.widgets.dialogs import (
    AskDialog,
    Choice,
    Choices,
    Dialog,
    DialogText,
    InputCheck,
    PromptDialog,
    TextPrompt,
)
from rltui.tui.widgets.list_view import ScrollableLines

if TYPE_CHECKING:
    from rltui.supervise.launch import LaunchedTrainer


def launch_plan(screen: Screen[Any], plan: LaunchPlan, launch: Launch, clock: Callable[[], float]) -> None:
    """Ask for a new step limit where the old one is reached, launch, and post RunOpened to the screen."""

    def opened(trainer: LaunchedTrainer | None) -> None:
        if trainer is not None:
            screen.post_message(RunOpened(trainer.run, trainer))

    def go(limited: LaunchPlan) -> None:
        screen.app.push_screen(LaunchingScreen(limited, launch, clock), opened)

    def answered(text: str | None) -> None:
        if text is not None:
            go(with_step_limit(plan, timesteps_of(text)))

    if plan.reached is None:
        go(plan)
    else:
        screen.app.push_screen(PromptDialog(_limit_question(plan, plan.reached)), answered)


def _limit_question(plan: LaunchPlan, limit: int) -> TextPrompt:
    example = next_round_total(plan.timesteps)
    lines = (
        (f"{plan.run} was started to end at {limit:,} timesteps, and has {plan.timesteps:,}.", "strong"),
        (f"Type the total at which it is to end now, as in {example:,} or {formatting.exact(example)}.", ""),
    )

    def judge(text: str) -> InputCheck:
        if not text.strip():
            return InputCheck("enter alone: it trains on until you stop it")
        total = timesteps_of(text)
        if total is None:
            return InputCheck(f"✗ expected a whole number of timesteps, at most {LARGEST:,}")
        if total <= plan.timesteps:
            return InputCheck(f"✗ it has {plan.timesteps:,} already: a larger total")
        return InputCheck(f"✓ enter trains on, {total - plan.timesteps:,} timesteps more", True)

    return TextPrompt("Its step limit is reached", lines, judge, placeholder=f"{example:,}", empty="take")


class LaunchingText(ScrollableLines):
    """What starts and for how long, then why it failed."""

    def __init__(self, plan: LaunchPlan, clock: Callable[[], float]) -> None:
        super().__init__(name="launching-text")
        self._plan, self._clock = plan, clock
        self._begun = clock()
        self.error: RltuiError | None = None

    def paint(self, width: int, height: int) -> list[Line]:
        return self.window(self._lines(width), height)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(width))

    def _lines(self, width: int) -> list[Line]:
        lines = [*wrap(self._plan.title, width, "strong"), *wrap(self._plan.reason, width, "muted"), ()]
        if self.error is None:
            waited = formatting.duration(self._clock() - self._begun)
            words = f"◌ The trainer starts: it loads torch, then spawns its workers. {waited}"
            return [*lines, *wrap(words, width, "busy")]
        lines += wrap(f"✗ It did not start: {self.error.message}", width, "bad")
        return [*lines, *([()] if self.error.hint else []), *wrap(self.error.hint, width, "muted")]


class LaunchingScreen(Dialog["LaunchedTrainer | None"]):
    """Dismissed with the trainer once its run has started; a failure stays until it is closed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "close", "Close"),
        ("q", "close", "Close"),
        ("enter", "close", "Close"),
    ]

    def __init__(self, plan: LaunchPlan, launch: Launch, clock: Callable[[], float] = time.time) -> None:
        super().__init__()
        self._plan, self._launch = plan, launch
        self._text = LaunchingText(plan, clock)

    def compose(self) -> ComposeResult:
        with Vertical(id="launching") as box:
            box.border_title = "Launching"
            yield self._text

    def on_mount(self) -> None:
        self.set_interval(0.5, self._text.repaint)
        self.run_worker(self._start, thread=True, exit_on_error=False)

    def _start(self) -> None:
        """In a thread."""
        try:
            trainer = self._launch(self._plan)
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


class StartDialog(Dialog[LaunchPlan | None]):
    """Dismissed with what is to be launched, or None. The safe choice comes first, and nothing starts from zero."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Cancel")]

    def __init__(self, found: StatePlan) -> None:
        super().__init__()
        self._found = found

    def compose(self) -> ComposeResult:
        plan, fallback = self._found.plan, self._found.fallback
        choices: list[Choice] = [("c", None, "Cancel", "Nothing is changed.")]
        if not plan.refused:
            title = plan.title[:1].upper() + plan.title[1:]
            choices.append(("r", "go", title, "A trainer starts; it goes on when this window closes."))
        elif fallback is not None and not fallback.refused:
            explained = f"{fallback.title}: {fallback.reason}"
            choices.append(("g", "fallback", "Use the newest good one before it", explained))
        with Vertical(id="dialog") as box:
            box.border_title = "It cannot be gone on from" if plan.refused else "Train on from here"
            yield DialogText("start-words", lambda width: [*plan_lines(plan, width), ()])
            yield Choices(choices)

    def dismiss(self, result: object = None) -> object:  # type: ignore[override]  # Textual: AwaitComplete
        """Choices gives words, the caller wants the plan."""
        plans = {"go": self._found.plan, "fallback": self._found.fallback}
        return super().dismiss(plans.get(result) if isinstance(result, str) else None)


def plan_lines(plan: LaunchPlan, width: int) -> list[Line]:
    """What would happen, or each difference that keeps it from happening."""
    if plan.refused:
        found = [row for text in plan.refused.split("\n") for row in wrap(text, width, "bad")]
        return found + (wrap(plan.hint, width, "muted") if plan.hint else [])
    found = [*wrap(plan.title, width, "strong"), *wrap(plan.reason, width)]
    return found + [row for warning in plan.warnings for row in wrap(f"! {warning}", width, "warn")]


def nothing_fits_dialog(entry: ProfileEntry, plan: LaunchPlan, training: RunSummary | None) -> AskDialog:
    """No run can be gone on with: show the one that is being trained (`open RUN`), or begin another (`new`)."""
    why = plan.refused.split("\n")[0].rstrip(":")
    choices: list[Choice] = [("c", None, "Cancel", f"Nothing is started. {why}: the right side says why.")]
    if training is not None:
        explained = f"It is trained now, with {training.profile}."
        choices.append(("o", f"open {training.name}", f"Open run {training.name}", explained))
    choices.append(("n", "new", "Start a new run", f"{entry.name} from zero, beside what is there."))
    return AskDialog(f"{entry.name}: nothing to go on with", choices)


def force_dialog(entry: ProfileEntry) -> AskDialog:
    """Names the checks that are passed over; answers `force`."""
    faults = "\n".join(problem.message for problem in entry.check.errors) if entry.check else ""
    choices: list[Choice] = [
        ("c", None, "Cancel", "Nothing is launched."),
        ("f", "force", "Launch it all the same", f"Passed over: {faults}"),
    ]
    return AskDialog(f"Launch {entry.name} in spite of its checks?", choices)
