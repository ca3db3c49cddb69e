"""The launcher's words on a profile: what it teaches, what enter will do, what has been checked, what it pays. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from rltui import formatting
from rltui.tui.checks.check_words import check_lines
from rltui.tui.checks.profile_check import PhaseSummary
from rltui.tui.launcher.catalog import Catalog, ProfileEntry
from rltui.tui.launcher.enter_words import enter_will
from rltui.tui.launcher.moment import Moment
from rltui.tui.launcher.word_tables import INDENT, indented, table_raw
from rltui.tui.paint import Line, text_line, wrap

Weights = Mapping[str, "float | list[tuple[int, float]]"]


def profile_lines(entry: ProfileEntry, catalog: Catalog, moment: Moment, width: int) -> list[Line]:
    """Description, what enter will do, key settings, what has been checked, rewards."""
    lines = wrap(entry.description, width) if entry.description else [text_line("no description", "muted")]
    if entry.invalid:
        return [*lines, (), *_problems(entry, width)]
    offer = moment.offer
    if offer is not None and offer.refused:  # first, for the reasons may be long
        lines += [(), (("n", "key"), (" starts a new run of it, from zero", "strong"))]
    lines += [(), *enter_will(offer, width, checking=entry.check is None)]
    if offer is not None and offer.kind == "resume":
        lines += indented([(("n", "key"), (" starts a new run instead, from zero", ""))])
    if offer is not None and offer.kind == "open":
        lines += indented([(("n", "key"), (" starts another run beside it, from zero", ""))])
    phase = offer.phase if offer is not None else 0
    summary = settings_line(entry, phase)
    lines += [(), text_line("Settings", "title"), *indented(wrap(summary, width - INDENT))] if summary else []
    lines += [(), *check_lines(entry, catalog, moment, width)]
    return [*lines, *_campaign(entry, phase, width), *_rewards(entry, phase, width)]


def settings_line(entry: ProfileEntry, phase: int = 0) -> str:
    """Cars, learning rate, nets, workers and table in a line; empty while the profile has not been found valid."""
    summary = entry.check.summary if entry.check else None
    if summary is None:
        return ""
    rate = summary.phases[phase].learning_rate if phase < len(summary.phases) else summary.learning_rate
    parts = [
        f"{summary.blue}v{summary.orange}",
        f"learning rate {rate:g}" if rate is not None else "",
        "×".join(str(size) for size in summary.policy_layers),
        f"{summary.workers} workers × {summary.arenas} arenas",
        f"{summary.table} table ({summary.actions})",
        f"{summary.obs} observation ({summary.obs_size})",
        f"rewards count half after {formatting.duration(summary.gamma_half_life_s)}"
        if summary.gamma_half_life_s is not None
        else "",
    ]
    return " · ".join(part for part in parts if part)


def _problems(entry: ProfileEntry, width: int) -> list[Line]:
    check = entry.check
    problems = check.errors if check else []
    lines: list[Line] = [
        text_line(f"✗ {formatting.plural(len(problems), 'mistake')}: it cannot be launched", "bad"),
        (),
    ]
    for problem in problems:
        place = f"line {problem.line}" if problem.line else "file"
        lines += [((f"{place:<9}", "muted"), (problem.key, "strong"))] if problem.key else [((place, "muted"),)]
        parts = [problem.message]
        parts += [f"expected {problem.expected}"] if problem.expected else []
        parts += [f"found {problem.found}"] if problem.found else []
        lines += [(((" " * 9), ""), *row) for row in wrap(", ".join(parts), width - 9)]
        lines += [(((" " * 9), ""), *row) for row in wrap(problem.hint, width - 9, "good")] if problem.hint else []
    ways = f"{entry.path}: e opens its form; or mend it in your editor, it is checked again when saved."
    if check is not None and check.forcible:
        lines += [(), (("F", "key"), (" launches it all the same, after asking", "strong"))]
    return [*lines, (), *wrap(ways, width, "muted")]


def _campaign(entry: ProfileEntry, phase: int, width: int) -> list[Line]:
    """The phases, which one is next, and what ends each."""
    summary = entry.check.summary if entry.check else None
    if summary is None or not summary.phases:
        return []
    lines: list[Line] = [(), text_line("Phases", "title")]
    for index, each in enumerate(summary.phases):
        sign = ("▸ ", "key") if index == phase else ("  ", "")
        lines.append((sign, (each.profile, "strong" if index == phase else "")))
        lines += [
            (("    ", ""), *row) for row in wrap(_ends(each, index + 1 == len(summary.phases)), width - 4, "muted")
        ]
    return lines


def _ends(phase: PhaseSummary, last: bool) -> str:
    """`until kickoff_touches 85 and touches_per_minute 3, at least 500 k timesteps`."""
    parts = [f"until {' and '.join(f'{name} {value:g}' for name, value in phase.until.items())}"] if phase.until else []
    parts += [f"at least {formatting.exact(phase.min_steps)} timesteps"] if phase.min_steps else []
    parts += [f"at most {formatting.exact(phase.max_steps)} timesteps"] if phase.max_steps else []
    return ", ".join(parts) or ("to the end" if last else "until N is pressed")


def _rewards(entry: ProfileEntry, phase: int, width: int) -> list[Line]:
    summary = entry.check.summary if entry.check else None
    phases = summary.phases if summary else []
    rewards: Weights = phases[phase].rewards if phase < len(phases) else summary.rewards if summary else {}
    if not rewards:
        return []
    weights = {name: _weight(weight) for name, weight in rewards.items()}
    whole = max(len(text.split()[0].partition(".")[0]) for text in weights.values())
    rows = [(name, _on_the_point(text, whole)) for name, text in weights.items()]
    where = f" of {phases[phase].profile}" if phase < len(phases) else ""
    return [(), text_line(f"Rewards and weights{where}", "title"), *indented(table_raw(rows, width - INDENT))]


def _weight(weight: float | list[tuple[int, float]]) -> str:
    """`0.2`, or of a schedule `1 → 0.2 in 5 M`."""
    if not isinstance(weight, list):
        return f"{weight:g}"
    path = " → ".join(f"{value:g}" for _, value in weight)
    return f"{path} in {formatting.exact(weight[-1][0])}"


def _on_the_point(text: str, whole: int) -> str:
    """Padded so that the decimal points of the first numbers stand below each other."""
    return " " * (whole - len(text.split()[0].partition(".")[0])) + text
