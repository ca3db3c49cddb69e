"""LaunchPlan: what enter will do, computed in a thread."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from textual.message import Message

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.profile.locate import STATE_FILE
from rltui.runs import meta, trainer_state
from rltui.runs.checkpoint import DamagedError
from rltui.runs.inventory import CheckpointInfo
from rltui.runs.journal_reader import step_limit
from rltui.runs.meta import Signature
from rltui.runs.paths import DataDir, RunPaths, absolute
from rltui.runs.resolve import previous_good
from rltui.runs.resume import BeingTrained, NothingFits, ResumePlan, choose_resume, told_of_sources
from rltui.runs.summary import RunSummary
from rltui.tui.checks.results import ProfileSummary
from rltui.tui.launcher.catalog import ProfileEntry
from rltui.tui.launcher.tree import Item, profile_at

if TYPE_CHECKING:
    from rltui.tui.launcher.screen import LauncherScreen


def limited(data: DataDir, plan: ResumePlan, offer: LaunchPlan) -> LaunchPlan:
    """The offer to go on with a run, with the limit that its newest start had. A branch is a line of its own: it has none."""
    limit = step_limit(data.run(plan.run)) if plan.kind == "resume" else None
    if limit is None:
        return offer
    if limit > plan.timesteps:
        reason = f"{offer.reason}; it ends at {limit:,} timesteps, as it was started to"
        return replace(offer, reason=reason, args=(*offer.args, "--steps", str(limit)))
    warning = f"it has reached its limit of {limit:,} timesteps: you are asked for a new one before it starts"
    return replace(offer, warnings=(*offer.warnings, warning), reached=limit, timesteps=plan.timesteps)


def with_total(offer: LaunchPlan, total: int | None) -> LaunchPlan:
    """With a new limit in the place of the one that is reached; None: until it is stopped."""
    ends = f"it ends at {total:,} timesteps" if total is not None else "until you stop it"
    args = ("--steps", str(total)) if total is not None else ()
    return replace(offer, reason=f"{offer.reason}; {ends}", args=(*offer.args, *args), reached=None)


def larger_than(timesteps: int) -> int:
    """A total to propose: the next one with a single digit that counts, 4,000,000 above 3,000,320."""
    unit: int = 10 ** (len(str(timesteps)) - 1)
    return (timesteps // unit + 1) * unit


# What launching the highlighted thing would do, from where and why, before it happens.
#
# Reads checkpoints to the last byte, so it is asked from a thread. now: Unix seconds.

# What it does: the plan's three, or it shows a run that is being trained. Why it does nothing: a trainer has the run,
# nothing that is saved fits the profile, anything else.
OfferKind = Literal["new", "resume", "branch", "open", "in training", "nothing fits", "refused"]


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """profile, run, args: for supervise.launch.detached. run is also the one to open. refused: why it cannot be done, in
    words; then the rest is empty.

    reached: the step limit that the run has reached, with its timesteps: a new one is to be asked for before it starts.
    """

    kind: OfferKind
    title: str = ""
    reason: str = ""
    warnings: tuple[str, ...] = ()
    profile: str = ""
    run: str | None = None
    args: tuple[str, ...] = ()
    phase: int = 0  # of a campaign: the phase in which it goes on, from 0
    refused: str = ""
    hint: str = ""
    reached: int | None = None
    timesteps: int = 0


def offer_open(run: RunSummary) -> LaunchPlan:
    """Showing the run in which a profile is being trained now: a second trainer of it is not what enter should start."""
    return LaunchPlan(
        "open",
        f"open run {run.name}, live",
        "this profile is being trained there now; nothing is started, and the training is not disturbed",
        run=run.name,
    )


def refusal(words: str, hint: str = "") -> LaunchPlan:
    """Nothing can be done, for a reason of its own."""
    return LaunchPlan("refused", refused=words, hint=hint)


def offer_refused(error: RltuiError) -> LaunchPlan:
    """What choosing a plan failed with."""
    kind: OfferKind = "refused"
    if isinstance(error, BeingTrained):
        kind = "in training"
    elif isinstance(error, NothingFits):
        kind = "nothing fits"
    return LaunchPlan(kind, refused=error.message, hint=error.hint)


def offer_profile(
    data: DataDir, entry: ProfileEntry, now: float, *, new: bool = False, force: bool = False
) -> LaunchPlan:
    """For a profile that the child found valid; forced, also for one whose parts failed when they were tried."""
    check = entry.check
    if check is None or not (check.valid or (force and check.forcible)):
        hint = "F launches it all the same" if check is not None and check.forcible else "e opens its form"
        return refusal("the profile is not valid", hint)
    if check.signature is None:
        return refusal("the check of this profile does not say what its bots look like")
    mode = "new" if new else "auto"
    offer = _offer(data, check.signature, entry.name, now, mode=mode, summary=check.summary)
    return replace(offer, args=(*offer.args, "--force")) if force and not offer.refused else offer


def offer_resume(data: DataDir, run: RunSummary, now: float) -> LaunchPlan:
    """Going on with a run that is not being trained, with the profile of its newest start."""
    paths = data.run(run.name)
    meta = run.checkpoint.meta if run.checkpoint else run.milestones[-1].meta if run.milestones else None
    if meta is None:
        return refusal("it has no complete checkpoint to go on from", "launch its profile for a new run")
    profile = paths.profile if paths.profile.is_file() else Path(run.profile or "")
    return _offer(data, meta.signature, str(profile), now, run=run.name)


def offer_milestone(data: DataDir, saved: CheckpointInfo, now: float) -> LaunchPlan:
    """Training on from a milestone, with the profile that it was saved with."""
    if saved.meta is None:
        return refusal(saved.damage or "it cannot be read")
    return _offer(data, saved.meta.signature, str(saved.path / STATE_FILE), now, mode=str(saved.path))


def offer_at(data: DataDir, info: CheckpointInfo, profile: str, now: float) -> LaunchPlan:
    """Training on from a saved state, with this profile."""
    if info.meta is None:
        return refusal(info.damage or "it cannot be read")
    return _offer(data, info.meta.signature, profile, now, mode=str(info.path))


def _offer(
    data: DataDir,
    signature: Signature,
    profile: str,
    now: float,
    *,
    run: str | None = None,
    mode: str = "auto",
    summary: ProfileSummary | None = None,
) -> LaunchPlan:
    """summary: of the profile, where it is known."""
    try:
        plan = choose_resume(data, signature, profile=profile, run=run, mode=mode, now=now)
    except RltuiError as error:
        return offer_refused(error)
    plan = told_of_sources(plan, summary.sources if summary else {})
    phase = _phase(plan, summary) if summary and summary.phases else 0
    offer = LaunchPlan(
        plan.kind, title_of(plan), plan.reason, plan.warnings, profile, plan.run, _arguments(plan, mode), phase
    )
    return limited(data, plan, offer)


def _phase(plan: ResumePlan, summary: ProfileSummary) -> int:
    """Of a campaign: where its bot stands, by the name of the phase's profile."""
    if plan.checkpoint is None:
        return 0
    names = [phase.profile for phase in summary.phases]
    try:
        state = trainer_state.read(plan.checkpoint)
        stood = state.curriculum.profile if state and state.curriculum else meta.read(plan.checkpoint).profile
    except (RltuiError, OSError, DamagedError):
        return 0
    return names.index(stood) if stood in names else 0


