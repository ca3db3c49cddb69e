"""The launcher's right side: what the highlighted thing is, what enter will do, from where and why. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.markup import escape

from rltui.runs.summary import RunSummary, SavedState
from rltui.tui import figures
from rltui.tui.catalog import Catalog, ProfileEntry
from rltui.tui.catalog_tree import RUN_STATES, SPEED, Item, groups, label_of, phase_of
from rltui.tui.offers import Offer
from rltui.tui.paint import Line, clean, crop_text, ends, text_line, width_of, wrap

INDENT = 2
MOST_REASONS = 3
_HASH = re.compile(r"\b[0-9a-f]{32,}\b")
DISK_LOW = 5e9  # bytes


@dataclass(frozen=True, slots=True)
class Moment:
    """now: Unix seconds. free_memory_mb: None where it is not known. offer: None while it is being worked out."""

    now: float
    offer: Offer | None = None
    free_memory_mb: float | None = None


def title_line(catalog: Catalog | None, width: int) -> Line:
    """The program's name; data folder, runs, milestones and free disk at the right."""
    name: Line = ((" rltui ", "pill-busy"),)
    tagline: Line = (*name, ("  trains Rocket League bots", "muted"))
    if catalog is None:
        return tagline
    parts = [figures.plural(len(catalog.runs), "run"), figures.plural(catalog.milestones, "milestone")]
    parts += [f"{catalog.free_bytes / 1e9:.0f} GB free"] if catalog.free_bytes is not None else []
    counts = " · ".join(parts) + " "
    left = tagline if width >= width_of(tagline) + len(counts) + 30 else name
    room = width - width_of(left) - len(counts) - 5
    return ends(left, text_line(f"{_short_path(catalog.root, room)} · {counts}", "muted"), width)


def _short_path(path: Path, room: int) -> str:
    """The end of the path, as much of it as there is room for."""
    text = clean(str(path))
    return text if len(text) <= room else f"…{text[len(text) - max(room, 8) + 1 :]}"


def heading(item: Item | None) -> str:
    """The right side's border title, in Textual markup."""
    if item is None:
        return ""
    name = Path(item.name).stem if item.kind == "profile" else item.name
    name = f"{Path(item.name).parent.name} {Path(item.name).name}" if item.kind == "milestone" else name
    return escape(name)


def lines(item: Item | None, catalog: Catalog, moment: Moment, width: int) -> list[Line]:
    """The right side for what the cursor stands on."""
    if item is None:
        return welcome_lines(width)
    if item.kind == "profile" and (entry := catalog.profile(Path(item.name))) is not None:
        return profile_lines(entry, catalog, moment, width)
    if item.kind == "run" and (run := catalog.run(item.name)) is not None:
        return run_lines(run, moment, width)
    if item.kind == "milestone" and (found := catalog.milestone(item.name)) is not None:
        return milestone_lines(*found, moment, width)
    if item.kind == "group":
        states = next(((run, states) for group, run, states in groups(catalog) if group == item), None)
        return group_lines(*states, width) if states else []
    return section_lines(item.name, width) if item.name in SECTIONS else [text_line("it is gone from disk", "muted")]


def welcome_lines(width: int) -> list[Line]:
    """For somebody who has never been here."""
    steps = (
        ("1", "Choose a profile on the left with the arrow keys."),
        ("2", "Press enter: a trainer starts. It goes on when this window closes."),
        ("3", "Watch it learn. q leaves and lets it train on."),
    )
    lines = wrap("Welcome! Here you train bots for Rocket League.", width, "strong")
    for number, text in steps:
        rows = wrap(text, width - 3)
        lines += [((f"{number if not index else ' '}  ", "key"), *row) for index, row in enumerate(rows)]
    return [*lines, text_line("─" * width, "track")]


def profile_lines(entry: ProfileEntry, catalog: Catalog, moment: Moment, width: int) -> list[Line]:
    """Description, what enter will do, key settings, what has been checked, rewards."""
    lines = welcome_lines(width) if not catalog.runs else []
    lines += wrap(entry.description, width) if entry.description else [text_line("no description", "muted")]
    if entry.invalid:
        return [*lines, (), *_problems(entry, width)]
    offer = moment.offer
    if offer is not None and offer.refused:  # first, for the reasons may be long
        lines += [(), (("n", "key"), (" starts a new run of it, from zero", "strong"))]
    lines += [(), *_enter_will(offer, width, checking=entry.check is None)]
    if offer is not None and offer.title.startswith("resume"):
        lines += _indented([(("n", "key"), (" starts a new run instead, from zero", ""))])
    summary = settings_line(entry)
    lines += [(), text_line("Settings", "title"), *_indented(wrap(summary, width - INDENT))] if summary else []
    lines += [(), *_checks(entry, catalog, moment, width)]
    rewards = _rewards(entry, width)
    return [*lines, *([(), *rewards] if rewards else [])]


