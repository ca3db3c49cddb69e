"""`rltui profile …`: output, JSON and exit codes, through the program's own entry."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rltui.__main__ import main
from rltui.profile.locate import list_profiles


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["profile", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def write(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def test_check_of_valid_ones(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "check", "quick", "seed-task")
    assert (code, err) == (0, "")
    first, second = out.splitlines()
    assert first.startswith("[OK] quick: 1v1, 92 numbers observed, 90 actions, ") and second.startswith(
        "[OK] seed-task: "
    )


def test_check_says_how_many_games_each_criterion_takes(capsys: pytest.CaptureFixture[str]) -> None:
    """80 % by all of 32 games, as the rule that refuses fewer has it."""
    phase = 'profile = "phase-1-ball-touching"'
    until = "until = {win_rate_chaser = 80, kickoff_touches = 85, elo = 1400}"
    text = f"schema = 1\n[curriculum]\nphases = [{{{phase}, {until}}}, {{{phase}}}]\n[evaluation]\ngames = 100\n"
    code, out, _ = run(capsys, "check", write("mine.toml", text))
    assert code == 0
    [line] = [line for line in out.splitlines() if "evaluation.games" in line]
    assert line == "  evaluation.games = 100; needed at least, all won: 32 for win_rate_chaser = 80, 20 for elo = 1400"


def test_check_says_all_errors_and_exits_2(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    name = write("bad.toml", "schema = 1\ntick_skp = 8\n[rewards]\ntuch = nan\n")
    code, out, _ = run(capsys, "check", "quick", name, "nowhere")
    assert code == 2 and list(folder.iterdir()) == [folder / "bad.toml"]
    assert out.splitlines()[1:] == [
        "[FAIL] bad.toml: 3 errors",
        '  bad.toml:2: tick_skp: unknown key; did you mean "tick_skip"?',
        "  bad.toml:4: rewards.tuch: out of range, expected a finite number or a list of [timesteps, weight], found nan",
        '  bad.toml:4: rewards.tuch: unknown reward; did you mean "touch"?',
        "[FAIL] nowhere: 1 error",
        f"  nowhere: no such profile, expected a file, or one of {', '.join(listed.name for listed in list_profiles())}",
    ]


def test_check_json_of_a_valid_one(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "check", "quick", "--json", "--set", "rewards.concede=2")
    found: dict[str, Any] = json.loads(out)
    assert code == 0 and found["valid"] is True and found["errors"] == []
    assert "concede" in found["warnings"][0]
    assert found["profile"] == found["name"] == "quick"
    assert found["signature"] == {
        "obs": found["signature"]["obs"],
        "table_hash": found["signature"]["table_hash"],
        "policy": "discrete 92-128-128-90",
        "critic": "critic 92-128-128-1",
    }
    summary = found["summary"]
    assert (summary["obs_size"], summary["actions"]) == (92, 90)
    assert summary["policy_parameters"] == 93 * 128 + 129 * 128 + 129 * 90
    assert summary["parameters"] == summary["policy_parameters"] + 93 * 128 + 129 * 128 + 129
    assert summary["description"].startswith("A first bot") and 300 < summary["memory_mb"] < 5000
    assert summary["gamma_half_life_s"] == pytest.approx(4.598, abs=1e-3)


def test_check_json_of_an_invalid_one(capsys: pytest.CaptureFixture[str]) -> None:
    name = write("bad.toml", "schema = 1\n[rewards]\ntouch = 1\n[ppo]\nbacth = 3\n")
    code, out, _ = run(capsys, "check", name, "--json", "--set", "ppo.gamma=2")
    found = json.loads(out)
    assert code == 2 and found["valid"] is False and found["signature"] is None and found["summary"] is None
    assert found["errors"][0]["file"] == "bad.toml" and found["errors"][0]["line"] == 5
    assert set(found["errors"][0]) == {"file", "line", "key", "message", "expected", "found", "hint"}
    assert found["errors"][0]["hint"] == 'did you mean "batch"?'
    assert (found["errors"][1]["file"], found["errors"][1]["line"]) == ("--set", None)


def test_check_json_of_several_is_a_list(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "check", "quick", "nowhere", "--json")
    assert code == 2 and [found["valid"] for found in json.loads(out)] == [True, False]


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "show", "quick", "--set", "tick_skip=4")
    assert code == 0 and "tick_skip = 4\n" in out
    assert "gamma = 0.99  # half-life 2.3 s" in out and "zero_padding = 0\n" in out


def test_show_json(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "show", "quick", "--json")
    found = json.loads(out)
    assert found["schema"] == 1 and found["obs"]["zero_padding"] == 0 and found["ppo"]["gae_lambda"] == 0.95


def test_show_of_an_invalid_one(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "show", write("bad.toml", "schema = 1\n[rewards]\ntuch = 1\n"))
    assert (code, out) == (2, "")
    assert 'bad.toml:3: rewards.tuch: unknown reward; did you mean "touch"?' in err


def test_diff(capsys: pytest.CaptureFixture[str]) -> None:
    name = write("mine.toml", "schema = 1\n[rewards]\ntouch = 1\n")
    other = write("other.toml", "schema = 1\n[rewards]\ntouch = 2\ngoal = 1\n")
    assert run(capsys, "diff", name, other) == (
        0,
        "rewards.touch.weight: 1.0 → 2.0\nrewards.goal: absent → {weight = 1.0}\n",
        "",
    )
    assert run(capsys, "diff", name, name) == (0, "no difference\n", "")
    _, out, _ = run(capsys, "diff", name, other, "--json")
    assert json.loads(out)[0] == {"key": "rewards.touch.weight", "left": "1.0", "right": "2.0"}


def test_schema(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "schema")
    assert code == 0
    assert "  ppo.epochs: whole number, 1 to 100, default 2\n      Passes over the data in each update.\n" in out
    assert "\n[ppo]  The learning algorithm" in out and "\nreward strong_hit: " in out
    _, out, _ = run(capsys, "schema", "--json")
    assert {entry["key"] for entry in json.loads(out)["keys"]} >= {"tick_skip", "ppo.gamma", "resets[].kind"}


def test_new_then_check_then_again(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, out, _ = run(capsys, "new", "my-bot", "--from", "quick")
    assert code == 0 and str(Path("profiles/my-bot.toml")) in out
    assert run(capsys, "check", "my-bot")[0] == 0
    before = (folder / "profiles/my-bot.toml").read_bytes()
    code, _, err = run(capsys, "new", "my-bot")
    assert code == 2 and "exists already" in err
    assert (folder / "profiles/my-bot.toml").read_bytes() == before


def test_ascii_where_the_output_knows_nothing_else(folder: Path) -> None:
    write("own.toml", 'schema = 1\nauthor = "Zoë →"\n[rewards]\ntouch = 1\n')
    done = subprocess.run(
        [sys.executable, "-m", "rltui", "profile", "show", "own.toml"],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    text = done.stdout.decode("ascii")
    assert 'author = "Zo? ->"' in text and "[ppo]" in text


def test_training_with_a_bad_profile_starts_nothing(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    name = write("bad.toml", "schema = 1\n[rewards]\ntouch = 1\n[ppo]\nbatch = 50_000\nminibatch = 60_000\nbacth = 1\n")
    code = main(["train", name, "--data-dir", "data", "--set", "ppo.gamma=7"])
    said = capsys.readouterr().err
    assert code == 2 and list(folder.iterdir()) == [folder / "bad.toml"]
    for line in ("bad.toml:6: ppo.minibatch", "bad.toml:7: ppo.bacth", "--set: ppo.gamma"):
        assert line in said
