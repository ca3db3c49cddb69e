"""Pane on the run: what to try where it is ill, the header with what has changed since, what was saved."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from rltui import formatting
from rltui.events.records import RunStarted, SettingChanged, epochs_words, match_words, setting_words
from rltui.run_state.condition import condition, in_force
from rltui.run_state.snapshot import RunSnapshot
from rltui.run_state.verdict import Verdict, verdict
from rltui.tui.panes.pane import Pane, View
from rltui.tui.text import Line, crop, wrap
from rltui.tui.widgets.list_view import ScrollableLines

LABEL = 11  # columns


def diagnosis(view: View) -> tuple[Verdict, bool] | None:
    """The verdict, and whether the trainer is there, goes on and speaks; None where the run is not opened yet."""
    if view.snapshot.header is None:
        return None
    now = condition(view.snapshot, view.now)
    heard = now.running and now.role != "bad" and not view.snapshot.paused
    return verdict(view.snapshot, view.now, heard), heard


class RunInfoPane(Pane, ScrollableLines):
    """Label and value, one a line; what has changed since the start stands out."""

    NUMBER = "i"
    SLOT = "facts"
    ID = "facts"
    NAME = "Run"
    SHORT = "Run"
    EMPTY = "Here will be the run's profile, nets, settings and machine, once the trainer has opened it."
    HELP = (
        "What to try where the verdict is unhealthy, then what the trainer said when it opened the run, and what it last "
        "saved. What has changed since is marked, as it was → as it is; by hand are the settings that people "
        "changed and that are in force, after a resume too."
    )

    def has_nothing(self, view: View) -> bool:
        return view.snapshot.header is None

    def depends(self, view: View) -> object:
        snapshot = view.snapshot
        return (
            snapshot.header,
            snapshot.checkpoint,
            snapshot.milestone,
            len(snapshot.link.clients),
            len(snapshot.audit),
            snapshot.table_use is None,
            snapshot.evaluation,
            snapshot.ended,
            diagnosis(view),
        )

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        header = view.snapshot.header
        if header is None:
            return []
        lines: list[Line] = []
        for name, value, role in (*self._verdict(view), *_rows(view.snapshot, header)):
            rows = wrap(value, max(width - LABEL, 10), role)
            lines += [((f"{name if not index else '':<{LABEL}}", "muted"), *row) for index, row in enumerate(rows)]
        return self.window([crop(line, width) for line in lines], height)

    def _verdict(self, view: View) -> Iterator[tuple[str, str, str]]:
        """What the line above all panes has no room for: advice, and all but the first that is ill."""
        found = diagnosis(view)
        symptoms = found[0].symptoms if found is not None else ()
        for index, one in enumerate(symptoms):
            if index:
                yield "also ill", one.words, "bad"
            if one.to_try not in [before.to_try for before in symptoms[:index]]:
                yield "to try", one.to_try, "warn"


def _rows(snapshot: RunSnapshot, header: RunStarted) -> Iterator[tuple[str, str, str]]:
    """(label, text, role) of what the lines above all panes do not say, with what has changed since the start marked."""
    before = dict(facts_of(snapshot.opened)) if snapshot.opened is not None else {}
    for name, value in facts_of(header):
        changed = name in before and before[name] != value
        yield name, change_text(before[name], value) if changed else value, "warn" if changed else ""
    yield from (("by hand", words, "warn") for words in by_hand(snapshot))
    yield from ((name, value, "") for name, value in (*_identity(snapshot, header), *_saved(snapshot)))


def change_text(before: str, now: str) -> str:
    """The text with each part that differs as `entropy coefficient 0.01 → 0.005`."""
    old, new = before.split(", "), now.split(", ")
    if len(old) != len(new):
        return f"{now} (was {before})"
    return ", ".join(
        mine if mine == yours else _arrow(yours.split(), mine.split()) for yours, mine in zip(old, new, strict=True)
    )


def _arrow(old: list[str], new: list[str]) -> str:
    """What both begin and end with is said once."""
    start = end = 0
    shortest = min(len(old), len(new)) - 1
    while start < shortest and old[start] == new[start]:
        start += 1
    while end < shortest - start and old[-1 - end] == new[-1 - end]:
        end += 1
    middle = [" ".join(words[start : len(words) - end]) for words in (old, new)]
    return " ".join([*new[:start], f"{middle[0]} → {middle[1]}", *new[len(new) - end :]])


def by_hand(snapshot: RunSnapshot) -> list[str]:
    """What is in force in the place of the profile's: `reward touch 0.5, by ada at 1.2 M`."""
    found = snapshot.header.by_hand if snapshot.header is not None else {}
    records = {record.setting: record for record in in_force(snapshot)}
    return [f"{setting_words(setting, value)}{_by_whom(records.get(setting))}" for setting, value in found.items()]


