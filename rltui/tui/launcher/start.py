"""From a LaunchPlan to a running trainer, with the dialogs on the way."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
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
from rltui.tui.widgets.dialogs import Choice, ChoiceDialog, Dialog, PromptDialog
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
        screen.app.push_screen(_limit_dialog(plan, plan.reached), answered)


def _limit_dialog(plan: LaunchPlan, limit: int) -> PromptDialog:
    """Nothing typed: no limit."""

    def judge(text: str) -> str:
        if not text.strip():
            return "trains until stopped"
        total = timesteps_of(text)
        if total is None:
            raise RltuiError(f"expected whole timesteps, at most {LARGEST:,}")
        if total <= plan.timesteps:
            raise RltuiError(f"it has {plan.timesteps:,} already")
        return f"trains {total - plan.timesteps:,} more"

    example = f"{next_round_total(plan.timesteps):,}"
    text = f"{plan.run} has {plan.timesteps:,} timesteps, its limit was {limit:,}."
    return PromptDialog("Train on to how many timesteps?", judge, text, placeholder=example)


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

    BINDINGS: ClassVar[list[BindingType]] = [("escape,q,enter", "close", "Close")]

    def __init__(self, plan: LaunchPlan, launch: Launch, clock: Callable[[], float] = time.time) -> None:
        super().__init__("Launching")
        self._plan, self._launch = plan, launch
        self._text = LaunchingText(plan, clock)

    def body(self) -> ComposeResult:
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
        self.show_keys("esc closes")

    def action_close(self) -> None:
        """Only a failure can be closed: the trainer that is being started cannot be called back from here."""
        if self._text.error is not None:
            self.dismiss(None)

    def leave(self) -> None:
        self.action_close()


def start_dialog(found: StatePlan) -> ChoiceDialog[LaunchPlan]:
    """Train on from a state, or from the newest good one before it."""
    plan, fallback = found.plan, found.fallback
    choices: list[Choice[LaunchPlan]] = [("c", None, "Cancel")]
    if not plan.refused:
        choices.append(("r", plan, plan.title[:1].upper() + plan.title[1:]))
    elif fallback is not None and not fallback.refused:
        choices.append(("g", fallback, f"Newest good one before it: {fallback.title}"))
    title = "It cannot be trained on" if plan.refused else "Train on from here?"
    return ChoiceDialog(title, choices, partial(plan_lines, plan))


def plan_lines(plan: LaunchPlan, width: int) -> list[Line]:
    """What would happen, or each difference that keeps it from happening."""
    if plan.refused:
        found = [row for text in plan.refused.split("\n") for row in wrap(text, width, "bad")]
        return found + (wrap(plan.hint, width, "muted") if plan.hint else [])
    found = [*wrap(plan.title, width, "strong"), *wrap(plan.reason, width)]
    return found + [row for warning in plan.warnings for row in wrap(f"! {warning}", width, "warn")]


def nothing_fits_dialog(entry: ProfileEntry, plan: LaunchPlan, training: RunSummary | None) -> ChoiceDialog[str]:
    """No run can be gone on with: show the one that is being trained (`open RUN`), or begin another (`new`)."""
    choices: list[Choice[str]] = [("c", None, "Cancel")]
    if training is not None:
        choices.append(("o", f"open {training.name}", f"Open {training.name}, which trains now"))
    choices.append(("n", "new", "Start a new run"))
    return ChoiceDialog(f"{entry.name}: no run to go on with", choices, plan.refused.split("\n")[0].rstrip(":"))


def force_dialog(entry: ProfileEntry) -> ChoiceDialog[str]:
    """Names the checks that are passed over; answers `force`."""
    faults = "\n".join(problem.message for problem in entry.check.errors) if entry.check else ""
    choices: list[Choice[str]] = [("c", None, "Cancel"), ("f", "force", "Launch all the same")]
    return ChoiceDialog(f"Launch {entry.name} with failing checks?", choices, faults)
