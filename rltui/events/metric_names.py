"""Any key that a journal can have → its Metric and its Health: the table's own, or made from the key's pattern."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from rltui.events.health import Health
from rltui.events.health_texts import BY_PREFIX, TEXTS, WORKER
from rltui.events.metrics import BY_KEY, Metric

SECTIONS = {  # of keys, in the order of lists; the lanes' own follow as "<lane> …"
    "rollout": "Play",
    "reward": "Rewards",
    "weight": "Reward weights",
    "train": "Update",
    "curriculum": "Curriculum",
    "turtle": "Turtle recovery",
    "lut": "Action table",
    "time": "Time",
    "worker": "Workers",
}
_NO_HEALTH = Health("Nothing is known of what is usual.")
_WORKER = re.compile(r"worker/(\d+)/(.+)")
_WORKER_FIGURES = {
    "seconds": ("rollout", "s", "Wall time of this worker's newest rollout. The slowest worker makes the others wait."),
    "memory_mb": ("memory", "MB", "Resident memory of this worker."),
}


@lru_cache(4096)
def metric_of(key: str) -> Metric:
    """The table's row; for others one made from the pattern; for a wholly unknown key its bare name."""
    known = BY_KEY.get(key)
    if known is not None:
        return known
    lane, inner = _lane(key)
    if lane:
        metric = metric_of(inner)
        return replace(
            metric, key=key, label=f"{metric.label} ({lane})", help=f"Of the {lane} lane alone. {metric.help}"
        )
    return _by_pattern(key)


@lru_cache(4096)
def health_of(key: str) -> Health:
    """What is usual for the key, and what to try."""
    _, inner = _lane(key)
    key = inner or key
    if key in TEXTS:
        return TEXTS[key]
    worker = _WORKER.fullmatch(key)
    if worker:
        return WORKER.get(worker[2], _NO_HEALTH)
    return next((health for prefix, health in BY_PREFIX if key.startswith(prefix)), _NO_HEALTH)


def section_of(key: str) -> str:
    """The heading under which lists show the key."""
    lane, inner = _lane(key)
    head = (inner or key).partition("/")[0]
    name = SECTIONS.get(head, "Other")
    return f"{name} ({lane})" if lane else name


def in_order(keys: list[str]) -> list[str]:
    """By section, then as the table has them, then by name; `timesteps` itself, being the axis, is left out."""
    sections = list(SECTIONS)
    rows = {key: index for index, key in enumerate(BY_KEY)}

    def place(key: str) -> tuple[str, int, int, str]:
        lane, inner = _lane(key)
        key_of_match = inner or key
        head = key_of_match.partition("/")[0]
        section = sections.index(head) if head in SECTIONS else len(sections)
        return lane, section, rows.get(key_of_match, len(rows)), key

    return sorted((key for key in keys if key != "timesteps"), key=place)


def _lane(key: str) -> tuple[str, str]:
    """(lane, the key without it); ("", "") for one of the match. A lane's keys are `<lane>/rollout/…`."""
    head, _, rest = key.partition("/")
    is_lane = head not in SECTIONS and rest.partition("/")[0] in SECTIONS and "/" in rest
    return (head, rest) if is_lane else ("", "")


def _by_pattern(key: str) -> Metric:
    head, _, name = key.partition("/")
    worker = _WORKER.fullmatch(key)
    if worker:
        label, unit, text = _WORKER_FIGURES.get(worker[2], (worker[2].replace("_", " "), "", ""))
        return Metric(key, f"worker {worker[1]} {label}", unit, "none", text)
    if head == "reward" and name:
        text = (
            "Mean weighted contribution of this reward to a car's episode; all of them sum to the reward per episode."
        )
        return Metric(key, name, "/ episode", "none", text)
    if head == "weight" and name:
        text = "The weight of this reward that is in force, where a schedule or somebody by hand changes it."
        return Metric(key, f"weight of {name}", "", "none", text)
    if head == "curriculum" and name:
        return _criterion(key, name)
    return Metric(key, (name or key).replace("_", " "))


def _criterion(key: str, name: str) -> Metric:
    """`kickoff_touches` and `kickoff_touches_missing`: the value that counts for promotion, and what it lacks."""
    criterion = name.removesuffix("_missing")
    metric = next((item for item in BY_KEY.values() if item.key.endswith(f"/{criterion}")), None)
    label, unit = (metric.label, metric.unit) if metric else (criterion.replace("_", " "), "")
    if name != criterion:
        return Metric(
            key, f"{label} missing", unit, "down", "What is missing of this criterion of the next phase; 0: met."
        )
    text = "This criterion of the next phase, over the newest iterations taken together."
    return Metric(key, f"{label}, measured", unit, "none", text)
