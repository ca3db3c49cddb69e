"""The TOML view: the text as it will be written, with its mistakes at their lines."""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text
from textual.widgets import TextArea

from rltui.tui.checks.profile_check import ProfileProblem
from rltui.tui.themes import role_style


class TomlView(TextArea):
    """Plain text without a grammar: tree-sitter is not needed for what stands at the line already."""

    def __init__(self) -> None:
        super().__init__(
            "", id="form-text", soft_wrap=False, show_line_numbers=True, tab_behavior="focus", compact=True
        )
        self.problems: Mapping[int, ProfileProblem] = {}
        self.border_subtitle = "^o saves · tab: the form"

    def mark(self, problems: Mapping[int, ProfileProblem]) -> None:
        """problems: by line, from 1."""
        if problems != self.problems:
            self.problems = problems
            self._line_cache.clear()
            self.refresh()

    def get_line(self, line_index: int) -> Text:
        """A comment dimmed; a wrong line in the colour of what is bad, with what is wrong behind it."""
        line = super().get_line(line_index)
        theme = self.app.theme
        if line.plain.lstrip().startswith("#"):
            line.stylize(role_style(theme, "muted"))
        problem = self.problems.get(line_index + 1)
        if problem is not None:
            line.stylize(role_style(theme, "bad"))
        return line
