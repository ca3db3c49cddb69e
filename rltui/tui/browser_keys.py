"""The milestone browser's keys: part of the registry in actions.py. Capitals act, lower-case keys can be taken back."""

from __future__ import annotations

from rltui.tui.action import Action

BROWSER_KEYS = (
    Action("resume", ("R",), "Resume", "Train on from the highlighted state; says what it will do, and asks, before it does", "Launching", 6),
    Action("fork", ("F",), "Fork", "A new run of another profile from the highlighted state; asks which, and whether it fits", "Launching", 8),
    Action("watch", ("w",), "Watch", "Watch the bot play on this terminal; q there comes back", "Launching", 9),
    Action("open", ("enter",), "Open", "To the table, or from a row of it to its run's charts", "View"),
    Action("compare", ("equals_sign",), "Compare", "Two marked states side by side, or the marked one and the highlighted; there [ ] choose the metric, w its timesteps", "View", 5),
    Action("mark", ("space",), "Mark", "Mark a row for the comparison; in the tree: open or close a run", "View", 7),
    Action("keep", ("M",), "Keep", "Keep the checkpoint as a milestone: a copy that is never pruned; u takes it back", "Milestones", 10),
    Action("filter", ("slash",), "Filter", "Show only what a regular expression is found in; ! before it turns it round", "View", 4),
    Action("sort", ("1-9",), "Sort", "Sort by the column with this digit; again turns the order round", "View", palette=False, bound=False),
    Action("verify", ("v",), "Verify", "Read every byte of all that the table shows, and compare hashes", "View"),
    Action("pin", ("p",), "Pin", "Pin the milestone, or unpin it: a pinned one (▲) cannot be deleted", "Milestones", 11),
    Action("note", ("n",), "Note", "Write a note to the milestone", "Milestones", 12),
    Action("promote", ("P",), "Promote", "Promote the milestone to a release (●), or take that back; a release cannot be deleted", "Milestones", 13),
    Action("export", ("x",), "Export", "Copy it out of the data folder, each byte checked; never over anything", "Milestones", 14),
    Action("delete", ("D",), "Delete", "Move it to the trash; asks for its name. On the trash: empty it", "Milestones", 15),
    Action("undo", ("u",), "Undo", "Take back the newest deletion or keeping, for 30 s; on a row of the trash: put that row back", "Milestones", 16),
    Action("app.focus_next", ("tab",), "Other side", "Between tree, table and details", "View", palette=False, bound=False),
    Action("refresh", ("r",), "Refresh", "Read everything from disk again", "View"),
    Action("back", ("escape",), "Back", "Clear the filter; then back to where you came from", "Program", 2, palette=False),
)  # fmt: skip
