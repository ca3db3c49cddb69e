"""Where training goes on from, and why, in words: decided before anything starts.

An explicit path, else (`auto`) the newest complete checkpoint of a run that fits and that nobody trains. Runs that
exist but do not fit stop the start: nobody loses a day because a setting silently opened a new run. A run is a line:
whatever is not its newest commit goes on as a branch, so that its own newest is never overtaken.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from rltui.errors import RltuiError, did_you_mean, hints
from rltui.formatting import plural
from rltui.runs.from_path import forked, from_path
from rltui.runs.listing import CheckpointInfo
from rltui.runs.lock import holder
from rltui.runs.lookup import find
from rltui.runs.meta import Meta
from rltui.runs.paths import DataDir, RunPaths, absolute
from rltui.runs.refusals import NothingFits
from rltui.runs.resume_plan import ResumePlan, StartAsked
from rltui.runs.run_search import RunSearch, refuse_locked, resumed
from rltui.runs.signature import Signature

_MOST_NAMED = 5  # runs or differences listed in one message


def choose_resume(
    data: DataDir,
    signature: Signature,
    *,
    profile: str,
    run: str | None = None,
    mode: str = "auto",
    fork: bool = False,
    now: float | None = None,
) -> ResumePlan:
    """What a start of `profile` (a name or path, for run names and hints) does.

    signature: what the profile needs. run: `--run`. mode: `auto`, `new`, or a checkpoint's path or RUN/MILESTONE
    (`--resume`). fork: from that one a new run of this profile begins, whatever it is the newest of (`--fork-from`). now:
    Unix seconds. Every byte of the chosen checkpoint has been checked. Raises NothingFits, BeingTrained where the run is
    being trained, RltuiError where the checkpoint is damaged (all exit 1).
    """
    if run is not None:
        data.run(run)
    start = StartAsked(data, signature, profile, run, time.time() if now is None else now)
    if fork:
        return forked(start, _asked(start, mode, "--fork-from"))
    if mode == "new":
        return _new(start)
    if mode == "auto":
        return _auto(start) if run is None else _auto_of_run(start, data.run(run))
    return from_path(start, _asked(start, mode, "--resume"))


def _asked(start: StartAsked, text: str, option: str) -> Path:
    """The folder, given by its path or as RUN/MILESTONE."""
    path = absolute(text)
    if os.path.lexists(path):
        return path
    try:
        return find(start.data, text, lambda state: start.command(f"{option} {state}"))[1].path
    except RltuiError as error:
        message = f"{option} {text}: there is no such folder; {error.message}"
        near = did_you_mean(text, ("auto", "new")) if option == "--resume" else ""
        raise RltuiError(message, hints(near, error.hint), error.exit_code) from error


def confirm(data: DataDir, plan: ResumePlan) -> None:
    """Called with the lock of `plan.run` held: RltuiError if another trainer was there between plan and lock."""
    newest = RunSearch(data.run(plan.run)).last_commit
    if newest > plan.last_commit:
        raise RltuiError(
            f"run {plan.run!r} was trained by others meanwhile: its newest commit is {newest}, expected {plan.last_commit}",
            "start again: it goes on from that one",
        )


def _new(start: StartAsked) -> ResumePlan:
    if start.run is not None and RunSearch(start.data.run(start.run)).anything:
        raise RltuiError(
            f"run {start.run!r} exists: a new run needs a name of its own",
            f"go on with it: {start.command(f'--run {start.run}')}\nor choose another name: --run NAME",
        )
    return _from_zero(start.data.run(start.free_name()), "a new run")


def _from_zero(paths: RunPaths, why: str) -> ResumePlan:
    """A run that died before its first save has a journal all the same."""
    return ResumePlan("new", paths.name, f"{why}: training starts from zero", rewind=os.path.lexists(paths.journal))


def _auto(start: StartAsked) -> ResumePlan:
    """The newest, by time of saving, of every free run's newest; those of the same profile come before all others."""
    unfit: list[str] = []
    searches: list[RunSearch] = []
    for name in start.data.run_names():
        trainer = holder(start.data.run(name))
        if trainer is None:
            searches.append(RunSearch(start.data.run(name)))
        else:
            unfit.append(f"{name}: is being trained by {trainer}")
    while fitting := [found for search in searches if (found := _fitting(start, search)) is not None]:
        info, meta, search = max(fitting, key=lambda found: (found[1].profile == start.profile_name, found[1].time))
        if search.is_sound():
            why = "the newest run whose observation, table and nets fit this profile"
            if meta.profile not in ("", start.profile_name):
                why += f"; so far it was trained with profile {meta.profile!r}"
            return resumed(start, info, meta, search, why)
    unfit += [reason for search in searches if (reason := _why_unfit(start, search))]
    if unfit:
        raise _nothing_fits(start, unfit)
    return _from_zero(start.data.run(start.free_name()), "there is no run to go on with")


def _fitting(start: StartAsked, search: RunSearch) -> tuple[CheckpointInfo, Meta, RunSearch] | None:
    head = search.head()
    return None if head is None or start.signature.differences(head[1].signature) else (*head, search)


def _why_unfit(start: StartAsked, search: RunSearch) -> str | None:
    """None for a run that has nothing: it is no reason not to start one."""
    head = search.head()
    if head is not None:
        return f"{search.paths.name}: {'; '.join(start.signature.differences(head[1].signature))}"
    return f"{search.paths.name}: no usable checkpoint ({search.passed[0]})" if search.passed else None


def _auto_of_run(start: StartAsked, paths: RunPaths) -> ResumePlan:
    refuse_locked(paths)
    search = RunSearch(paths)
    newest = search.newest()
    if newest is not None and not start.signature.differences(newest[1].signature):
        return resumed(start, *newest, search, "the newest complete checkpoint of the run asked for")
    reason = _why_unfit(start, search)
    if reason is not None:
        raise _nothing_fits(start, [reason])
    there = "has no checkpoint yet" if paths.exists() else "does not exist yet"
    return _from_zero(paths, f"run {paths.name!r} {there}")


def _nothing_fits(start: StartAsked, unfit: list[str]) -> NothingFits:
    more = [f"… and {len(unfit) - _MOST_NAMED} more"] if len(unfit) > _MOST_NAMED else []
    what = "the run cannot go on" if start.run else f"{plural(len(unfit), 'run')} there, but none to go on with"
    return NothingFits(
        "\n  ".join([f"{what}:", *unfit[:_MOST_NAMED], *more]),
        f"to start from zero: {start.command('--resume new' + (' --run NAME' if start.run else ''))}",
    )
