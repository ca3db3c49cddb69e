"""Parser of what a training script of others prints: iteration reports of rlgym-ppo and rlgym-learn, and all other lines."""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rltui.events import metric_keys
from rltui.events.metrics import METRICS
from rltui.events.records import LARGEST

LONGEST_LINE = 4096  # characters; a longer one is broken
MOST_FIGURES = 200  # lines of one report, and names over all of them that have no metric of ours
LONGEST_NAME = 60  # characters
LARGEST_COUNT = 2**62
COLLECTED = "Timesteps Collected"  # of an iteration: a figure that we work with and do not keep
# rlgym-learn's names where they differ. Its reward is of an episode under the longer name; the other is of a step.
LEARN = {
    "Average Undiscounted Episodic Return": "Policy Reward",
    "Actor Entropy": "Policy Entropy",
    "Critic Loss": "Value Function Loss",
    "Actor Update Magnitude": "Policy Update Magnitude",
    "Critic Update Magnitude": "Value Function Update Magnitude",
}
LEARN_BEGINS = "-- Timing --"  # its first heading
KEYS = {metric.rlgym_ppo: metric.key for metric in METRICS if metric.rlgym_ppo}
KEYS |= {learn: KEYS[ppo] for learn, ppo in LEARN.items()}
TIMESTEPS = KEYS["Cumulative Timesteps"]
COUNTS = (TIMESTEPS, KEYS["Cumulative Model Updates"])
_MARK = re.compile(r"-{4,}\s*(BEGIN|END)\b.*\bREPORT\s*-{4,}")
_SECTION = re.compile(r"\s*-- .+ --")
_FIGURE = re.compile(r"\s*([A-Za-z][^:=]*?)\s*[:=]\s*(\S.*)")
_GAPS = "[ \u00a0\u202f'_]"  # that may part thousands beside . and ,
_NUMBER = re.compile(rf"[-+]?[0-9](?:[0-9.,]|{_GAPS})*(?:[eE][-+]?[0-9]+)?")
_NO_NUMBER = re.compile(r"-?(?:nan|inf|none|n/a)|\[.*\]|tensor\(.*\)", re.IGNORECASE)
# Colours and cursor moves, titles, two-character sequences; then what else acts on a terminal, but not \n, \r and tabs.
_ACTING = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_].*?(?:\x07|\x1b\\|$)|\x1b[ -/]*[0-~]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")  # fmt: skip


class OutputLines:
    """Bytes of a terminal as lines of plain text. Of a line that was written over (a progress bar) the last version counts."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._begun = ""  # without its end so far

    def feed(self, data: bytes) -> Iterator[str]:
        """The lines that are whole now."""
        *whole, self._begun = (self._begun + self._decode(data)).split("\n")
        yield from map(_plain, whole)
        while len(self._begun) > LONGEST_LINE:
            head, self._begun = self._begun[:LONGEST_LINE], self._begun[LONGEST_LINE:]
            yield _plain(head)

    def rest(self) -> str:
        """What waits without a line's end, as a question does; empty for a progress bar, which goes on."""
        if not self._begun or "\r" in self._begun.rstrip("\r"):
            return ""
        text, self._begun = self._begun, ""
        return _plain(text)


def _plain(line: str) -> str:
    return _ACTING.sub("", line.rstrip("\r").rpartition("\r")[2][:LONGEST_LINE]).rstrip()


@dataclass
class ScriptReport:
    """One iteration by our keys; names without one stand under `script/`. None: not known. collected: timesteps of it."""

    metrics: dict[str, float | None] = field(default_factory=dict)
    collected: int | None = None

    @property
    def timesteps(self) -> int | None:
        """Of the whole training; None in what is no whole report."""
        found = self.metrics.get(TIMESTEPS)
        return None if found is None else int(found)


class ReportParser:
    """Takes lines one after the other. A report begins at its mark, or, where a program prints none, at a figure that is known."""

    def __init__(self) -> None:
        self._report: ScriptReport | None = None
        self._marked = False
        self._own: dict[str, str] = {}  # name → key, of figures that only this script has

    def take(self, line: str) -> tuple[bool, ScriptReport | None]:
        """Whether the line belongs to a report, and the one that is whole now."""
        if mark := _MARK.search(line):
            before = self.flush() if mark[1] == "END" or not self._marked else None
            self._report, self._marked = (ScriptReport(), True) if mark[1] == "BEGIN" else (None, False)
            return True, before
        if line.strip() == LEARN_BEGINS:
            return True, self.flush()
        if self._report is not None and (not line.strip() or _SECTION.fullmatch(line)):
            return True, None
        figure = _FIGURE.fullmatch(line.rstrip())
        if figure and (_NUMBER.fullmatch(figure[2]) or _NO_NUMBER.fullmatch(figure[2])):
            if self._report is None and figure[1] in KEYS:
                self._report = ScriptReport()
            if self._report is not None:
                self._add(self._report, figure[1], figure[2])
                return True, None
        return False, self.flush() if not self._marked else None

    def idle(self) -> ScriptReport | None:
        """Nothing came for a moment: a report without an end mark is over."""
        return None if self._marked else self.flush()

    def flush(self) -> ScriptReport | None:
        """What there is, if it is a whole one."""
        report, self._report, self._marked = self._report, None, False
        if report is None or report.timesteps is None:
            return None
        seconds = report.metrics.get(metric_keys.UPDATE_SECONDS)
        if seconds and report.collected is not None:
            report.metrics[metric_keys.CONSUMED_SPEED] = report.collected / seconds
        return report

    def _add(self, report: ScriptReport, name: str, text: str) -> None:
        if name == COLLECTED:
            report.collected = _count(text)
            return
        key = KEYS.get(name) or self._own_key(name)
        if key and len(report.metrics) < MOST_FIGURES:
            report.metrics[key] = _count(text) if key in COUNTS else _figure(text)

    def _own_key(self, name: str) -> str:
        """Empty where there are too many already: a script may make up a new one each time."""
        if name not in self._own and len(self._own) < MOST_FIGURES:
            self._own[name] = "script/" + re.sub(r"[^a-z0-9]+", "_", name[:LONGEST_NAME].lower()).strip("_")
        return self._own.get(name, "")


def _count(text: str) -> int | None:
    """Whole, however its thousands are parted: `35,010,128`, `35.010.128`."""
    grouped = re.fullmatch(rf"[0-9]{{1,3}}(?:(?:[.,]|{_GAPS})[0-9]{{3}})+|[0-9]+", text)
    value = float(re.sub(r"[^0-9]", "", text)) if grouped else _figure(text)
    return int(value) if value is not None and 0 <= value <= LARGEST_COUNT else None


def _figure(text: str) -> float | None:
    """As rlgym-ppo writes one, five decimals, by the machine's locale: `1,476.07643`, `1.476,07643`, `0,03805`."""
    if not _NUMBER.fullmatch(text):
        return None
    digits = re.sub(_GAPS, "", text)
    dots, commas = digits.count("."), digits.count(",")
    point = "," if digits.rfind(",") > digits.rfind(".") else "."
    if not (dots and commas) and (dots + commas > 1 or re.fullmatch(r"[-+]?[0-9]{1,3},[0-9]{3}", digits)):
        whole, decimals = digits, ""
    else:
        whole, _, decimals = digits.rpartition(point) if point in digits else (digits, "", "")
    try:
        value = float(re.sub("[.,]", "", whole) + (f".{decimals}" if decimals else ""))
    except ValueError:
        return None
    return value if math.isfinite(value) and abs(value) <= LARGEST else None
