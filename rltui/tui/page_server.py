"""Web server that shows the program in pages of a browser: one program a page, all of it behind a token.

textual-serve has the page, its scripts and how a program is spoken to; this has who may see it and when a program ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import secrets
import shlex
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import jinja2
import textual_serve
from aiohttp import WSMsgType, web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

FILES = Path(textual_serve.__file__).parent
REFUSED = "Open the address that `rltui serve` has printed, with its token.\n"
LARGEST = 500  # columns or rows of a page
HEARTBEAT = 15.0  # seconds; a page that has gone without a word is known to be gone after them
PATIENCE = 2.0  # seconds that a program has to end when its page is closed
GRACE = 0.1  # seconds that open pages have at the server's end; none ends by itself
HEADERS = {
    # Nothing from elsewhere (the page asks Google for a font), in no other page, the token told to nobody.
    "Content-Security-Policy": "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
# Keys reach the program at once: textual-serve's page waits for a click.
FOCUS = """<script>
  addEventListener("load", () => new MutationObserver(() => document.querySelector("textarea")?.focus())
    .observe(document.body, {attributeFilter: ["class"]}));
</script>
</body>"""
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class PageServer:
    """The pages of one command. token: whoever has it may see and steer them."""

    def __init__(self, command: Sequence[str]) -> None:
        self.token = secrets.token_urlsafe(32)
        self._cookie = f"rltui-{secrets.token_hex(4)}"  # a host's cookies go to all its ports: servers have one each
        self._command = subprocess.list2cmdline(command) if sys.platform == "win32" else shlex.join(command)
        templates = jinja2.Environment(loader=jinja2.FileSystemLoader(FILES / "templates"), autoescape=True)
        self._template = templates.get_template("app_index.html")

    def serve(self, listener: socket.socket) -> None:
        """Until SIGINT or SIGTERM, which end the programs too."""
        web.run_app(self.application(), sock=listener, print=None, access_log=None, shutdown_timeout=GRACE)

    def application(self) -> web.Application:
        """The page, its files and its socket."""

        async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
            return await self._guarded(request, handler)

        application = web.Application(middlewares=[web.middleware(guard)])
        application.router.add_get("/", self._page)
        application.router.add_get("/ws", self._program)
        application.router.add_static("/static", FILES / "static")
        return application

    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Whatever is asked for. A page of another origin may not use the cookie either."""
        given = request.query.get("token", request.cookies.get(self._cookie, ""))
        origin = request.headers.get("Origin")
        if not hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode()) or (
            origin is not None and urlsplit(origin).netloc != request.host
        ):
            return web.Response(status=403, text=REFUSED)
        return await handler(request)

    async def _page(self, request: web.Request) -> web.Response:
        """Its address is what the browser calls this server, which may be reached through a tunnel."""
        text = self._template.render(
            application={"name": "rltui"},
            app_websocket_url=f"ws://{request.host}/ws",
            config={"static": {"url": "/static/"}},
            font_size=16,
        )
        text = text.replace("</body>", FOCUS)
        response = web.Response(text=text, content_type="text/html", headers=HEADERS)
        response.set_cookie(self._cookie, self.token, httponly=True, samesite="Strict")
        return response

    async def _program(self, request: web.Request) -> web.WebSocketResponse:
        """A program while the page is open; a closed page is to it as a closed terminal."""
        page = web.WebSocketResponse(heartbeat=HEARTBEAT)
        await page.prepare(request)
        program = PageProgram(
            self._command,
            write_bytes=page.send_bytes,
            write_str=page.send_str,
            close=page.close,
            download_manager=DownloadManager(),
        )
        await program.start(_cells(request.query.get("width"), 80), _cells(request.query.get("height"), 24))
        try:
            async for message in page:
                if message.type == WSMsgType.TEXT:
                    await program.told(message.json())
        except (ValueError, TypeError, LookupError):  # what no page of ours sends
            await page.close()
        finally:
            await program.end()
        return page


class PageProgram(AppService):  # type: ignore[misc]  # of a package that is not installed everywhere
    """The program of one page."""

    async def run(self) -> None:
        """Until it ends; so does its page, also where it never began."""
        try:
            await super().run()
        finally:  # of a program that ends at once it is cancelled
            with contextlib.suppress(ConnectionError, RuntimeError):
                await self.remote_close()

    async def told(self, message: Sequence[object]) -> None:
        """What the page says. Raises ValueError, TypeError or LookupError for what it would not."""
        match message:
            case ["stdin", str(keys)]:
                await self.send_bytes(keys.encode("utf-8", "replace"))
            case ["resize", {"width": width, "height": height}]:
                await self.set_terminal_size(_cells(width, 80), _cells(height, 24))
            case ["ping", sent]:
                await self.remote_write_str(json.dumps(["pong", sent]))
            case ["blur"]:
                await self.blur()
            case ["focus"]:
                await self.focus()

    async def end(self) -> None:
        """Asked to, then by the hangup of its input."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await self.stop()
        self.stdin.close()


def _cells(number: object, otherwise: int) -> int:
    """Columns or rows that can be drawn."""
    try:
        return min(max(int(str(number)), 1), LARGEST)
    except ValueError:
        return otherwise
