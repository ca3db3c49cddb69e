"""Tables of the keys, from the registry: `python -m rltui.tui.keys_table` writes them into docs/keys.md."""

from __future__ import annotations

import sys
from pathlib import Path

from rltui.tui.actions import EVERYWHERE, PLACES, Action, KeyRow, key_rows, pane_actions, plain_name
from rltui.tui.cockpit.screen import PANES

BEGIN, END = "<!-- keys -->", "<!-- /keys -->"
SHARED = "Cockpit, launcher and browser"
TITLES = {"cockpit": "Cockpit", "launcher": "Launcher", "browser": "Milestone browser", "form": "Profile form"}
HEAD = ("| key | does | name in `ui.toml` |", "|---|---|---|")


def keys_table() -> str:
    """Markdown: a section for the keys of several screens, for each screen, for each pane with keys of its own."""
    parts: list[tuple[str, tuple[Action, ...]]] = [(SHARED, EVERYWHERE)]
    parts += [(TITLES[place], tuple(a for a in actions if a not in EVERYWHERE)) for place, actions in PLACES.items()]
    parts += [(f"Pane {pane.NAME}", actions) for pane in PANES if (actions := pane_actions(pane.pane_id()))]
    return "\n".join(
        "\n".join([f"## {title}", "", *HEAD, *map(_row, key_rows(actions)), ""]) for title, actions in parts
    )


def with_table(text: str) -> str:
    """The document with what stands between its two markers written anew. ValueError without them."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"there is no {BEGIN} … {END}")
    return f"{before}{BEGIN}\n{keys_table()}{END}{after}"


def _row(row: KeyRow) -> str:
    keys = " ".join(f"`{_in_table(key)}`" for key in row.keys.split())
    names = " ".join(f"`{plain_name(action)}`" for action in row.actions if action.bound)
    return f"| {keys} | {_in_table(row.help)} | {names} |"


def _in_table(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> None:
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/keys.md")
    path.write_text(with_table(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
