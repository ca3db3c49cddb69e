"""The launcher's words on runs, milestones and branches of the tree. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from rltui import formatting
from rltui.events import metric_keys
from rltui.formatting import over_episodes, over_iterations
from rltui.runs.best import Best, is_best, words
from rltui.runs.inventory import SavedState
from rltui.runs.meta import Meta
from rltui.runs.summary import RunSummary
from rltui.tui.by_reward import said
from rltui.tui.launcher.catalog_tree import label_of, phase_of, state_words
from rltui.tui.launcher.enter_words import enter_will, offer_lines
from rltui.tui.launcher.moment import Moment
from rltui.tui.launcher.word_tables import INDENT, indented, table
from rltui.tui.paint import Line, text_line, wrap


def run_lines(run: RunSummary, moment: Moment, width: int) -> list[Line]:
    """State, figures, what enter and R will do."""
    symbol, word, role = state_words(run)
    lines = wrap(run.name, width, "strong") if len(run.name) > width - 2 else []  # the border has not the room for it
    lines += [((f"{symbol} {word}", role), (f"  {_since(run, moment.now)}", "muted"))]
    lines += wrap(run.note, width, "bad" if run.state in ("unclean", "failed") else "muted") if run.note else []
    lines += [(), *_run_figures(run, moment.now, width), (), text_line("Enter will", "title")]
    if run.state == "training":
        lines += indented(wrap("attach to the running trainer and show it live", width - INDENT))
        return lines
    lines += indented(wrap("open it from disk: its charts, rewards and log as they were", width - INDENT))
    lines += [(), text_line("R will", "title")]
    return [*lines, *offer_lines(moment.offer, width)]


def milestone_lines(run: RunSummary, saved: SavedState, moment: Moment, width: int) -> list[Line]:
    """Numbers from its meta, what enter will do."""
    meta = saved.meta
    rows: list[tuple[str, str]] = [
        ("run", run.name),
        ("phase", phase_of(saved)),
        ("timesteps", formatting.count(saved.timesteps)),
    ]
    if meta is not None:
        standing, _ = said(is_best(run.best, meta), meta)
        rows += [
            ("saved", f"{formatting.date(meta.time)}, {formatting.ago(moment.now - meta.time)}"),
            (
                "reward",
                f"{formatting.number(meta.mean_reward)}{over_episodes(meta.reward_episodes, meta.reward_short)}",
            ),
            *([("", standing)] if standing else []),
            ("entropy", f"{formatting.number(meta.entropy)} nats"),
            ("KL", formatting.number(meta.approx_kl)),
            ("policy", meta.policy),
            ("profile", meta.profile),
            ("author", meta.author or formatting.UNKNOWN),
            ("parent", meta.parent or formatting.UNKNOWN),
        ]
    rows += [("note", saved.mark.note)] if saved.mark.note else []
    lines = [*wrap(f"Milestone {label_of(saved)}", width, "strong"), (), *table(rows, width), ()]
    return [*lines, *enter_will(moment.offer, width)]


def group_lines(run: RunSummary, states: Sequence[SavedState], width: int) -> list[Line]:
    """The milestones of one phase of a run, and how the reward went."""
    rows = [(label_of(saved), _reward_words(run.best, saved.meta)) for saved in states]
    head = wrap(f"{formatting.plural(len(states), 'milestone')} of {run.name}", width, "strong")
    return [
        *head,
        (),
        *table(rows, width),
        (),
        *wrap(
            "enter opens and closes this branch of the tree; b shows them in the browser, with all that is saved.",
            width,
            "muted",
        ),
    ]


def _since(run: RunSummary, now: float) -> str:
    if run.state == "training" and run.since is not None:
        paused = (
            f"{formatting.duration(now - run.paused)}, started {formatting.ago(now - run.since)}"
            if run.paused is not None
            else ""
        )
        return f"for {paused or formatting.duration(now - run.since)}, pid {run.pid} on {run.host}"
    return f"last word {formatting.ago(now - run.updated)}" if run.updated is not None else ""


def _run_figures(run: RunSummary, now: float, width: int) -> list[Line]:
    metrics = run.metrics
    rows = [
        ("profile", run.profile or formatting.UNKNOWN),
        *([("by now", run.phase_profile)] if run.phase_profile else []),
        (
            "phase",
            f"{run.phase} {run.label or ''}".strip() if run.phase is not None else run.label or formatting.UNKNOWN,
        ),
        ("timesteps", formatting.count(run.timesteps)),
        ("reward", f"{formatting.number(run.reward.mean)}{over_episodes(run.reward.episodes, run.reward.short)}"),
        ("entropy", f"{formatting.number(metrics.get(metric_keys.ENTROPY))} nats"),
        ("speed", _speed(run)),
        ("saved", _saved_words(run, now)),
        *_best_words(run.best),
        (
            "states",
            f"{formatting.plural(run.checkpoints, 'checkpoint')}, {formatting.plural(len(run.milestones), 'milestone')}",
        ),
        ("started", formatting.date(run.started)),
    ]
    rows += [("parent", run.parent)] if run.parent else []
    rows += [("damaged", f"{saved.name}: {saved.damage}") for saved in run.damaged[:3]]
    return table(rows, width)


def _reward_words(best: Sequence[Best], meta: Meta | None) -> str:
    """`reward 24.0, ★ the best of 7 healthy ones under the same rewards`."""
    standing, _ = said(is_best(best, meta), meta)
    mean = formatting.number(meta.mean_reward if meta is not None else None)
    return f"reward {mean}, {standing}" if standing else f"reward {mean}"


def _best_words(best: Sequence[Best]) -> list[tuple[str, str]]:
    """Of the newest state's rewards."""
    return [
        ("best", f"{one.timesteps:,} timesteps, reward {formatting.number(one.reward)}, {words(one)}")
        for one in best
        if one.now
    ]


def _speed(run: RunSummary) -> str:
    speed = run.speed
    if speed is None:
        return formatting.UNKNOWN
    return formatting.rate(speed.steps_per_second) + over_iterations(
        speed.iterations, run.state == "training" and run.paused is None
    )


def _saved_words(run: RunSummary, now: float) -> str:
    meta = run.checkpoint.meta if run.checkpoint else None
    return f"{meta.timesteps:,} timesteps, {formatting.ago(now - meta.time)}" if meta else formatting.UNKNOWN
