"""What the right side says of plans, profiles, runs and milestones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rltui import formatting
from rltui.events import metric_keys
from rltui.formatting import over_episodes, over_iterations, plural
from rltui.registry import Component, report_names
from rltui.runs.best import Best, best_note, describe_best
from rltui.runs.inventory import CheckpointInfo
from rltui.runs.launch_plan import LaunchPlan
from rltui.runs.summary import RunSummary
from rltui.tui.checks.results import PhaseSummary
from rltui.tui.launcher.catalog import ProfileEntry
from rltui.tui.launcher.check_lines import PlanContext, check_lines
from rltui.tui.launcher.plan import Plan, enter_lines, offer_words, offered
from rltui.tui.launcher.tree import state_sign
from rltui.tui.text import INDENT, Line, crop_text, indented, named_lines, text_line, wrap

Weights = Mapping[str, "float | list[tuple[int, float]]"]


def profile_lines(entry: ProfileEntry, context: PlanContext, width: int) -> list[Line]:
    """Description, what enter will do, key settings, what has been checked, rewards."""
    lines = wrap(entry.description, width) if entry.description else [text_line("no description", "muted")]
    if entry.invalid:
        return [*lines, (), *_problems(entry, width)]
    plan = context.plan
    if entry.check is not None:
        lines += [(), *enter_lines(plan, width)]
        if plan is not None and not (isinstance(plan, LaunchPlan) and plan.kind == "new"):
            lines += indented([(("n", "key"), (" starts a new run, from zero", ""))])
        if (offer := offered(plan)) is not None and offer is not plan:
            first, *rest = wrap(offer_words(offer), width - INDENT - 2)
            lines += indented([(("R ", "key"), *first), *((("  ", ""), *row) for row in rest)])
    phase = phase_index(entry, plan)
    summary = settings_line(entry, phase)
    lines += [(), text_line("Settings", "title"), *indented(wrap(summary, width - INDENT))] if summary else []
    lines += [(), *check_lines(entry, context, width)]
    return [*lines, *_campaign(entry, phase, width), *_rewards(entry, phase, width)]


def phase_index(entry: ProfileEntry, plan: Plan | None) -> int:
    """Of a campaign: the phase that its bot is in, 0 at first."""
    names = [phase.profile for phase in entry.summary.phases] if entry.summary else []
    return names.index(plan.trained_with) if isinstance(plan, LaunchPlan) and plan.trained_with in names else 0


def settings_line(entry: ProfileEntry, phase: int = 0) -> str:
    """Cars, learning rate, nets, workers and table in a line; empty while the profile has not been found valid."""
    summary = entry.summary
    if summary is None:
        return ""
    rate = summary.phases[phase].learning_rate if phase < len(summary.phases) else summary.learning_rate
    half_life = summary.gamma_half_life_s
    parts = [
        summary.env or f"{summary.blue}v{summary.orange}",
        f"learning rate {rate:g}" if rate is not None else "",
        "×".join(str(size) for size in summary.policy_layers),
        f"{plural(summary.workers or 0, 'worker')} × {plural(summary.arenas or 0, 'arena')}",
        f"{summary.table} table ({summary.actions})" if summary.table else f"{summary.actions} actions",
        f"{summary.obs_size} numbers observed" if summary.env else f"{summary.obs} observation ({summary.obs_size})",
        f"rewards count half after {formatting.duration(half_life)}" if half_life is not None else "",
    ]
    return " · ".join(part for part in parts if part)


def _problems(entry: ProfileEntry, width: int) -> list[Line]:
    check = entry.check
    problems = check.errors if check else []
    head = text_line(f"✗ {formatting.plural(len(problems), 'mistake')}: it cannot be launched", "bad")
    lines: list[Line] = [head, (), *(row for problem in problems for row in wrap(str(problem), width))]
    ways = "e opens its form; a file saved by your editor is checked again"
    if check is not None and check.forcible:
        lines += [(), (("enter", "key"), (" asks whether to launch it all the same", "strong"))]
    return [*lines, (), *wrap(ways, width, "muted")]


def _campaign(entry: ProfileEntry, phase: int, width: int) -> list[Line]:
    """The phases, which one is next, and what ends each."""
    summary = entry.summary
    if summary is None or not summary.phases:
        return []
    lines: list[Line] = [(), text_line("Phases", "title")]
    for index, each in enumerate(summary.phases):
        sign = ("▸ ", "key") if index == phase else ("  ", "")
        lines.append((sign, (each.profile, "strong" if index == phase else "")))
        ends = _ends(each, index + 1 == len(summary.phases))
        lines += [(("    ", ""), *row) for row in wrap(ends, width - 4, "muted")]
    return lines


def _ends(phase: PhaseSummary, last: bool) -> str:
    """`until kickoff_touches 85 and touches_per_minute 3, at least 500 k timesteps`."""
    parts = [f"until {' and '.join(f'{name} {value:g}' for name, value in phase.until.items())}"] if phase.until else []
    parts += [f"at least {formatting.exact(phase.min_steps)} timesteps"] if phase.min_steps else []
    parts += [f"at most {formatting.exact(phase.max_steps)} timesteps"] if phase.max_steps else []
    return ", ".join(parts) or ("to the end" if last else "until N is pressed")


def _rewards(entry: ProfileEntry, phase: int, width: int) -> list[Line]:
    summary = entry.summary
    phases = summary.phases if summary else []
    rewards: Weights = phases[phase].rewards if phase < len(phases) else summary.rewards if summary else {}
    if not rewards:
        return []
    names = report_names([Component(name) for name in rewards])
    weights = {name: weight_text(weight) for name, weight in zip(names, rewards.values(), strict=True)}
    whole = max(len(text.split()[0].partition(".")[0]) for text in weights.values())
    size = max(map(len, weights)) + 2
    rows: list[Line] = [
        ((f"{name:<{size}}", "muted"), (crop_text(_align_point(text, whole), width - INDENT - size), ""))
        for name, text in weights.items()
    ]
    where = f" of {phases[phase].profile}" if phase < len(phases) else ""
    return [(), text_line(f"Rewards and weights{where}", "title"), *indented(rows)]


def weight_text(weight: float | list[tuple[int, float]]) -> str:
    """`0.2`, or of a schedule `1 → 0.2 in 5 M`."""
    if not isinstance(weight, list):
        return f"{weight:g}"
    path = " → ".join(f"{value:g}" for _, value in weight)
    return f"{path} in {formatting.exact(weight[-1][0])}"


def _align_point(text: str, whole: int) -> str:
    """Padded so that the decimal points of the first numbers stand below each other."""
    return " " * (whole - len(text.split()[0].partition(".")[0])) + text


def run_lines(run: RunSummary, verdict: str | None, context: PlanContext, width: int) -> list[Line]:
    """State, figures, what enter and R will do. verdict: None where it is not known yet, or while it trains."""
    symbol, word, role = state_sign(run)
    lines = wrap(run.name, width, "strong") if len(run.name) > width - 2 else []  # the border has not the room for it
    lines += [((f"{symbol} {word}", role), (f"  {_since(run, context.now)}", "muted"))]
    lines += wrap(run.note, width, "bad" if run.state in ("unclean", "failed") else "muted") if run.note else []
    lines += [(), *_run_figures(run, verdict, context.now, width), (), text_line("Enter will", "title")]
    lines += indented([text_line("show it live" if run.state == "training" else "show its charts, rewards and log")])
    return lines if run.state == "training" else [*lines, (), *enter_lines(context.plan, width, "R")]


def saved_rows(saved: CheckpointInfo, now: float) -> list[tuple[str, str, str]]:
    """(name, value, role) of its figures; none where its meta.json cannot be read."""
    meta = saved.meta
    if meta is None:
        return []
    standing, role = best_note(saved.best, meta)
    over = over_episodes(meta.reward_episodes, meta.reward_short)
    return [
        ("reward", f"{formatting.number(meta.mean_reward)}{over}", ""),
        *([("", standing, role)] if standing else []),
        ("entropy", formatting.nats(meta.entropy), ""),
        ("KL", formatting.number(meta.approx_kl), ""),
        ("saved", f"{formatting.date(meta.time)}, {formatting.ago(now - meta.time)}", ""),
    ]


def milestone_lines(saved: CheckpointInfo, context: PlanContext, width: int) -> list[Line]:
    """Numbers from its meta, what enter will do."""
    meta = saved.meta
    rows = [("run", saved.run, ""), ("phase", saved.phase, ""), ("timesteps", formatting.count(saved.timesteps), "")]
    rows += saved_rows(saved, context.now)
    if meta is not None:
        parent = meta.parent or formatting.UNKNOWN
        rows += [("policy", meta.policy, ""), ("profile", meta.profile, ""), ("parent", parent, "")]
    rows += [("note", saved.mark.note, "")] if saved.mark.note else []
    return [*named_lines(rows, width), (), *enter_lines(context.plan, width)]


def group_lines(states: Sequence[CheckpointInfo], width: int) -> list[Line]:
    """The milestones of one phase of a run, and how the reward went."""
    rows = [(saved.label, _reward_text(saved)) for saved in states]
    return [*wrap(formatting.plural(len(states), "milestone"), width, "strong"), (), *_table(rows, width)]


def _since(run: RunSummary, now: float) -> str:
    if run.state == "training" and run.since is not None:
        time = formatting.duration(now - run.since)
        if run.paused is not None:
            time = f"{formatting.duration(now - run.paused)}, started {formatting.ago(now - run.since)}"
        return f"for {time}, pid {run.pid} on {run.host}"
    return f"last word {formatting.ago(now - run.updated)}" if run.updated is not None else ""


def _run_figures(run: RunSummary, verdict: str | None, now: float, width: int) -> list[Line]:
    phase = run.label or "" if run.phase is None else f"{run.phase} {run.label or ''}".strip()
    states = (
        f"{formatting.plural(run.checkpoints, 'checkpoint')}, {formatting.plural(len(run.milestones), 'milestone')}"
    )
    rows = [
        ("profile", run.profile or formatting.UNKNOWN),
        *([("by now", run.phase_profile)] if run.phase_profile else []),
        ("phase", phase or formatting.UNKNOWN),
        ("timesteps", formatting.count(run.timesteps)),
        ("reward", f"{formatting.number(run.reward.mean)}{over_episodes(run.reward.episodes, run.reward.short)}"),
        *([("verdict", verdict)] if verdict else []),
        ("entropy", formatting.nats(run.metrics.get(metric_keys.ENTROPY))),
        ("speed", _speed(run)),
        ("saved", _saved_text(run, now)),
        *_best_rows(run.best),
        ("states", states),
        ("started", formatting.date(run.started)),
    ]
    rows += [("parent", run.parent)] if run.parent else []
    rows += [("damaged", f"{saved.name}: {saved.damage}") for saved in run.damaged[:3]]
    return _table(rows, width)


def _table(rows: Sequence[tuple[str, str]], width: int) -> list[Line]:
    return named_lines([(name, value, "") for name, value in rows], width)


def _reward_text(saved: CheckpointInfo) -> str:
    """`reward 24.0, ★ the best of 7 healthy ones under the same rewards`."""
    standing, _ = best_note(saved.best, saved.meta)
    mean = formatting.number(saved.meta.mean_reward if saved.meta is not None else None)
    return f"reward {mean}, {standing}" if standing else f"reward {mean}"


def _best_rows(best: Sequence[Best]) -> list[tuple[str, str]]:
    """Of the newest state's rewards."""
    return [
        ("best", f"{one.timesteps:,} timesteps, reward {formatting.number(one.reward)}, {describe_best(one)}")
        for one in best
        if one.now
    ]


def _speed(run: RunSummary) -> str:
    speed = run.speed
    if speed is None:
        return formatting.UNKNOWN
    trains = run.state == "training" and run.paused is None
    return formatting.rate(speed.steps_per_second) + over_iterations(speed.iterations, trains)


def _saved_text(run: RunSummary, now: float) -> str:
    meta = run.checkpoint.meta if run.checkpoint else None
    return f"{meta.timesteps:,} timesteps, {formatting.ago(now - meta.time)}" if meta else formatting.UNKNOWN
