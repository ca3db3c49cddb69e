"""Where control sockets lie: short paths, private folders, no dead ones left."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from rltui.supervise import sockets
from rltui.supervise.sockets import SocketAddress


@pytest.fixture
def runtime(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("rt")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


def test_the_path_is_short_however_long_the_run_folder(runtime: Path, tmp_path: Path) -> None:
    deep = tmp_path / "/".join(["a long folder name"] * 20)
    address = sockets.choose(deep)
    assert len(os.fsencode(address.address)) < 104
    assert address.pid == os.getpid()
    assert address.host == socket.gethostname()
    assert sockets.choose(deep).address == address.address
    assert sockets.choose(deep / "other").address != address.address


def test_the_folder_is_ours_alone_and_made_so_again(runtime: Path) -> None:
    folder = sockets.private_folder()
    assert folder.parent == runtime
    folder.chmod(0o777)
    assert sockets.private_folder() == folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_squatted_name_is_left_alone(runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    (runtime / f"rltui-{os.getuid()}").symlink_to(tmp_path)
    assert sockets.private_folder() == tmp_path / f"rltui-{os.getuid()}"


def test_a_runtime_folder_with_a_long_path_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = tmp_path / ("x" * 120)
    long.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))
    assert not sockets.private_folder().is_relative_to(long)


def test_socket_json_is_whole_private_and_read_back(tmp_path: Path) -> None:
    address = SocketAddress("AF_UNIX", "/somewhere/a.sock", 7, "tower")
    sockets.write(tmp_path / "socket.json", address)
    assert stat.S_IMODE((tmp_path / "socket.json").stat().st_mode) == 0o600
    assert sockets.read(tmp_path / "socket.json") == address
    assert [path.name for path in tmp_path.iterdir()] == ["socket.json"]


@pytest.mark.parametrize(
    "content", [b"", b"{", b'{"family": "AF_INET", "address": "x", "pid": 1, "host": "h"}', b"\xff"]
)
def test_what_is_no_address_reads_as_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "socket.json").write_bytes(content)
    assert sockets.read(tmp_path / "socket.json") is None


def test_sweeping_removes_the_dead_and_only_those(runtime: Path) -> None:
    folder = sockets.private_folder()
    dead, living, other = folder / "dead.sock", folder / "living.sock", folder / "note.sock"
    with socket.socket(socket.AF_UNIX) as gone:
        gone.bind(str(dead))
        gone.listen()
    other.write_text("a file, no socket")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(living))
        listening.listen()
        assert dead in sockets.sweep(folder)
        assert living.exists()
        assert not dead.exists()
