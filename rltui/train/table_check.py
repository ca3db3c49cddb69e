"""No training with an action table that cannot do what a bot needs, unless somebody insists."""

from __future__ import annotations

from rltui.debug.lut import examine
from rltui.debug.lut_findings import Check
from rltui.env.from_profile import table_rows
from rltui.env.spec import EnvSpec
from rltui.errors import RltuiError

SHOWN = 4  # failed checks that are spelled out


def table_warnings(spec: EnvSpec, profile: str, force: bool) -> tuple[str, ...]:
    """What to know of the table when training starts; forced: what it fails in too. profile: as the user wrote it.

    RltuiError names the failed checks.
    """
    report = examine(table_rows(spec), spec.pipeline, spec.meshes)
    failed, warned = report.of("fail"), report.of("warn")
    if failed and not force:
        raise RltuiError(
            f"the action table {spec.table.name} fails {_count(len(failed))}:\n" + "\n".join(_told(failed)),
            f"see everything: rltui lut {profile}\ntrain with it all the same: rltui train {profile} --force",
        )
    return tuple(f"action table: {check.sentence}" for check in (*failed, *warned))


def _told(failed: list[Check]) -> list[str]:
    more = len(failed) - SHOWN
    return [*(f"- {check.sentence}" for check in failed[:SHOWN]), *([f"- and {more} more"] if more > 0 else [])]


def _count(failed: int) -> str:
    return "1 check" if failed == 1 else f"{failed} checks"
