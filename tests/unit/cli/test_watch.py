"""`rltui watch` as people and programs see it where there is no terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rltui.__main__ import main
from rltui.cli.watch import Status
from rltui.supervise.guardian import Lifeline
from rltui.view.outputs import LinkSwitch
from rltui.view.recording import Recording
from rltui.view.rocketsimvis import RocketSimVis
from tests.fakes.bots import write_bot
from tests.fakes.moments import moment
from tests.fakes.rocketsimvis import Listener, accepted, free_port
from tests.fakes.training import wait_for

FAST = ["--speed", "1000"]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert main(["watch", *arguments, *FAST, "--json"]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_plain_lines_and_the_outcome(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "chaser", "idle", "--seconds", "25", *FAST]) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[0] == " 0:00  chaser 0 : 0 idle  touches 0 : 0"
    assert lines[-1].startswith(" 0:25  chaser ") and lines[-1].endswith("at the end")
    assert captured.err == "" and "\x1b" not in captured.out


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = report(capsys, "chaser", "random", "--seconds", "8", "--size", "2")
    assert found == report(capsys, "chaser", "random", "--seconds", "8", "--size", "2")
    assert found["names"] == ["chaser", "random"] and found["seconds"] == 8.0
    assert (found["packets"], found["recorded"], found["moments"]) == (0, None, 0)
    assert found != report(capsys, "chaser", "random", "--seconds", "8", "--size", "2", "--seed", "1")


def test_the_starter_bot_plays_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(capsys, "starter", "rule", "--seconds", "1")["names"] == ["starter", "rule"]


def test_a_bot_plays_itself_and_others(capsys: pytest.CaptureFixture[str]) -> None:
    Path("made.toml").write_text(
        'schema = 1\nterminals = [{kind = "goal"}]\n[rewards]\ntouch = 1.0\n', encoding="utf-8"
    )
    write_bot(Path("bot"), "made.toml")
    bot = str(Path("bot").absolute())
    assert report(capsys, bot, "--seconds", "2")["names"] == [f"{Path.cwd().name}/bot"] * 2
    assert report(capsys, "chaser", f"{bot}/policy.npz", "--seconds", "2")["names"] == ["chaser", "policy.npz"]


def test_recorded_and_replayed_it_ends_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    played = report(capsys, "chaser", "random", "--seconds", "20", "--record", "match.npz")
    assert (played["recorded"], played["moments"]) == ("match.npz", 601)  # 30 a second of the game, whatever the speed
    assert len(Recording(Path("match.npz"))) == 601
    replayed = report(capsys, "--replay", "match.npz")
    same = ("names", "score", "touches", "seconds")
    assert [replayed[key] for key in same] == [played[key] for key in same]
    assert report(capsys, "--replay", "match.npz", "--seconds", "5")["seconds"] == pytest.approx(5, abs=0.3)


def test_rocketsimvis_receives_a_match_and_a_recording(capsys: pytest.CaptureFixture[str]) -> None:
    listener = Listener()
    to_it = ["--rocketsimvis", "--port", str(listener.port)]
    played = report(capsys, "chaser", "idle", "--seconds", "3", "--speed", "4", *to_it, "--record", "match.npz")
    packets = [accepted(listener.receive()) for _ in range(int(str(played["packets"])))]
    assert played["error"] == "" and packets[0]["ball_phys"]["pos"][:2] == [0, 0]
    replayed = report(capsys, "--replay", "match.npz", *to_it)
    again = [accepted(listener.receive()) for _ in range(int(str(replayed["packets"])))]
    assert again[0] == packets[0] and again[-1]["ball_phys"] == packets[-1]["ball_phys"]
    listener.close()


def test_a_link_that_does_not_work_is_one_line(subtests: pytest.Subtests, capsys: pytest.CaptureFixture[str]) -> None:
    for where, words in [
        (["--port", "{free}"], "nobody listens"),
        (["--host", "no-such.invalid"], "unknown host"),
    ]:
        with subtests.test(where=where, words=words):
            where = [part.format(free=free_port()) for part in where]
            assert main(["watch", "chaser", "idle", "--seconds", "20", "--speed", "60", "--rocketsimvis", *where]) == 0
            err = capsys.readouterr().err
            assert words in err and err.count("\n") == 1


def test_that_nobody_listens_is_in_view_on_a_narrow_terminal_and_gone_once_somebody_does() -> None:
    port = free_port()
    notices = ["the bot is 3 h old"]
    switch = LinkSwitch(lambda: RocketSimVis("127.0.0.1", port, notices.append), on=True)
    status = Status(switch, notices, Lifeline())
    wait_for(lambda: switch.show(moment()) or switch.troubled, "the refusal")
    assert f"RocketSimVis 127.0.0.1:{port}: nobody listens: start RocketSimVis" in status.line(paused=True)[:79]
    listener = Listener(port)
    wait_for(lambda: switch.show(moment()) or not switch.troubled, "the listener")
    assert "nobody listens" not in status.line(paused=False) and notices[0] in status.line(paused=False)
    switch.close()
    listener.close()


def test_what_is_wrong_is_said_before_anything_is_played(
    subtests: pytest.Subtests, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, words in [
        (["chasr"], 'did you mean "chaser"?'),
        (["chaser", "idl"], 'did you mean "idle"?'),
        (["--replay", "none.npz"], "no such file"),
        (["chaser", "--replay", "none.npz"], "--replay takes neither players nor --record"),
        (["chaser", "--record", "none/match.npz"], "there is no folder none"),
        (["chaser", "--record", "match.txt"], "ends with .npz"),
    ]:
        with subtests.test(arguments=arguments, words=words):
            assert main(["watch", *arguments, *FAST, "--seconds", "1"]) == 2
            captured = capsys.readouterr()
            assert words in captured.err and captured.out == "" and not list(Path().iterdir())


def test_without_a_run_there_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "--seconds", "1"]) == 1
    assert "no runs in" in capsys.readouterr().err
