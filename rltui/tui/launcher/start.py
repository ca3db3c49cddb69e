"""From a LaunchPlan to a running trainer, with the dialogs on the way."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from rltui import formatting
from rltui.errors import RltuiError
from rltui.formatting import LARGEST, timesteps_of
from rltui.runs.launch_plan import LaunchPlan
from rltui.runs.paths import DataDir, name_problem
from rltui.runs.summary import RunSummary
from rltui.tui.dependencies import Launch
from rltui.tui.launcher.catalog import ProfileEntry
from rltui.tui.launcher.plan import Plan, Refusal, next_round_total, offer_words, plan_lines
from rltui.tui.messages import RunOpened, unforeseen
from rltui.tui.text import Line, wrap
from rltui.tui.widgets.dialogs import Choice, ChoiceDialog, Dialog, PromptDialog
from rltui.tui.widgets.list_view import TextView

if TYPE_CHECKING:
    from rltui.supervise.launch import LaunchedTrainer


def start_trainer(
    screen: Screen[Any], data: DataDir, plan: LaunchPlan, launch: Launch, clock: Callable[[], float], note: str = ""
) -> None:
    """Ask for a branch's name, or a new step limit where the old one is reached; launch, and post RunOpened to the screen.

    note: said meanwhile.
    """

    def opened(trainer: LaunchedTrainer | None) -> None:
        if trainer is not None:
            screen.post_message(RunOpened(trainer.run, trainer))

    def go(limited: LaunchPlan) -> None:
        screen.app.push_screen(LaunchingScreen(limited, launch, clock, note), opened)

    def answered(text: str | None) -> None:
        if text is not None:
            go(replace(plan, steps=timesteps_of(text)))

    def named(text: str | None) -> None:
        if text is not None:
            go(replace(plan, run=text.strip()))

    if plan.kind == "branch":
        screen.app.push_screen(_branch_dialog(data, plan), named)
    elif plan.reached:
        screen.app.push_screen(_limit_dialog(plan), answered)
    else:
        go(plan)


def _branch_dialog(data: DataDir, plan: LaunchPlan) -> PromptDialog:
    """The name that it would have by itself is offered."""

    def judge(text: str) -> str:
        name = text.strip()
        if problem := name_problem(name):
            raise RltuiError(f"run name {name!r}: {problem}")
        if data.has_run(name):
            raise RltuiError(f"run {name} exists")
        return replace(plan, run=name).title

    return PromptDialog("Name of the new run?", judge, lambda width: plan_lines(plan, width, title=False), plan.run)


def _limit_dialog(plan: LaunchPlan) -> PromptDialog:
    """Nothing typed: no limit."""

    def judge(text: str) -> str:
        if not text.strip():
            return "trains until stopped"
        total = timesteps_of(text)
        if total is None:
            raise RltuiError(f"expected whole timesteps, at most {LARGEST:,}")
        if total <= plan.timesteps:
            raise RltuiError(f"it stands at {plan.timesteps:,} already: type the total, not how many more")
        return f"trains {total - plan.timesteps:,} more"

    total = next_round_total(plan.timesteps)
    text = (
        f"{plan.run} stands at {plan.timesteps:,} timesteps, its limit was {plan.steps:,}. Type the new total: {total:,} trains "
        f"{total - plan.timesteps:,} more."
    )
    return PromptDialog("Up to which total of timesteps?", judge, text, placeholder="no limit")


class LaunchingScreen(Dialog["LaunchedTrainer | None"]):
    """What starts and for how long. Dismissed with the trainer once its run has started; a failure stays until it is closed."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,q,enter", "close", "Close")]

    def __init__(
        self, plan: LaunchPlan, launch: Launch, clock: Callable[[], float] = time.time, note: str = ""
    ) -> None:
        super().__init__("Launching")
        self._plan, self._launch, self._clock, self._note = plan, launch, clock, note
        self._begun = clock()
        self._error: RltuiError | None = None
        self._text = TextView("launching-text", self._lines)

    def body(self) -> ComposeResult:
        yield self._text

    def _lines(self, width: int) -> list[Line]:
        lines = wrap(self._plan.title, width, "strong")
        said = [*([self._note] if self._note else []), *self._plan.warnings]
        lines += [row for warning in said for row in wrap(f"! {warning}", width, "warn")]
        if self._error is None:
            waited = formatting.duration(self._clock() - self._begun)
            return [*lines, (), *wrap(f"◌ torch loads, workers start  {waited}", width, "busy")]
        lines += [(), *wrap(f"✗ It did not start: {self._error.message}", width, "bad")]
        return [*lines, *([(), *wrap(self._error.hint, width, "muted")] if self._error.hint else [])]

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
            self.app.call_from_thread(self._failed, RltuiError(unforeseen(self.app)(error)))
        else:
            self.app.call_from_thread(self.dismiss, trainer)

    def _failed(self, error: RltuiError) -> None:
        self._error = error
        self._text.refresh(layout=True)
        self._text.repaint()
        self.show_keys("esc closes")

    def action_close(self) -> None:
        """Only a failure can be closed: the trainer that is being started cannot be called back from here."""
        if self._error is not None:
            self.dismiss(None)

    def leave(self) -> None:
        self.action_close()


def start_dialog(plan: Plan) -> ChoiceDialog[LaunchPlan]:
    """Train on from a state, or from the newest good one before it."""
    choices: list[Choice[LaunchPlan]] = [("c", None, "Cancel")]
    if isinstance(plan, LaunchPlan):
        choices.append(("r", plan, "Start"))
    elif isinstance(plan, Refusal) and plan.fallback is not None:
        choices.append(("g", plan.fallback, f"{plan.fallback.title[:1].upper()}{plan.fallback.title[1:]}"))
    return ChoiceDialog("Train on from here?", choices, partial(plan_lines, plan))


def nothing_fits_dialog(entry: ProfileEntry, plan: Refusal, training: RunSummary | None) -> ChoiceDialog[str]:
    """No run can be gone on with: show the one that is being trained (`open RUN`), begin another (`new`) or take what is
    offered (`offer`).
    """
    choices: list[Choice[str]] = [("c", None, "Cancel")]
    if training is not None:
        choices.append(("o", f"open {training.name}", f"Open {training.name}, which trains now"))
    choices.append(("n", "new", "Start a new run"))
    if plan.fallback is not None:
        choices.append(("b", "offer", offer_words(plan.fallback)))
    return ChoiceDialog(f"{entry.name}: {plan.words.partition(chr(10))[0].rstrip(':')}", choices)


def force_dialog(entry: ProfileEntry) -> ChoiceDialog[str]:
    """Names the checks that are passed over; answers `force`."""
    faults = "\n".join(problem.message for problem in entry.check.errors) if entry.check else ""
    choices: list[Choice[str]] = [("c", None, "Cancel"), ("f", "force", "Launch all the same")]
    return ChoiceDialog(f"Launch {entry.name} with failing checks?", choices, faults)
