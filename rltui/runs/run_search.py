"""RunSearch: what a run has to go on from, looked through from the newest on, and a plan to go on from one of them."""

from __future__ import annotations

from rltui.formatting import ago
from rltui.runs import checkpoint
from rltui.runs.listing import CheckpointInfo, list_checkpoints, list_milestones
from rltui.runs.lock import holder
from rltui.runs.meta import Meta
from rltui.runs.paths import RunPaths
from rltui.runs.refusals import BeingTrained
from rltui.runs.resume_plan import ResumePlan, StartAsked


class RunSearch:
    """What a run has to go on from, newest first, and what had to be passed over."""

    def __init__(self, paths: RunPaths) -> None:
        self.paths = paths
        self.passed: list[str] = []
        found = list_checkpoints(paths) + list_milestones(paths)
        self._left = sorted(found, key=lambda info: (info.commit is None, info.commit or 0, not info.milestone))
        self.anything = bool(found)
        self.last_commit = max((info.commit or 0 for info in found), default=0)

    def head(self) -> tuple[CheckpointInfo, Meta] | None:
        """The newest that looks complete."""
        while self._left:
            info = self._left[-1]
            if info.damage is None and info.meta is not None:
                return info, info.meta
            self._pass_over(info.damage)
        return None

    def is_sound(self) -> bool:
        """Whether every byte of the head is right; where not, the next becomes the head."""
        reason = checkpoint.damage(self._left[-1].path, thorough=True)
        if reason is not None:
            self._pass_over(reason)
        return reason is None

    def newest(self) -> tuple[CheckpointInfo, Meta] | None:
        """The newest that is sound."""
        while (head := self.head()) is not None and not self.is_sound():
            pass
        return head

    def _pass_over(self, reason: str | None) -> None:
        info = self._left.pop()
        self.passed.append(f"{info.name} of run {self.paths.name!r} is passed over: {reason}")


def resumed(start: StartAsked, info: CheckpointInfo, meta: Meta, search: RunSearch, why: str) -> ResumePlan:
    """The plan to go on with the run from what was found in it. why: ends the sentence that people read."""
    name = search.paths.name
    saved = ago(start.now - meta.time)
    return ResumePlan(
        "resume",
        name,
        f"run {name!r} goes on at {meta.timesteps:,} timesteps ({info.name}, saved {saved}): {why}",
        info.path,
        meta.timesteps,
        meta.commit,
        search.last_commit,
        meta.parent,
        warnings=tuple(search.passed),
    )


def refuse_locked(paths: RunPaths) -> None:
    """BeingTrained while a trainer has the run."""
    trainer = holder(paths)
    if trainer is not None:
        raise BeingTrained(
            f"run {paths.name!r} is being trained already: {trainer}",
            f"watch it: rltui attach {paths.name}\nor train another: --run NAME",
        )