def run_lines(run: RunSummary, moment: Moment, width: int) -> list[Line]:
    """State, figures, what enter and R will do."""
    symbol, word, role = RUN_STATES[run.state]
    lines: list[Line] = [((f"{symbol} {word}", role), (f"  {_since(run, moment.now)}", "muted"))]
    lines += wrap(run.note, width, "bad" if run.state == "unclean" else "muted") if run.note else []
    lines += [(), *_run_figures(run, moment.now, width), (), text_line("Enter will", "title")]
    if run.state == "training":
        lines += _indented(wrap("attach to the running trainer and show it live", width - INDENT))
        return lines
    lines += _indented(wrap("open it from disk: its charts, rewards and log as they were", width - INDENT))
    lines += [(), text_line("R will", "title")]
    return [*lines, *_offer_lines(moment.offer, width)]


def milestone_lines(run: RunSummary, saved: SavedState, moment: Moment, width: int) -> list[Line]:
    """Numbers from its meta, what enter will do."""
    meta = saved.meta
    rows: list[tuple[str, str]] = [
        ("run", run.name),
        ("phase", phase_of(saved)),
        ("steps", figures.count(saved.timesteps)),
    ]
    if meta is not None:
        rows += [
            ("saved", f"{figures.date(meta.time)}, {figures.ago(moment.now - meta.time)}"),
            ("reward", figures.number(meta.mean_reward)),
            ("entropy", f"{figures.number(meta.entropy)} nats"),
            ("KL", figures.number(meta.approx_kl)),
            ("policy", meta.policy),
            ("profile", meta.profile),
            ("author", meta.author or figures.UNKNOWN),
            ("parent", meta.parent or figures.UNKNOWN),
        ]
    rows += [("note", saved.mark.note)] if saved.mark.note else []
    lines = [*wrap(f"Milestone {label_of(saved)}", width, "strong"), (), *_table(rows, width), ()]
    return [*lines, *_enter_will(moment.offer, width)]


def group_lines(run: RunSummary, states: Sequence[SavedState], width: int) -> list[Line]:
    """The milestones of one phase of a run, and how the reward went."""
    rows = [
        (label_of(saved), f"reward {figures.number(saved.meta.mean_reward if saved.meta else None)}")
        for saved in states
    ]
    head = wrap(f"{figures.plural(len(states), 'milestone')} of {run.name}", width, "strong")
    return [
        *head,
        (),
        *_table(rows, width),
        (),
        *wrap("space opens and closes this branch of the tree.", width, "muted"),
    ]


SECTIONS: Mapping[str, str] = {
    "Profiles": (
        "A profile says what a bot shall learn and how: rewards, starting positions, nets, learning rate. Those with ✓ are "
        "valid. Your own stand in ./profiles; rltui profile new writes a commented one to start from."
    ),
    "Runs": (
        "A run is one bot in training: its charts, log, checkpoints. Enter on a run shows it, live or from disk; R goes on "
        "with one that has stopped. Runs appear here when you launch a profile."
    ),
    "Milestones": (
        "A milestone is a full copy of a bot, kept for good every so many steps, or when you press M while it trains. "
        "Enter on one trains on from there, on a branch of its own."
    ),
}


def section_lines(name: str, width: int) -> list[Line]:
    """What this part of the tree holds and how to get it."""
    return wrap(SECTIONS[name], width)


def settings_line(entry: ProfileEntry) -> str:
    """Cars, learning rate, nets, workers and table in a line; empty while the profile has not been found valid."""
    summary = entry.check.summary if entry.check else None
    if summary is None:
        return ""
    parts = [
        f"{summary.blue}v{summary.orange}",
        f"learning rate {summary.learning_rate:g}" if summary.learning_rate is not None else "",
        "×".join(str(size) for size in summary.policy_layers),
        f"{summary.workers} workers × {summary.arenas} arenas",
        f"{summary.table} table ({summary.actions})",
        f"{summary.obs} observation ({summary.obs_size})",
        f"rewards count half after {figures.duration(summary.gamma_half_life_s)}"
        if summary.gamma_half_life_s is not None
        else "",
    ]
    return " · ".join(part for part in parts if part)