def title_of(plan: ResumePlan) -> str:
    """In three words."""
    match plan.kind:
        case "resume":
            return f"resume {plan.run} at {plan.timesteps:,} timesteps"
        case "branch":
            return f"branch off as {plan.run} at {plan.timesteps:,} timesteps"
        case "new":
            return f"start the new run {plan.run}"


def _arguments(plan: ResumePlan, mode: str) -> tuple[str, ...]:
    """What makes the trainer do just what was shown: the run is named, so it cannot choose another."""
    if plan.kind == "new":
        return ("--resume", "new")
    return ("--resume", mode) if plan.kind == "branch" else ()


WITH_OFFERS = ("profile", "run", "milestone")


class LaunchPlanReady(Message):
    """What launching `item` would do has been worked out, for the catalog of `stamp`."""

    def __init__(self, item: Item, stamp: object, offer: LaunchPlan) -> None:
        super().__init__()
        self.item, self.stamp, self.offer = item, stamp, offer


class Offering:
    """The screen hears of each offer by LaunchPlanReady. impatient: enter was pressed on this before its offer was known."""

    def __init__(self, screen: LauncherScreen, data: DataDir, clock: Callable[[], float]) -> None:
        self._screen, self._data, self._clock = screen, data, clock
        self._known: tuple[tuple[Item, object], LaunchPlan] | None = None
        self._asked: tuple[Item, object] | None = None
        self.impatient: Item | None = None

    @property
    def present(self) -> LaunchPlan | None:
        """For what the cursor stands on, as things are now; None while it is being worked out."""
        item = self._screen.item
        if item is None or self._known is None:
            return None
        key, offer = self._known
        return offer if key == (item, self._stamp(item)) else None

    def ask(self) -> None:
        """Have it worked out, unless it is known or being worked out."""
        item = self._screen.item
        if item is None or item.kind not in WITH_OFFERS:
            return
        key = item, self._stamp(item)
        if key != self._asked and self.present is None and not self._is_checking(item):
            self._asked = key
            self._screen.run_worker(lambda: self._work_out(*key), thread=True, group="offer", exit_on_error=False)

    def arrived(self, message: LaunchPlanReady) -> LaunchPlan | None:
        """The offer, where enter was pressed for it before."""
        self._known = (message.item, message.stamp), message.offer
        waited = message.item == self.impatient == self._screen.item
        return message.offer if waited and self.present is not None else None

    def of(self, item: Item, *, new: bool = False) -> LaunchPlan | None:
        """Worked out now. new: a run from zero, whatever else could be done. None for what is gone."""
        catalog = self._screen.catalog
        if catalog is None:
            return None
        if item.kind == "profile":
            entry = profile_at(catalog, item)
            trained = catalog.trained_by(entry) if entry is not None and not new else None
            if trained is not None:
                return offer_open(trained)
            return offer_profile(self._data, entry, self._clock(), new=new) if entry else None
        if item.kind == "run":
            run = catalog.run(item.name)
            return offer_resume(self._data, run, self._clock()) if run and run.state != "training" else None
        found = catalog.milestone(item.name)
        return offer_milestone(self._data, found[1], self._clock()) if found else None

    def _stamp(self, item: Item) -> object:
        """What an offer rests on: profile, and the runs' saved states."""
        catalog = self._screen.catalog
        if catalog is None:
            return None
        entry = profile_at(catalog, item)
        saved = tuple((run.name, run.state, run.checkpoint, len(run.milestones)) for run in catalog.runs)
        return entry.check if entry else None, saved

    def _is_checking(self, item: Item) -> bool:
        entry = profile_at(self._screen.catalog, item)
        return entry is not None and entry.check is None

    def _work_out(self, item: Item, stamp: object) -> None:
        """In a thread."""
        offer = self.of(item)
        if offer is not None:
            self._screen.post_message(LaunchPlanReady(item, stamp, offer))


