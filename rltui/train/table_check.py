"""No training of a profile whose parts fail when they are tried, unless somebody insists."""

from __future__ import annotations

from rltui.debug.component_checks import examine_table, faults
from rltui.env.from_profile import env_spec
from rltui.errors import RltuiError
from rltui.profile.models import Profile


def table_warnings(profile: Profile, argument: str, force: bool) -> tuple[str, ...]:
    """What to know of the table when training starts; forced: what it fails in too. argument: the profile as the user
    wrote it.

    RltuiError names every fault of the profile.
    """
    found = [] if force else faults(profile, argument)
    if found:
        see = [f"see everything: rltui {fault.hint}" for fault in found if fault.hint]
        anyway = f"train with it all the same: rltui train {argument} --force"
        raise RltuiError("\n".join(fault.message for fault in found), "\n".join([*see, anyway]))
    report = examine_table(env_spec(profile))
    return tuple(f"action table: {check.sentence}" for check in (*report.of("fail"), *report.of("warn")))
