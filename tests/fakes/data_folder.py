"""A data folder with runs and milestones in it, and a folder of profiles, as the launcher finds them."""

from __future__ import annotations

from pathlib import Path

import msgspec

from rltui.runs import meta
from rltui.runs.journal import JournalWriter
from rltui.runs.meta import Signature
from rltui.runs.paths import DataDir, RunPaths
from rltui.tui.launcher.catalog import Catalog, CatalogReader
from tests.fakes import run_story, saved_runs

PROFILE = """\
schema = 1
label = "{label}"
phase = {phase}
description = "{description}"
"""


def write_profiles(folder: Path) -> None:
    """`profiles/` with two good ones and one that is not."""
    place = folder / "profiles"
    place.mkdir(parents=True)
    texts = {
        "ball-touching": ("BallTouching", 1, "Learn to drive and touch the ball. 1v1, kickoffs and random states."),
        "bronze-skills": ("BronzeSkills1", 2, "Clean shots, goals, no own goals."),
        "my-bot": ("MyBot", 1, "A first try."),
    }
    for name, (label, phase, description) in texts.items():
        text = PROFILE.format(label=label, phase=phase, description=description)
        (place / f"{name}.toml").write_text(text, encoding="utf-8")


def verdict(path: str, signature: Signature = saved_runs.SIGNATURE) -> dict[str, object]:
    """What `rltui profile check --json` would say of it: my-bot has mistakes, the others are good."""
    name = Path(path).stem
    if name == "my-bot":
        first = {
            "file": path, "line": 14, "key": "rewards.touch.weigth", "message": "unknown key", "expected": "weight",
            "found": "1.0", "hint": 'did you mean "weight"?',
        }  # fmt: skip
        second = {
            "file": path, "line": 22, "key": "ppo.epochs", "message": "out of range",
            "expected": "a whole number in 1..100", "found": "0", "hint": "",
        }  # fmt: skip
        return {"profile": path, "name": name, "valid": False, "errors": [first, second], "warnings": []}
    summary = {
        "label": "BallTouching", "phase": 1, "rewards": {"touch": 1.0, "speed_toward_ball": 0.05, "face_ball": 0.01, "in_air": 0.0015},
        "obs": "default", "obs_size": 92, "table": "rlgym", "actions": 90, "policy_layers": [256, 256, 256], "blue": 1, "orange": 1,
        "workers": 2, "arenas": 32, "learning_rate": 2e-4, "memory_mb": 612.0, "gamma_half_life_s": 4.6,
        "milestone_interval": 5_000_000,
    }  # fmt: skip
    warnings = (
        ["ppo.gamma = 0.9: a reward counts half after 0.4 s, so the bot looks no further"]
        if name == "bronze-skills"
        else []
    )
    return {
        "profile": path, "name": name, "valid": True, "errors": [], "warnings": warnings,
        "signature": msgspec.to_builtins(signature), "summary": summary,
    }  # fmt: skip


def check_child(command: list[str]) -> bytes:
    """In the place of the child process: verdicts on the paths at the command's end."""
    paths = command[command.index("--json") + 1 :]
    found = [verdict(path) for path in paths]
    return msgspec.json.encode(found[0] if len(found) == 1 else found)


def make_stopped(
    data: DataDir, name: str, *, iterations: int, time: float, ended: bool = True, limit: int | None = None
) -> RunPaths:
    """A run with a journal, a checkpoint at its end and two milestones; its clock is moved so that it ended at `time`.

    limit: the step limit that it was started with.
    """
    paths = data.run(name)
    paths.folder.mkdir(parents=True)
    shift = time - run_story.now_of(iterations)
    writer = JournalWriter(paths.journal)
    for record in [*run_story.opening(name, step_limit=limit), *run_story.iterations(1, iterations)]:
        writer.write(msgspec.structs.replace(record, time=record.time + shift))
    if ended:
        writer.write(run_story.finished(iterations * run_story.STEPS, time, reason="asked to stop"))
    writer.close()
    paths.profile.write_text("schema = 1\n", encoding="utf-8")
    _milestones(paths, iterations * run_story.STEPS, time)
    return paths


def _milestones(paths: RunPaths, timesteps: int, time: float) -> None:
    for commit, label in ((1, "005M"), (2, "010M")):
        steps = int(label[:3]) * 1_000_000
        if steps <= timesteps:
            about = saved_runs.make_meta(paths.name, commit, steps, time=time - 600 + 200 * commit)
            about = msgspec.structs.replace(about, mean_reward=10.0 + 14 * commit, entropy=4.4 - 0.5 * commit)
            saved_runs.place(paths.milestones / "Phase1-BallTouching" / label, saved_runs.make_files(about))
    last = msgspec.structs.replace(
        saved_runs.make_meta(paths.name, 9, timesteps, time=time - 9), profile="ball-touching"
    )
    files = saved_runs.make_files(last)
    assert files["meta.json"] == meta.encode(last)
    saved_runs.place(paths.checkpoint(timesteps), files)


def make_two(data: DataDir, now: float) -> None:
    """alpha, which has stopped minutes ago, and beta, a day ago."""
    make_stopped(data, "alpha", iterations=560, time=now - 180)
    make_stopped(data, "beta", iterations=250, time=now - 86_400)


def all_checked(reader: CatalogReader) -> Catalog:
    """The catalogue with a verdict on every profile."""
    for profile in reader.read().profiles:
        reader.check_one(profile.path)
    return reader.read()
