"""Choosing charts: the list in which they are marked, and the charts that come of it. Pure of Textual."""

from __future__ import annotations

from dataclasses import replace

from rltui.events.metrics import metric_of, section_of
from rltui.tui.panes.charting import Charting, all_keys, charted, rechosen, usual_keys
from rltui.tui.panes.picker import Entry, Picker
from rltui.tui.run.history import History


def chart_picker(charting: Charting, history: History) -> Picker:
    """All metrics of the run; those that are charted are marked."""
    entries = [Entry(key, metric_of(key).label, key, section_of(key)) for key in all_keys(history)]
    marked = set(charting.keys if charting.keys is not None else usual_keys(history))
    return Picker(entries, "Charts", "space marks, / filters, d the usual ones, enter shows them", marked)


def chosen(picker: Picker, charting: Charting, history: History) -> Charting:
    """None marked, or just the usual ones: the usual set, which grows with what the run tells.

    What was charted and still is keeps its place among the others, and the attention.
    """
    before, listed = charted(charting, history), picker.marked_keys()
    usual = set(usual_keys(history)) & {entry.key for entry in picker.entries}
    own = rechosen(charting, history, picker.marked or set(), listed) if listed and set(listed) != usual else None
    changed = replace(charting, keys=own)
    now, here = charted(changed, history), before[charting.at] if charting.at < len(before) else ""
    return replace(changed, at=now.index(here) if here in now else 0)
