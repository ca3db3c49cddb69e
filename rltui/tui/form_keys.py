"""Keys of the profile form: a part of the registry in actions.py."""

from __future__ import annotations

from rltui.tui.action import Action

FORM = (
    Action("edit", ("enter",), "Change", "Type another value; a choice is made from a list; a section opens or closes", "Editing", 3),
    Action("step(1)", ("right", "l"), "Next value", "The next of a field's few values: true and false, choices", "Editing"),
    Action("step(-1)", ("left", "h"), "Value before", "The one before", "Editing"),
    Action("add", ("a",), "Add", "Add a reward, a reset, a terminal to the list that the cursor is in", "Editing", 8),
    Action("remove", ("x", "delete"), "Take out", "Take the key or the element out of the file: its default holds", "Editing", 9),
    Action("reset", ("d",), "Reset", "Put the field back as the file has it; pressed again, to its default", "Editing", 10),
    Action("undo", ("u",), "Undo", "Take the last change back", "Editing", 5),
    Action("redo", ("r",), "Redo", "Do again what undo took back", "Editing"),
    Action("toggle_view", ("tab",), "TOML", "The text as it will be written, to edit it freely; and back to the form", "View", 6),
    Action("save", ("s", "ctrl+o"), "Save", "Show what will be written, then write it; a shipped profile becomes a copy of your own", "Editing", 2),
    Action("fold", ("space",), "Fold", "Open or close a section or an element", "View", palette=False),
    Action("next_mistake", ("e",), "Mistake", "To the next mistake", "View", 7),
    Action("search", ("slash",), "Search", "Only the fields with this in their name or their explanation; ! inverts; esc clears", "View", 4),
    Action("next_found(1)", ("n",), "Next found", "To the next field that the search found", "View"),
    Action("next_found(-1)", ("N",), "Found before", "To the one before", "View"),
    Action("show_help", ("question_mark",), "Help", "This page: the keys, and what the form does", "Program", 1),
    Action("back", ("escape",), "Back", "Leave the line, the search, the text, then the form; asks when there are changes", "Program", 0),
    Action("leave", ("q", "ctrl+q"), "Quit", "Leave the form; asks when there are changes", "Program"),
)  # fmt: skip