# What resuming or forking from a saved state would do, from where and why, before it happens.
#
# Reads checkpoints to the last byte, so it is asked from a thread. now: Unix seconds.

CAMPAIGN = "with the run's campaign, from where it stood"
NOTHING_GOOD = "the run has no good state before it; launch its profile to start anew"
OWN = "with the profile that was saved with it"


@dataclass(frozen=True, slots=True)
class Start:
    """instead: what can be gone on from in its place, where the one chosen cannot be used; None where nothing can."""

    offer: LaunchPlan
    instead: LaunchPlan | None = None


class StartReady(Message):
    """What resuming would do has been worked out."""

    def __init__(self, start: Start) -> None:
        super().__init__()
        self.start = start


def resume_start(data: DataDir, run: str, state: CheckpointInfo | None, name: str, now: float) -> Start:
    """Going on from this very state; a branch where it is not its run's newest. None for what is no state.

    name: of the state, in a sentence.
    """
    if state is None:
        return Start(refusal("nothing can go on from this", "choose a milestone or a checkpoint"))
    paths = data.run(run)
    offer = _resume(data, paths, state, now)
    if not offer.refused or (state.damage is None and state.meta is not None and offer.kind == "in training"):
        return Start(offer)
    good = previous_good(paths, state)
    instead = _resume(data, paths, good, now) if good else None
    return Start(
        replace(offer, refused=_with_name(offer.refused, state.path, name), hint="" if instead else NOTHING_GOOD),
        instead,
    )


def fork_offer(data: DataDir, state: Path, name: str, profile: ProfileEntry, now: float) -> LaunchPlan:
    """A new run of this profile that begins as the state in that folder. name: of the state, in a sentence."""
    check = profile.check
    if check is None or not check.valid or check.signature is None:
        return refusal("the profile is not valid", "mend it in your editor; it is checked again as you save")
    path = str(state)
    try:
        plan = choose_resume(data, check.signature, profile=str(profile.path), mode=path, fork=True, now=now)
    except RltuiError as error:
        return refusal(_with_name(error.message, state, name))
    title = f"start the new run {plan.run} at {plan.timesteps:,} timesteps"
    return LaunchPlan("branch", title, plan.reason, plan.warnings, profile.name, plan.run, ("--fork-from", path))


def _resume(data: DataDir, paths: RunPaths, info: CheckpointInfo, now: float) -> LaunchPlan:
    profile = kept_profile(paths, info.path)
    offer = offer_at(data, info, str(profile), now)
    how = CAMPAIGN if profile == paths.profile else OWN
    return offer if offer.refused else replace(offer, reason=f"{offer.reason}; {how}")


def kept_profile(paths: RunPaths, state: Path) -> Path:
    """With which a state was trained: the one saved with it; of a campaign the run's, since a state's is one phase alone."""
    return paths.profile if _is_campaign(paths.profile) else state / STATE_FILE


def _with_name(message: str, state: Path, name: str) -> str:
    """The state's name in the place of the option that would name it on the command line."""
    path = absolute(state)
    return message.replace(f"--resume {path}", name).replace(f"--fork-from {path}", name)


def _is_campaign(profile: Path) -> bool:
    """Whether phases follow each other in it: a state's own profile is one of them alone."""
    try:
        curriculum = tomllib.loads(safe_io.read_text(profile)).get("curriculum")
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(curriculum, dict) and bool(curriculum.get("phases"))