def _enter_will(offer: Offer | None, width: int, *, checking: bool = False) -> list[Line]:
    if checking:
        return [
            text_line("Enter will", "title"),
            *_indented([text_line("be told once the profile is checked …", "muted")]),
        ]
    return [text_line("Enter will", "title"), *_offer_lines(offer, width)]


def _offer_lines(offer: Offer | None, width: int) -> list[Line]:
    room = width - INDENT
    if offer is None:
        return _indented([text_line("be told in a moment: looking at the checkpoints …", "muted")])
    if offer.refused:
        return _indented(_refusal(offer, room))
    lines = [*wrap(offer.title, room, "strong"), *wrap(offer.reason, room)]
    for warning in offer.warnings:
        lines += wrap(f"! {warning}", room, "warn")
    return _indented(lines)


def _refusal(offer: Offer, width: int) -> list[Line]:
    """Why nothing would start; of several runs that do not fit the first ones, difference by difference."""
    head, *reasons = offer.refused.split("\n")
    lines = wrap(f"✗ not start: {head}", width, "bad")
    for reason in reasons[:MOST_REASONS]:
        name, _, differences = reason.strip().partition(": ")
        lines += wrap(f"  {name}", width, "strong")
        for difference in differences.split("; "):
            lines += wrap(f"    {_HASH.sub(_shortened, difference)}", width, "muted") if difference else []
    if len(reasons) > MOST_REASONS:
        lines += wrap(f"  … and {len(reasons) - MOST_REASONS} more", width, "muted")
    return [*lines, *([] if "--resume new" in offer.hint else wrap(offer.hint, width, "muted"))]


def _shortened(found: re.Match[str]) -> str:
    return f"{found[0][:8]}…"


def _problems(entry: ProfileEntry, width: int) -> list[Line]:
    check = entry.check
    problems = check.errors if check else []
    lines: list[Line] = [text_line(f"✗ {figures.plural(len(problems), 'mistake')}: it cannot be launched", "bad"), ()]
    for problem in problems:
        place = f"line {problem.line}" if problem.line else "file"
        lines += [((f"{place:<9}", "muted"), (problem.key, "strong"))] if problem.key else [((place, "muted"),)]
        parts = [problem.message]
        parts += [f"expected {problem.expected}"] if problem.expected else []
        parts += [f"found {problem.found}"] if problem.found else []
        lines += [(((" " * 9), ""), *row) for row in wrap(", ".join(parts), width - 9)]
        lines += [(((" " * 9), ""), *row) for row in wrap(problem.hint, width - 9, "good")] if problem.hint else []
    return [*lines, (), *wrap(f"{entry.path}: mend it in your editor, it is checked again when saved.", width, "muted")]


def _checks(entry: ProfileEntry, catalog: Catalog, moment: Moment, width: int) -> list[Line]:
    check = entry.check
    rows: list[tuple[str, str, str]] = []
    if check is None:
        rows.append(("◌", "the profile is being checked", "muted"))
    else:
        rows.append(("✓", "profile valid", "good"))
        rows += [("!", text, "warn") for text in check.warnings]
    memory = check.summary.memory_mb if check and check.summary else None
    rows += _room(memory, moment.free_memory_mb, catalog.free_bytes)
    lines: list[Line] = [text_line("Checks", "title")]
    for symbol, text, role in rows:
        wrapped = wrap(text, width - 4, "" if role == "good" else role)
        lines += [((f"  {symbol if not index else ' '} ", role), *row) for index, row in enumerate(wrapped)]
    return [*lines, *_expected(entry, catalog, width)]


def _room(memory: float | None, free: float | None, disk: int | None) -> list[tuple[str, str, str]]:
    rows: list[tuple[str, str, str]] = []
    if memory is not None:
        enough = free is None or memory < free * 0.9
        left = f" of {figures.megabytes(free)} free" if free is not None else ""
        rows.append(
            ("✓" if enough else "!", f"about {figures.megabytes(memory)} of memory{left}", "good" if enough else "warn")
        )
    if disk is not None:
        rows.append(
            (
                "✓" if disk > DISK_LOW else "!",
                f"{disk / 1e9:.0f} GB of disk free",
                "good" if disk > DISK_LOW else "warn",
            )
        )
    return rows


