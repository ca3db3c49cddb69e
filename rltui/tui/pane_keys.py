"""Keys that belong to a pane: they work while it is focused. One row each, in the order in which its help names them.

`pane` is the class's name without "Pane", lower case. The pane's class has BINDINGS = pane_bindings("<pane>") and a method
`action_<name>` for each row; for keys that the widget handles itself (arrows that move a cursor), bound=False, palette=False.
"""

from __future__ import annotations

from rltui.tui.action import Action

PANE_KEYS: tuple[Action, ...] = (
    Action("search", ("slash",), "Search", "A regular expression, ! inverts; hits are marked and counted while you type", "View", 4, pane="log", shadows=True),
    Action("next_hit", ("n",), "Next hit", "The next entry that the search finds", "View", pane="log"),
    Action("earlier_hit", ("e",), "Earlier hit", "The one before; after typing a search, enter goes to the newest", "View", pane="log"),
    Action("only_hits", ("x",), "Hits only", "Show nothing but what the search finds, or all again", "View", pane="log"),
    Action("worker", ("w",), "Worker", "Only what concerns the next worker; after the last, all again", "View", 14, pane="log"),
    Action("flag", ("d",), "Flag", "Only what the next debug flag says; after the last, all again", "View", pane="log"),
    Action("open", ("enter",), "Open", "The entry under the cursor, whole, with its trace", "View", 9, pane="log"),
    Action("clear", ("escape",), "Clear", "No search, no worker, no flag", "View", pane="log", palette=False, shadows=True),
    Action("filter", ("slash",), "Filter", "Only the workers whose number, state, flags or last event match a regular expression; ! inverts", "View", 4, pane="workers", shadows=True),
    Action("clear", ("escape",), "Clear", "No filter: all workers again", "View", pane="workers", palette=False, shadows=True),
    Action("sort", ("o",), "Order", "By number, slowest, most restarts or largest first", "View", 10, pane="workers"),
    Action("trace", ("enter",), "Traceback", "Why the worker under the cursor failed: its whole traceback", "View", 9, pane="workers"),
    Action("filter", ("slash",), "Filter", "Only the rows whose number or controls match a regular expression (never: those never chosen); ! inverts", "View", 4, pane="lut", shadows=True),
    Action("clear", ("escape",), "Clear", "No filter: all rows again", "View", pane="lut", palette=False, shadows=True),
    Action("sort", ("o",), "Order", "Rows most chosen first, or as the table has them", "View", 9, pane="lut"),
    Action("filter", ("slash",), "Filter", "Chart all metrics whose name matches a regular expression; ! inverts; esc clears it", "View", 4, pane="metrics", shadows=True),
    Action("choose", ("e", "space"), "Choose", "The list of all metrics: space marks which ones are charted", "View", 9, pane="metrics"),
    Action("select(-1)", ("up", "k"), "Chart before", "The chart before; it scrolls where there are more charts than room", "View", pane="metrics", palette=False),
    Action("select(1)", ("down", "j"), "Next chart", "The next chart; PgUp, PgDn a page of them", "View", pane="metrics", palette=False),
    Action("page(-1)", ("pageup",), "Page up", "A page of charts up", "View", pane="metrics", palette=False),
    Action("page(1)", ("pagedown",), "Page down", "A page of charts down", "View", pane="metrics", palette=False),
    Action("enlarge", ("enter",), "Enlarge", "The selected chart alone, or all again; a double click too", "View", 10, pane="metrics"),
    Action("explain", ("h",), "Explain", "What the selected metric means, its usual range, what to try", "View", 14, pane="metrics"),
    Action("cursor", ("x",), "Cursor", "Read all charts at one moment; a click or drag on a chart does too", "View", 17, pane="metrics"),
    Action("move_cursor(-1)", ("left",), "Cursor left", "The cursor to the left", "View", pane="metrics", palette=False),
    Action("move_cursor(1)", ("right",), "Cursor right", "The cursor to the right; with shift ten columns", "View", pane="metrics", palette=False),
    Action("move_cursor(-10)", ("shift+left",), "Cursor far left", "The cursor ten columns to the left", "View", pane="metrics", palette=False),
    Action("move_cursor(10)", ("shift+right",), "Cursor far right", "The cursor ten columns to the right", "View", pane="metrics", palette=False),
    Action("log_there", ("d",), "Log there", "The log at the cursor's moment", "View", pane="metrics"),
    Action("zoom(1)", ("plus",), "Zoom in", "Half as many timesteps, around the cursor or up to the newest", "View", pane="metrics"),
    Action("zoom(-1)", ("minus",), "Zoom out", "Twice as many timesteps", "View", pane="metrics"),
    Action("pan(-1)", ("comma",), "Earlier", "While zoomed: a quarter of the view earlier", "View", pane="metrics", palette=False),
    Action("pan(1)", ("full_stop",), "Later", "While zoomed: a quarter of the view later", "View", pane="metrics", palette=False),
    Action("whole", ("w",), "Whole run", "All timesteps again; beside another run, once more: those near which both are", "View", pane="metrics"),
    Action("log_axis", ("y",), "Log axis", "A logarithmic axis, or a linear one again", "View", pane="metrics"),
    Action("smooth", ("s",), "Smooth", "Moving average over 10, 50, 200 iterations, or none; the raw line stays behind it", "View", pane="metrics"),
    Action("guides", ("g",), "Guides", "Lines across at the ticks and at the ends of the usual range", "View", pane="metrics"),
    Action("columns", ("o",), "Columns", "One column of charts, two, … or as many as fit", "View", pane="metrics"),
    Action("rows", ("r",), "Rows", "One row of charts, two, … or as many as fit", "View", pane="metrics"),
    Action("compare", ("equals_sign",), "Compare", "Choose another run, whose curves are drawn beside these; esc ends it", "View", pane="metrics", palette=False, shadows=True),
    Action("other_run(-1)", ("left_square_bracket",), "Previous run", "Compare with the run before in the list", "View", pane="metrics"),
    Action("other_run(1)", ("right_square_bracket",), "Next run", "Compare with the next run in the list", "View", pane="metrics"),
    Action("filter", ("slash",), "Filter", "Only the rewards whose name matches a regular expression; ! inverts", "View", 4, pane="rewards", shadows=True),
    Action("clear", ("escape",), "Clear", "No filter: all rewards again", "View", pane="rewards", palette=False, shadows=True),
    Action("sort", ("o",), "Order", "Largest first, as in the profile, most changed first, by name", "View", 10, pane="rewards"),
    Action("curve", ("enter",), "Curve", "The selected reward's curve alone, or all rewards again; a double click too", "View", 9, pane="rewards"),
    Action("filter", ("slash",), "Filter", "Only the entries whose time, name, outcome or words match a regular expression; ! inverts", "View", 4, pane="audit", shadows=True),
    Action("clear", ("escape",), "Clear", "No filter: all entries again", "View", pane="audit", palette=False, shadows=True),
    Action("car(-1)", ("left_square_bracket",), "Car before", "The rewards of the car before", "View", pane="trace"),
    Action("car(1)", ("right_square_bracket",), "Next car", "The rewards of the next car", "View", 9, pane="trace"),
    Action("hold", ("space",), "Hold", "The rows stand still, to be read and scrolled; again: they follow", "View", 4, pane="trace"),
)  # fmt: skip
