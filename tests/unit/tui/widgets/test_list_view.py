"""A list's cursor: what it passes over, how it looks with the focus and without, what clicks and keys do."""

from __future__ import annotations

from textual.app import App, ComposeResult

from rltui.tui.text import plain, text_line
from rltui.tui.widgets.list_view import ListView, Row


class Lists(App[None]):
    """A list with headings above a table."""

    def __init__(self) -> None:
        super().__init__()
        self.chosen: list[object] = []

    def compose(self) -> ComposeResult:
        yield ListView(name="rows")
        yield ListView(name="table")

    def on_mount(self) -> None:
        for each in self.query(ListView):
            each.styles.height = 4
        rows = [Row(None, text_line("  heads")), *(Row(name, text_line(f"  {name}")) for name in "abcdef")]
        self.query_one("#rows", ListView).set_rows(rows)
        states = [Row(name, text_line(f"  {name}")) for name in "xyz"]
        self.query_one("#table", ListView).set_rows(states, head=text_line("  title"))
        self.query_one("#rows").focus()

    def on_list_view_chosen(self) -> None:
        focused = self.focused
        assert isinstance(focused, ListView)
        self.chosen.append(focused.key)


def shown(app: Lists, name: str) -> list[str]:
    return plain(app.query_one(f"#{name}", ListView).lines).split("\n")


async def test_the_cursor_is_solid_with_the_focus_and_hollow_without() -> None:
    app = Lists()
    async with app.run_test(size=(20, 10)) as pilot:
        assert shown(app, "rows") == ["  heads", "▌ a", "  b", "  c"]  # a heading cannot have it
        assert shown(app, "table") == ["  title", "▏ x", "  y", "  z"]
        await pilot.press("tab")
        await pilot.pause()
        assert shown(app, "rows")[1] == "▏ a" and shown(app, "table")[1] == "▌ x"


async def test_the_view_follows_and_comes_back_to_what_stands_above_the_first() -> None:
    app = Lists()
    async with app.run_test(size=(20, 10)) as pilot:
        await pilot.press("end")
        assert shown(app, "rows") == ["  c", "  d", "  e", "▌ f"]
        await pilot.press("home")
        assert shown(app, "rows")[:2] == ["  heads", "▌ a"]
        await pilot.press("up")
        assert shown(app, "rows")[1] == "▌ a"


async def test_a_click_moves_it_and_one_more_opens_a_title_is_no_row() -> None:
    app = Lists()
    async with app.run_test(size=(20, 10)) as pilot:
        await pilot.click("#rows", offset=(3, 2))
        assert shown(app, "rows")[2] == "▌ b" and app.chosen == []
        await pilot.click("#rows", offset=(3, 0))
        assert shown(app, "rows")[2] == "▌ b"
        await pilot.click("#table", offset=(3, 2), times=2)
        await pilot.pause()
        assert shown(app, "table")[2] == "▌ y" and app.chosen == ["y"]
        await pilot.click("#table", offset=(3, 0), times=2)
        assert shown(app, "table") == ["  title", "  x", "▌ y", "  z"]


async def test_it_stays_with_its_row_or_goes_to_the_nearest() -> None:
    app = Lists()
    async with app.run_test(size=(20, 10)):
        rows = app.query_one("#rows", ListView)
        every = rows.rows
        for left, expected in (("bdf", "d"), ("abc", "c"), ("f", "f")):
            rows.set_rows(every, "d")
            rows.set_rows([row for row in every if row.key is None or str(row.key) in left])
            assert rows.key == expected
        rows.set_rows([])
        assert rows.key is None
        rows.move(3)


def fill(app: Lists, names: str) -> tuple[object, list[str]]:
    """What the cursor stands on among these rows, and what is seen."""
    table = app.query_one("#table", ListView)
    table.set_rows([Row(name, text_line(f"  {name}")) for name in names])
    return table.key, shown(app, "table")


async def test_new_rows_leave_the_cursor_on_its_own_and_where_it_is_on_the_screen() -> None:
    """At the top, what comes above the first is seen."""
    app = Lists()
    async with app.run_test(size=(20, 10)) as pilot:
        fill(app, "abcdefgh")
        app.query_one("#table", ListView).go_to("f")
        await pilot.pause()
        assert shown(app, "table") == ["  c", "  d", "  e", "▏ f"]
        app.query_one("#table", ListView).move(-1)
        for names, seen in (("xabcdefgh", "cdef"), ("yxabcdef", "cdef"), ("bcdefgh", "cdef"), ("efgh", "efgh")):
            key, lines = fill(app, names)
            assert (key, "".join(line[2:] for line in lines)) == ("e", seen), names
        assert fill(app, "xefgh")[1][0] == "  x"


async def test_where_its_row_goes_the_cursor_goes_to_the_nearest_that_stays() -> None:
    app = Lists()
    async with app.run_test(size=(20, 10)):
        for here, names, expected in (("c", "xyabdef", "d"), ("e", "xyzabcd", "d"), ("c", "xyz", "z"), ("c", "", None)):
            fill(app, "abcde")
            app.query_one("#table", ListView).go_to(here)
            assert fill(app, names)[0] == expected, (here, names)
