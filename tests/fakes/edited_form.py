"""The profile form, open on a profile of quick's text, and the steps of somebody who changes a value in it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from rltui.profile.locate import shipped_folder
from rltui.profile.source import show_key
from rltui.runs.paths import DataDir
from rltui.tui.dependencies import LauncherDependencies
from rltui.tui.form.screen import FormScreen
from tests.fakes import children
from tests.fakes.screens import launcher, until

MINE = Path("profiles/ball-touching.toml")
QUICK = (shipped_folder() / "quick.toml").read_text(encoding="utf-8")
KEYS = {" ": "space", ".": "full_stop", "-": "minus", "_": "underscore"}


@asynccontextmanager
async def form(
    data: DataDir,
    size: tuple[int, int] = (120, 40),
    tools: LauncherDependencies | None = None,
    text: str = QUICK,
    ascii_only: bool = False,
) -> AsyncIterator[Pilot[str]]:
    """Open on profiles/ball-touching.toml, which has this text."""
    MINE.write_text(text, encoding="utf-8")
    async with launcher(data, size, tools=tools or children.tools(), ascii_only=ascii_only) as pilot:
        await pilot.press("e")
        await until(pilot, lambda: isinstance(pilot.app.screen, FormScreen) and bool(pilot.app.screen.reference.keys))
        await pilot.pause()
        yield pilot


def screen(pilot: Pilot[str]) -> FormScreen:
    return next(each for each in pilot.app.screen_stack if isinstance(each, FormScreen))


def text(pilot: Pilot[str]) -> str:
    return screen(pilot).session.draft.text


async def go(pilot: Pilot[str], key: str, kind: str = "field") -> None:
    """The cursor onto the row of this key; what hides it is opened."""
    found = screen(pilot)
    rows = found.field_list
    rows.unfold(*(row.path for row in rows.fields.values() if row.kind in ("section", "element")))
    found.show_all()
    rows.go_to(next(identity for identity in rows.fields if identity[0] == kind and show_key(identity[1]) == key))
    await pilot.pause()


async def typed(pilot: Pilot[str], value: str) -> None:
    """Into the open line, in the place of what stands there."""
    found = screen(pilot)
    await until(pilot, lambda: found.line.row is not None)
    await pilot.press("ctrl+u", *(KEYS.get(character, character) for character in value))


async def begun(pilot: Pilot[str], key: str, value: str) -> None:
    """The value typed into this field's line, which stays open."""
    await go(pilot, key)
    await pilot.press("enter")
    await typed(pilot, value)


async def edited(pilot: Pilot[str], key: str, value: str) -> None:
    """The field has this value, unless it is refused."""
    await begun(pilot, key, value)
    await pilot.press("enter")
