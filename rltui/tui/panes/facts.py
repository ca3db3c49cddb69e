"""What is trained: the run's header in full."""

from __future__ import annotations

from rltui.events.records import RunStarted
from rltui.tui import figures
from rltui.tui.flags import flag_words
from rltui.tui.model import RunSnapshot
from rltui.tui.paint import Line, wrap
from rltui.tui.panes.pane import Pane, View

LABEL = 11  # columns
CURRICULUM, MISSING = "curriculum/", "_missing"  # keys of the distance to a criterion


class FactsPane(Pane):
    """Label and value, one a line."""

    NUMBER = "i"
    SLOT = "facts"
    NAME = "Run"
    SHORT = "Run"
    EMPTY = "Here will be the run's profile, nets, settings and machine, once the trainer has opened it."
    HELP = "What the trainer said when it opened the run, and what it last saved."

    def has_nothing(self, view: View) -> bool:
        return view.snapshot.header is None

    def depends(self, view: View) -> object:
        snapshot = view.snapshot
        return (
            snapshot.header,
            flag_words(snapshot),
            snapshot.checkpoint,
            snapshot.milestone,
            len(snapshot.link.clients),
            snapshot.metrics,
        )

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        header = view.snapshot.header
        if header is None:
            return []
        lines: list[Line] = []
        debug = [("debug", words)] if (words := flag_words(view.snapshot)) else []
        for name, value in (*debug, *facts_of(header), *_distances(view.snapshot), *_saved(view.snapshot)):
            rows = wrap(value, max(width - LABEL, 10))
            lines += [((f"{name if not index else '':<{LABEL}}", "muted"), *row) for index, row in enumerate(rows)]
        return lines[:height]


def facts_of(header: RunStarted) -> list[tuple[str, str]]:
    """(label, text) of everything that the header says, most asked for first."""
    return [
        ("profile", f"{header.profile}, by {header.author}" if header.author else header.profile),
        ("policy", _net(header.policy_layers, header.actions, header.policy_parameters)),
        ("critic", _net(header.critic_layers, 1, header.critic_parameters)),
        ("plays", f"{header.blue}v{header.orange}, sees {header.obs_size} numbers, chooses among {header.actions}"),
        ("rates", _rates(header)),
        ("learning", f"entropy {header.ent_coef:g}, gamma {header.gamma:g}, {figures.plural(header.epochs, 'epoch')}"),
        ("data", f"{header.iteration:,} an iteration, batch {header.batch:,}{_minibatch(header)}"),
        ("workers", f"{header.workers} × {header.arenas} arenas, learner on {header.device}"),
        (
            "saving",
            f"every {figures.short(header.save_every)}, milestone every {figures.short(header.milestone_interval)}",
        ),
        ("seed", f"{header.seed}, tick skip {header.tick_skip}"),
        ("started", f"{figures.date(header.time)}, pid {header.pid} on {header.host}"),
        (
            "versions",
            ", ".join(f"{name} {version}" for name, version in sorted(header.versions.items())) or figures.UNKNOWN,
        ),
    ]


def _distances(snapshot: RunSnapshot) -> list[tuple[str, str]]:
    """What is missing for the next phase of a campaign."""
    found = missing(snapshot)
    return [("next phase", ", ".join(found))] if found else []


def missing(snapshot: RunSnapshot) -> list[str]:
    """Each criterion of the next phase: `kickoff touches 62 (18 missing)`."""
    metrics, words = snapshot.metrics, []
    for key in metrics:
        if key.startswith(CURRICULUM) and key.endswith(MISSING):
            name = key.removeprefix(CURRICULUM).removesuffix(MISSING)
            value, away = metrics.get(CURRICULUM + name), metrics[key]
            told = figures.UNKNOWN if value is None else f"{value:.3g}"
            rest = "" if away is None else " (reached)" if away == 0 else f" ({away:.3g} missing)"
            words.append(f"{name.rpartition('/')[2].replace('_', ' ')} {told}{rest}")
    return words


def _rates(header: RunStarted) -> str:
    policy, critic = header.learning_rate, header.critic_learning_rate
    return f"learning rate {policy:g}" if policy == critic else f"policy {policy:g}, critic {critic:g}"


def _minibatch(header: RunStarted) -> str:
    return "" if header.minibatch == header.batch else f" in {header.minibatch:,}"


def _net(layers: list[int], outputs: int, parameters: int) -> str:
    return f"{'-'.join(str(size) for size in (*layers, outputs))}, {figures.short(parameters)} parameters"


def _saved(snapshot: RunSnapshot) -> list[tuple[str, str]]:
    found = []
    if snapshot.checkpoint is not None:
        found.append(
            ("saved", f"checkpoint at {snapshot.checkpoint.timesteps:,}, {figures.clock(snapshot.checkpoint.time)}")
        )
    if snapshot.milestone is not None:
        found.append(("milestone", f"{snapshot.milestone.label}, {figures.clock(snapshot.milestone.time)}"))
    if snapshot.link.controller is not None and not snapshot.link.mine:
        found.append(("control", snapshot.link.controller))
    if len(snapshot.link.clients) > 1:
        found.append(("watching", ", ".join(snapshot.link.clients)))
    return found