def _expected(entry: ProfileEntry, catalog: Catalog, width: int) -> list[Line]:
    """From the newest run of the same profile here; nothing where there is none."""
    rates = [run.metrics.get(SPEED) for run in catalog.runs if run.profile == entry.name]
    rate = next((rate for rate in rates if rate), None)
    if rate is None:
        return []
    summary = entry.check.summary if entry.check else None
    interval = summary.milestone_interval if summary else None
    first = f", a milestone every {figures.duration(interval / rate)}" if interval else ""
    return [(), *wrap(f"Last time here: {figures.rate(rate)} overall{first}.", width, "muted")]


def _rewards(entry: ProfileEntry, width: int) -> list[Line]:
    summary = entry.check.summary if entry.check else None
    if summary is None or not summary.rewards:
        return []
    weights = {name: _weight(weight) for name, weight in summary.rewards.items()}
    whole = max(len(text.split()[0].partition(".")[0]) for text in weights.values())
    rows = [(name, _on_the_point(text, whole)) for name, text in weights.items()]
    return [text_line("Rewards and weights", "title"), *_indented(_table_raw(rows, width - INDENT))]


def _weight(weight: float | list[tuple[int, float]]) -> str:
    """`0.2`, or of a schedule `1 → 0.2 in 5 M`."""
    if not isinstance(weight, list):
        return f"{weight:g}"
    path = " → ".join(f"{value:g}" for _, value in weight)
    return f"{path} in {figures.short(weight[-1][0])}"


def _on_the_point(text: str, whole: int) -> str:
    """Padded so that the decimal points of the first numbers stand below each other."""
    return " " * (whole - len(text.split()[0].partition(".")[0])) + text


def _since(run: RunSummary, now: float) -> str:
    if run.state == "training" and run.since is not None:
        return f"for {figures.duration(now - run.since)}, pid {run.pid} on {run.host}"
    return f"last word {figures.ago(now - run.updated)}" if run.updated is not None else ""


def _run_figures(run: RunSummary, now: float, width: int) -> list[Line]:
    metrics = run.metrics
    rows = [
        ("profile", run.profile or figures.UNKNOWN),
        ("phase", f"{run.phase} {run.label or ''}".strip() if run.phase is not None else run.label or figures.UNKNOWN),
        ("steps", figures.count(run.timesteps)),
        ("reward", f"{figures.number(metrics.get('rollout/policy_reward'))} / episode"),
        ("entropy", f"{figures.number(metrics.get('train/entropy'))} nats"),
        ("speed", f"{figures.rate(metrics.get(SPEED))} overall"),
        ("saved", _saved_words(run, now)),
        (
            "kept",
            f"{figures.plural(run.checkpoints, 'checkpoint')}, {figures.plural(len(run.milestones), 'milestone')}",
        ),
        ("started", figures.date(run.started)),
    ]
    rows += [("parent", run.parent)] if run.parent else []
    rows += [("damaged", f"{saved.name}: {saved.damage}") for saved in run.damaged[:3]]
    return _table(rows, width)


def _saved_words(run: RunSummary, now: float) -> str:
    meta = run.checkpoint.meta if run.checkpoint else None
    return f"{meta.timesteps:,} steps, {figures.ago(now - meta.time)}" if meta else figures.UNKNOWN


def _table(rows: Sequence[tuple[str, str]], width: int) -> list[Line]:
    size = max((len(name) for name, _ in rows), default=0) + 2
    lines: list[Line] = []
    for name, value in rows:
        wrapped = wrap(value, max(width - size, 10))
        lines += [((f"{name if not index else '':<{size}}", "muted"), *row) for index, row in enumerate(wrapped)]
    return lines


def _table_raw(rows: Sequence[tuple[str, str]], width: int) -> list[Line]:
    """As `_table`, blanks kept: for aligned numbers."""
    size = max((len(name) for name, _ in rows), default=0) + 2
    return [((f"{name:<{size}}", "muted"), (crop_text(value, width - size), "")) for name, value in rows]


def _indented(lines: Sequence[Line]) -> list[Line]:
    return [((" " * INDENT, ""), *line) for line in lines if line]
