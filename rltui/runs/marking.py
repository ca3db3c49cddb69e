"""Which saved states can carry a pin, a note or a release."""

from __future__ import annotations

from rltui.errors import RltuiError
from rltui.runs.listing import CheckpointInfo


def check_markable(info: CheckpointInfo) -> None:
    """RltuiError for a checkpoint: it is pruned as newer ones come, so a promise about it could not be kept."""
    if not info.milestone:
        raise RltuiError(
            f"{info.name} cannot be marked: checkpoints are replaced by newer ones",
            f"keep it as a milestone first: rltui milestones keep {info.path.parent.name}/{info.path.name} (M in the browser)",
        )
