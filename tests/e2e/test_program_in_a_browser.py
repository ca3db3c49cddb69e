"""The real program without a terminal: drawn for a page, steered by its keys, gone with it however that ends."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from rltui.supervise.terminal import WEB_DRIVER
from tests.fakes.patience import patience

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="hangups are POSIX")
SECONDS = 20.0  # of an idle machine
Browser = tuple[asyncio.subprocess.Process, Any]


def programs(folder: Path, word: str = "rltui") -> list[psutil.Process]:
    """All that know this folder, the shells between them too."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        line = " ".join(process.info["cmdline"] or ())
        if str(folder) in line and word in line and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(process)
    return found


async def drawn(read: Callable[[], Awaitable[bytes]], text: str) -> None:
    """Once the text has been sent."""
    seen = b""
    async with asyncio.timeout(patience(SECONDS)):
        while text.encode() not in seen:
            more = await read()
            assert more, seen[-500:].decode(errors="replace")
            seen += more


async def none_left(folder: Path) -> None:
    async with asyncio.timeout(patience(SECONDS)):
        while programs(folder):
            await asyncio.sleep(0.02)


async def test_a_program_ends_with_its_input_as_with_its_terminal(folder: Path) -> None:
    environ = {**os.environ, "TEXTUAL_DRIVER": WEB_DRIVER, "COLUMNS": "100", "ROWS": "30"}
    pipe = asyncio.subprocess.PIPE
    command = (sys.executable, "-m", "rltui", "--data-dir", str(folder))
    program = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, env=environ)
    assert program.stdout is not None and program.stdin is not None
    out = program.stdout
    await drawn(lambda: out.read(4096), "What to train")
    program.stdin.close()
    async with asyncio.timeout(patience(SECONDS)):
        assert await program.wait() == 128 + signal.SIGHUP


@pytest.fixture
async def browser(folder: Path) -> AsyncIterator[Browser]:
    """A server on any free port, and a page of it in which the launcher stands."""
    pytest.importorskip("textual_serve")
    aiohttp = pytest.importorskip("aiohttp")
    command = (sys.executable, "-m", "rltui", "serve", "--port", "0", "--data-dir", str(folder))
    server = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert server.stdout is not None
    async with asyncio.timeout(patience(SECONDS)):
        url = (await server.stdout.readline()).decode().strip()
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        await (await session.get(url)).read()
        page = await session.ws_connect(url.partition("?")[0] + "ws?width=100&height=30")
        await drawn(lambda: binary(page), "What to train")
        yield server, page
    if server.returncode is None:
        server.kill()
        await server.wait()


async def binary(page: Any) -> bytes:
    data = (await page.receive()).data
    return data if isinstance(data, bytes) else b""


async def test_a_key_changes_the_picture_and_a_closed_page_ends_its_program_alone(
    browser: Browser, folder: Path
) -> None:
    server, page = browser
    await page.send_json(["stdin", "?"])
    await drawn(lambda: binary(page), "Keys")
    assert {process.pid for process in programs(folder)} > {server.pid}
    await page.close()
    async with asyncio.timeout(patience(SECONDS)):
        while {process.pid for process in programs(folder)} != {server.pid}:
            await asyncio.sleep(0.02)
    server.terminate()
    async with asyncio.timeout(patience(SECONDS)):
        assert await server.wait() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
async def test_programs_end_with_their_server(browser: Browser, folder: Path, number: int) -> None:
    server, _ = browser
    server.send_signal(number)
    async with asyncio.timeout(patience(SECONDS)):
        assert await server.wait() == (0 if number == signal.SIGTERM else -number)
    await none_left(folder)
