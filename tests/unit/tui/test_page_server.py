"""Who gets a page, its files and a program; what a program hears of its page. A small program stands in for ours."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.patience import patience

aiohttp = pytest.importorskip("aiohttp")
page_server = pytest.importorskip("rltui.tui.page_server")

# Speaks as Textual's programs do: it says what it is sent. One that is stubborn ends only with its input.
PROGRAM = """
import os, sys
def say(kind, data): os.write(1, kind + len(data).to_bytes(4, "big") + data)
def exactly(count):
    data = b""
    while len(data) < count:
        more = os.read(0, count - len(data))
        if not more: open(sys.argv[1], "w").write("hangup"); sys.exit()
        data += more
    return data
os.write(1, b"__GANGLION__\\n")
say(b"D", (os.environ["COLUMNS"] + "x" + os.environ["ROWS"]).encode())
while True:
    kind, size = exactly(1), int.from_bytes(exactly(4), "big")
    data = exactly(size)
    if b"quit" in data:
        if "stubborn" in sys.argv[2:]: continue
        open(sys.argv[1], "w").write("told"); say(b"M", b'{"type": "exit"}'); sys.exit()
    say(b"D", kind + data)
"""


class Served:
    """A server of such programs, and a browser that has its cookies."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.end = folder / "end"
        self.pages = page_server.PageServer([sys.executable, "-c", PROGRAM, str(self.end), *words])
        self._runner = aiohttp.web.AppRunner(self.pages.application(), access_log=None, shutdown_timeout=0.1)

    async def start(self) -> None:
        await self._runner.setup()
        site = aiohttp.web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.host = f"127.0.0.1:{self._runner.addresses[0][1]}"
        self.url = f"http://{self.host}/"
        self.browser = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))  # that of an IP address too

    async def stop(self) -> None:
        await self.browser.close()
        await self._runner.cleanup()

    async def status(self, path: str, browser: Any = None, **more: Any) -> int:
        async with (browser or self.browser).get(self.url + path, **more) as answer:
            return int(answer.status)

    async def open(self) -> Any:
        assert await self.status(f"?token={self.pages.token}") == 200
        return await self.browser.ws_connect(self.url + "ws?width=90&height=1000000")

    async def how_it_ended(self) -> str:
        async with asyncio.timeout(patience(10)):
            while not (self.end.exists() and self.end.read_text()):
                await asyncio.sleep(0.01)
        return self.end.read_text()


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    server = Served(tmp_path)
    await server.start()
    yield server
    await server.stop()


async def test_nothing_is_had_without_the_token(served: Served, subtests: pytest.Subtests) -> None:
    secret = served.pages.token
    for path in ("", "ws", "static/js/textual.js", "static/css/xterm.css", "static/", "no-such-page"):
        for given in ("", "?token=", f"?token={secret[:-1]}", f"?token={secret}x", "?token=%ff%00é"):
            with subtests.test(path=path, given=given):
                assert await served.status(path + given) == 403
    with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
        await served.browser.ws_connect(served.url + "ws")
    assert not served.end.exists()


async def test_the_page_gives_a_cookie_that_opens_the_rest_to_this_browser_alone(served: Served) -> None:
    async with served.browser.get(f"{served.url}?token={served.pages.token}") as answer:
        text = await answer.text()
        assert answer.status == 200 and f'"ws://{served.host}/ws"' in text
        cookie = answer.headers["Set-Cookie"]
        assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert await served.status("") == await served.status("static/js/textual.js") == 200
    assert await served.status("?token=wrong") == 403, "whatever the cookie"
    async with aiohttp.ClientSession() as other:
        assert await served.status("", other) == 403
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await other.ws_connect(served.url + "ws")


async def test_a_page_of_another_origin_cannot_use_the_cookie(served: Served) -> None:
    assert await served.status(f"?token={served.pages.token}") == 200
    for origin in ("http://elsewhere.example", "http://127.0.0.1:1", "null"):
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await served.browser.ws_connect(served.url + "ws", origin=origin)
    async with served.browser.ws_connect(served.url + "ws", origin=f"http://{served.host}") as page:
        assert (await page.receive()).data == b"80x24"


async def test_a_page_and_its_program_hear_each_other_until_it_is_closed(served: Served) -> None:
    page = await served.open()
    assert (await page.receive()).data == b"90x500", "no screen that cannot be drawn"
    for said, heard in (
        (["stdin", "é"], b"D" + "é".encode()),
        (["stdin", "\ud800"], b"D?"),
        (["resize", {"width": 100, "height": -5}], b'M{"type": "resize", "width": 100, "height": 1}'),
        (["resize", {"width": [], "height": None}], b'M{"type": "resize", "width": 80, "height": 24}'),
        (["blur"], b'M{"type": "blur"}'),
        (["focus"], b'M{"type": "focus"}'),
    ):
        await page.send_json(said)
        assert (await page.receive()).data == heard
    await page.send_json(["ping", "7"])
    assert (await page.receive()).json() == ["pong", "7"]
    await page.close()
    assert await served.how_it_ended() == "told"


async def test_what_no_page_sends_ends_that_page_and_its_program_alone(served: Served) -> None:
    other = await served.open()
    await other.receive()
    for junk in ("{", '["resize"', "[1e999"):
        page = await served.open()
        assert (await page.receive()).data == b"90x500"
        await page.send_str(junk)
        assert (await page.receive()).type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED)
    await other.send_json(["stdin", "x"])
    assert (await other.receive()).data == b"Dx"
    await other.close()


async def test_a_program_that_does_not_end_when_told_loses_its_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_server, "PATIENCE", 0.05)
    served = Served(tmp_path, "stubborn")
    await served.start()
    page = await served.open()
    await page.receive()
    await page.close()
    assert await served.how_it_ended() == "hangup"
    await served.stop()


async def test_the_page_of_a_program_that_ends_or_never_began_ends_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = Served(tmp_path)
    await served.start()
    for command in ("exit 3", "echo __GANGLION__"):
        monkeypatch.setattr(served.pages, "_command", command)
        page = await served.open()
        async with asyncio.timeout(patience(10)):
            assert (await page.receive()).type is aiohttp.WSMsgType.CLOSE
    await served.stop()
