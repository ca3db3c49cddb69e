"""Runs on disk as a trainer leaves them, with bytes of no meaning in the place of nets."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from rltui.events.records import IterationFinished, RunFinished, RunResumed, RunStarted
from rltui.runs import checkpoint, meta
from rltui.runs.meta import Meta, Signature
from rltui.runs.paths import DataDir, RunPaths
from tests.fakes import run_story

SIGNATURE = Signature("default 92", "ab" * 32, "discrete 92-256-256-90", "critic 92-256-256-1")
NETS = ("PPO_POLICY.pt", "PPO_VALUE_NET.pt", "PPO_POLICY_OPTIMIZER.pt", "PPO_VALUE_NET_OPTIMIZER.pt")
STRAYS = (".DS_Store", "notes.txt", "12a", "Thumbs.db", "007x")


def make_meta(run: str, commit: int, timesteps: int, *, time: float = 1_700_000_000.0, obs: str = "default 92") -> Meta:
    return Meta(
        run=run,
        commit=commit,
        phase=1,
        stage=None,
        timesteps=timesteps,
        time=time + commit,
        mean_reward=1.5,
        entropy=4.4,
        approx_kl=0.01,
        obs_signature=obs,
        table_hash=SIGNATURE.table_hash,
        policy=SIGNATURE.policy,
        critic=SIGNATURE.critic,
        profile="quick",
        profile_hash="00" * 32,
        version="0.1.0",
        parent=None,
        author="ada",
    )


def noise(seed: str, size: int) -> bytes:
    """Bytes that depend on the seed alone."""
    return hashlib.shake_128(seed.encode()).digest(size)


def make_files(about: Meta, size: int = 600) -> dict[str, bytes]:
    """Nine files as a checkpoint has them; each net `size` bytes, different for each commit."""
    files = {name: noise(f"{name} {about.run} {about.commit}", size) for name in NETS}
    files["BOOK_KEEPING_VARS.json"] = b'{"cumulative_timesteps": %d}' % about.timesteps
    files["policy.npz"] = noise(f"policy {about.run} {about.commit}", size)
    files["profile.toml"] = b'schema = 1\nlabel = "BallTouching"\n'
    files["meta.json"] = meta.encode(about)
    return files


def place(folder: Path, files: Mapping[str, bytes]) -> Path:
    """A complete checkpoint, put there without the care (and the time) of a real save."""
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    (folder / checkpoint.MANIFEST).write_bytes(checkpoint.render_manifest(checkpoint.manifest_of(files)))
    return folder


def save(
    paths: RunPaths,
    commit: int,
    timesteps: int,
    *,
    size: int = 600,
    time: float = 1_700_000_000.0,
    obs: str = "default 92",
) -> Path:
    """One complete checkpoint."""
    return place(
        paths.checkpoint(timesteps), make_files(make_meta(paths.name, commit, timesteps, time=time, obs=obs), size)
    )


def save_milestone(
    paths: RunPaths, commit: int, timesteps: int, label: str, phase: str = "Phase1-BallTouching"
) -> Path:
    """One complete milestone."""
    return place(paths.milestones / phase / label, make_files(make_meta(paths.name, commit, timesteps)))


def make_run(
    data: DataDir, name: str = "alpha", commits: int = 3, *, time: float = 1_700_000_000.0, obs: str = "default 92"
) -> RunPaths:
    """A run with checkpoints of commits 1 … `commits` at 1000, 2000 … timesteps, and its folder."""
    paths = data.run(name)
    paths.folder.mkdir(parents=True, exist_ok=True)
    for commit in range(1, commits + 1):
        save(paths, commit, commit * 1000, time=time, obs=obs)
    return paths


def litter(data: DataDir, paths: RunPaths) -> None:
    """Put stray entries in every data folder."""
    phase = paths.milestones / "Phase1-BallTouching"
    phase.mkdir(parents=True, exist_ok=True)
    places = [
        data.root,
        data.runs,
        data.checkpoints,
        data.milestones,
        paths.folder,
        paths.checkpoints,
        paths.milestones,
        phase,
    ]
    for place in places:
        place.mkdir(parents=True, exist_ok=True)
        for name in STRAYS:
            (place / name).write_bytes(b"stray")
        (place / "loop").symlink_to(place / "loop")
        (place / "empty folder").mkdir()
    (paths.checkpoints / "777").write_bytes(b"a file named like a checkpoint")
    (paths.checkpoints / "888").symlink_to(paths.checkpoints / "888")
    (phase / "777M").write_bytes(b"a file named like a milestone")
    (data.runs / "zeta").write_bytes(b"a file named like a run")


def tree(folder: Path) -> dict[str, bytes]:
    """Every regular file below, by relative path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def without_lock(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """A tree's files without those of a run's lock, which remain from whoever has held it."""
    return {name: content for name, content in files.items() if not Path(name).name.startswith("lock")}


def row(timesteps: int, iteration: int = 0, reward: float = 0.0) -> IterationFinished:
    return IterationFinished(
        time=1_700_000_000.0 + timesteps,
        iteration=iteration,
        timesteps=timesteps,
        metrics={"rollout/policy_reward": reward},
    )


def header(run: str = "alpha", *, time: float = 1_700_000_000.0, pid: int = 4321) -> RunStarted:
    """A session's first record, of the profile that `make_meta` names."""
    return msgspec.structs.replace(run_story.header(run, time=time), profile="quick", pid=pid)


def resumed(timesteps: int) -> RunResumed:
    """Takes back the rows above."""
    return RunResumed(time=1.0, timesteps=timesteps, checkpoint="x", reason="y")


def finish(timesteps: int, time: float = 1_700_000_100.0) -> RunFinished:
    return RunFinished(time=time, timesteps=timesteps, exit_code=0, reason="step limit reached")