def _by_whom(record: SettingChanged | None) -> str:
    """Nothing where the audit does not reach back so far."""
    return (
        f", by {record.by.partition(' on ')[0]} at {formatting.short(record.timesteps)}" if record is not None else ""
    )


def _identity(snapshot: RunSnapshot, header: RunStarted) -> Iterator[tuple[str, str]]:
    """By what a checkpoint fits, and where this start went on from."""
    table = header.table_hash or (snapshot.table_use.table_hash if snapshot.table_use is not None else "")
    if header.obs:
        yield "sees", header.obs
    if table:
        yield "table", f"hash {table[:12]}"
    resumed = snapshot.resumed
    if resumed is not None:
        where = f"{resumed.timesteps:,}"
        yield "start", resumed.reason if where in resumed.reason else f"at {where}: {resumed.reason}"
        if resumed.checkpoint:
            yield "from", resumed.checkpoint


def facts_of(header: RunStarted) -> list[tuple[str, str]]:
    """(label, text) of everything that the header says, most asked for first."""
    started = ("started", f"{formatting.date(header.time)}, pid {header.pid} on {header.host}")
    if header.command:
        return [("script", shlex.join(header.command)), started]
    return [
        ("profile", f"{header.profile}, by {header.author}" if header.author else header.profile),
        ("policy", _net(header.policy_layers, header.actions, header.policy_parameters)),
        ("critic", _net(header.critic_layers, 1, header.critic_parameters)),
        ("plays", f"{match_words(header)}, sees {header.obs_size} numbers, chooses among {header.actions}"),
        ("rates", _rates(header)),
        (
            "update",
            f"entropy coefficient {header.ent_coef:g}, gamma {header.gamma:g}, {epochs_words(header)}",
        ),
        ("data", f"{header.iteration:,} an iteration, batch {header.batch:,}{_minibatch(header)}"),
        ("workers", f"{header.workers} × {header.arenas} arenas, learner on {header.device}{_precision(header)}"),
        *([("kernel", header.kernel)] if header.kernel else []),
        (
            "saving",
            f"every {formatting.exact(header.save_every)}, milestone every {formatting.exact(header.milestone_interval)}",
        ),
        ("seed", f"{header.seed}" + ("" if header.environment else f", tick skip {header.tick_skip}")),
        started,
        (
            "versions",
            ", ".join(f"{name} {version}" for name, version in sorted(header.versions.items())) or formatting.UNKNOWN,
        ),
    ]


def _rates(header: RunStarted) -> str:
    policy, critic = f"{header.learning_rate:g}", f"{header.critic_learning_rate:g}"
    return f"learning rate {policy}" if policy == critic else f"policy {policy}, critic {critic}"


def _precision(header: RunStarted) -> str:
    return "" if header.precision in ("", "float32") else f" in {header.precision}"


def _minibatch(header: RunStarted) -> str:
    return "" if header.minibatch == header.batch else f" in {header.minibatch:,}"


def _net(layers: list[int], outputs: int, parameters: int) -> str:
    return f"{'-'.join(str(size) for size in (*layers, outputs))}, {formatting.short(parameters)} parameters"


def _saved(snapshot: RunSnapshot) -> list[tuple[str, str]]:
    found = []
    if snapshot.checkpoint is not None:
        found.append(
            ("saved", f"checkpoint at {snapshot.checkpoint.timesteps:,}, {formatting.clock(snapshot.checkpoint.time)}")
        )
    if snapshot.milestone is not None:
        found.append(
            (
                "milestone",
                f"{formatting.millions(snapshot.milestone.label)}, {formatting.clock(snapshot.milestone.time)}",
            )
        )
    if snapshot.evaluation is not None and snapshot.evaluation.words and not snapshot.ended:
        found.append(("league", snapshot.evaluation.words))
    if len(snapshot.link.clients) > 1:
        found.append(("watching", "; ".join(snapshot.link.clients)))
    return found
