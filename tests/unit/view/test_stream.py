"""The stream's place: each viewer of a run has one of its own, for one that ends may still have a recording to write."""

from __future__ import annotations

import errno
import os
import socket
import sys
from pathlib import Path

import pytest

from rltui.supervise import sockets
from rltui.supervise.sockets import SocketAddress
from rltui.view.stream import MatchStream


@pytest.mark.skipif(sys.platform == "win32", reason="no Unix sockets")
def test_the_viewer_of_the_next_task_streams_while_the_one_before_still_ends(tmp_path: Path) -> None:
    before = MatchStream(tmp_path)
    after = MatchStream(tmp_path)
    assert (before.problem, after.problem) == ("", "")
    assert before.address != after.address
    before.close()
    assert Path(after.address).is_socket(), "what ends takes only its own away"
    after.close()
    assert not Path(after.address).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no Unix sockets")
def test_a_stream_whose_socket_was_taken_away_is_found_at_another_place(tmp_path: Path) -> None:
    """As by the system, with a user's runtime folder at logout."""
    stream = MatchStream(tmp_path, clock=iter(range(9)).__next__)
    before = Path(stream.address)
    stream.offer(bytes)
    assert Path(stream.address) == before
    before.unlink()
    stream.offer(bytes)
    with socket.socket(socket.AF_UNIX) as looker:
        looker.connect(stream.address)
        stream.offer(lambda: b"a frame")
        assert looker.recv(100).endswith(b"a frame")
    stream.close()
    assert not before.exists() and not Path(stream.address).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no Unix sockets")
def test_without_a_place_for_a_socket_there_is_no_stream_and_the_match_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor where the one before was taken away: no folder of one's own can be made on a full disk."""
    stream = MatchStream(tmp_path, clock=iter(range(9)).__next__)
    Path(stream.address).unlink()

    def full(run_folder: Path) -> SocketAddress:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/tmp/rltui-x")

    monkeypatch.setattr(sockets, "choose", full)
    stream.offer(bytes)
    assert stream.address == "" and "No space left on device" in stream.problem
    stream.offer(bytes)
    stream.close()
    assert "No space left on device" in MatchStream(tmp_path).problem
