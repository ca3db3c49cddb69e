"""The words of a filtered table's lower border."""

from __future__ import annotations

import pytest
from textual.content import Content

from rltui.tui.widgets.filter_bar import Pattern, TypedFilter, filter_words


@pytest.mark.parametrize("typing", [True, False])
@pytest.mark.parametrize("text", ["jump", "[a-z]+", r"\[", r"x\\", r"a\[b\]", "[/]"])
def test_whatever_is_typed_is_shown_as_it_is(text: str, typing: bool) -> None:
    typed: TypedFilter[object] = TypedFilter(Pattern(text), typing)
    shown = Content.from_markup(filter_words(typed, 24, 90, "by row", 200)).plain
    caret = "▏" if typing else ""
    assert shown.startswith(f"/{text}{caret} 24 of 90, 66 hidden · ")
    assert shown.endswith("esc clears · by row")
