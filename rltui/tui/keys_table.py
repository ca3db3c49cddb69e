"""Table of the keys for the README, from the registry: `python -m rltui.tui.keys_table README.md` writes it anew."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from rltui.tui.actions import PLACES, Action, key_name, pane_actions, plain_name
from rltui.tui.cockpit.screen import PANES

BEGIN, END = "<!-- keys -->", "<!-- /keys -->"
TITLES = {
    "cockpit": "In the cockpit", "launcher": "In the launcher", "browser": "In the milestone browser", "form": "In a profile's form"
}  # fmt: skip
FOLDED = ("browser", "form")  # places whose tables are closed at first
HEAD = ("| key | does | name in `ui.toml` |", "|---|---|---|")


def keys_table() -> str:
    """Markdown: a table for each screen, then one for the panes with keys of their own."""
    parts = [_part(place, actions) for place, actions in PLACES.items()]
    rows = [_row(action, f"{pane.NAME}: {action.help}") for pane in PANES for action in pane_actions(pane.pane_id())]
    parts.append(_folded("In a pane, while it has the focus", [*HEAD, *rows]))
    return "\n\n".join(parts) + "\n"


def with_table(text: str) -> str:
    """The README with what stands between its two markers written anew. ValueError without them."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"there is no {BEGIN} … {END}")
    return f"{before}{BEGIN}\n{keys_table()}{END}{after}"


def _part(place: str, actions: Iterable[Action]) -> str:
    title, lines = TITLES.get(place, place.capitalize()), [*HEAD, *(_row(action, action.help) for action in actions)]
    return _folded(title, lines) if place in FOLDED else "\n".join([f"**{title}**", "", *lines])


def _folded(title: str, lines: Iterable[str]) -> str:
    """Closed until it is clicked; without the empty lines the table inside would be plain text."""
    head = f"<details>\n<summary>{title}</summary>"
    return "\n".join([head, "", *lines, "", "</details>"])


def _row(action: Action, text: str) -> str:
    keys = " ".join(f"`{_in_table(key_name(key))}`" for key in action.keys) or "`^p`"
    name = f"`{plain_name(action)}`" if action.bound and action.keys else ""
    return f"| {keys} | {_in_table(text)} | {name} |"


def _in_table(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> None:
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "README.md")
    path.write_text(with_table(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
