"""`rltui serve`: where it listens, what it says of that, what it needs."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from rltui.__main__ import main
from rltui.cli import serve
from rltui.errors import RltuiError


def test_without_the_extra_it_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "textual_serve", None)
    monkeypatch.delitem(sys.modules, "rltui.tui.page_server", raising=False)
    assert main(["serve", "--data-dir", str(tmp_path)]) == 1
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 2 and "textual-serve" in told[0] and told[1] == '  pip install -e ".[web]"'


def test_a_port_that_cannot_be_had_is_named_and_nothing_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("textual_serve")
    with serve.listening("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--port", str(port), "--data-dir", str(tmp_path)]) == 1
    told = capsys.readouterr()
    assert f"127.0.0.1, port {port}" in told.err and told.out == ""
    for host, port in (("127.0.0.1", 70_000), ("no.such.host.invalid", 0), ("x" * 64, 0)):
        with pytest.raises(RltuiError, match="cannot listen at"):
            serve.listening(host, port)


def test_it_is_for_this_machine_alone_unless_told_otherwise_and_then_it_warns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    server = pytest.importorskip("rltui.tui.page_server").PageServer
    heard = list[str]()
    monkeypatch.setattr(server, "serve", lambda self, listener: heard.append(listener.getsockname()[0]))
    monkeypatch.setenv("TMUX", "around this program, not around a page")
    secrets = set[str]()
    for words, at, warned in (([], "127.0.0.1", False), (["--host", "0.0.0.0"], "0.0.0.0", True)):
        assert main(["serve", "--port", "0", "--data-dir", str(tmp_path), *words]) == 0
        told = capsys.readouterr()
        secrets.add(told.out.splitlines()[0].partition("?token=")[2])
        assert heard.pop() == at
        assert ("warning" in told.err) is warned
    assert len(secrets) == 2 and all(len(secret) >= 32 for secret in secrets)


def test_the_address_is_one_that_a_browser_can_open() -> None:
    with serve.listening("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        assert serve.address("localhost", listener) == f"http://localhost:{port}/"
        assert serve.address("::1", listener) == f"http://[::1]:{port}/"
        assert serve.address("0.0.0.0", listener) == f"http://{socket.gethostname()}:{port}/"
