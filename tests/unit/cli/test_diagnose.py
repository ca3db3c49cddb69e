"""`rltui diagnose` as people and programs see it, and what it writes."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from threading import Event

import psutil
import pytest
import torch

from rltui.__main__ import main
from rltui.debug import bench, diagnose
from rltui.debug.bench import Stack
from rltui.debug.diagnose import Diagnosis, GpuFigures, LearnerFigures
from rltui.debug.recommend import Bottleneck, MachineFigures, PlayFigures, Recommendation
from rltui.profile.load import load
from rltui.profile.locate import shipped_folder
from rltui.supervise.gpus import GpuLoad
from rltui.train.config import ResolvedConfig
from tests.fakes.patience import patience

TINY = """schema = 1  # mine
rewards = {touch = 1.0}
policy = {layers = [8]}
critic = {layers = [8]}

[collect]
workers = 1
arenas = 2  # few

[ppo]
iteration = 100
batch = 50  # half
"""
FOUND = Diagnosis(
    "tiny",
    MachineFigures(16, 15, 3.0, "Haswell", 10**10, None, 8 * 10**9),
    (PlayFigures(1, 2, 2_000.0, {"simulate": 60.0, "infer": 20.0}, 0.25, 8_000.0), PlayFigures(1, 4, 2_100.0, {}, 0.0)),
    learner=LearnerFigures("cuda", 90_000.0, 99_000.0, 1.1),
    gpu=GpuFigures("NVIDIA RTX 90", 8 * 10**9, 7 * 10**9, 63.0),
    bottleneck=Bottleneck("wait", 0.3, "waiting takes 30 %", "collect.workers", '"auto"'),
    recommendations=(
        Recommendation("collect.workers", "auto", 1, "measured", "1: 2 steps/s, 16: 30 steps/s"),
        Recommendation("collect.arenas", 2, 2, "measured", ""),
        Recommendation("ppo.iteration", 2_100, 100, "computed", ""),
        Recommendation("ppo.batch", 1_050, 50, "computed", ""),
        Recommendation("ppo.minibatch", 512, 50, "computed", ""),
    ),
)


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "profiles" / "tiny.toml"
    path.parent.mkdir()
    path.write_text(TINY)
    return path


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnose, "diagnose", lambda *_: FOUND)


def test_a_small_real_measurement(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = [word for part in ("inference", "learner", "ipc", "gpu") for word in ("--only", part)]
    assert main(["diagnose", "tiny", "--json", "--seconds", "0.02", *parts]) == 0
    out, err = capsys.readouterr()
    measured = json.loads(out)
    assert set(measured) == {field.name for field in fields(Diagnosis)} | {"written"}
    assert (measured["env"], measured["shares"], measured["bottleneck"], measured["written"]) == ([], {}, None, None)
    for part in ("inference", "learner", "ipc"):
        figures = [value for value in measured[part].values() if isinstance(value, float)]
        assert figures and min(figures) > 0, part
    assert measured["gpu"]["name"] or measured["gpu"]["note"]
    assert [one["key"] for one in measured["recommendations"]] == [one.key for one in FOUND.recommendations]
    assert all(part in err for part in ("inference", "learner", "ipc", "gpu"))
    assert tiny.read_text() == TINY


def test_the_environment_is_measured_beside_the_bare_simulator_and_with_other_numbers(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int, bool]] = []

    def play(_: object, workers: int, arenas: int, *__: object, bare: bool) -> PlayFigures:
        asked.append((workers, arenas, bare))
        return replace(FOUND.env[0], workers=workers, arenas=arenas)

    monkeypatch.setattr(diagnose, "measure_play", play)
    list(diagnose.measure_env(load("tiny"), 16, 1.0, lambda line: None))
    assert asked == [(1, 2, True), (8, 2, True), (16, 2, True), (16, 1, False), (16, 4, False)]


class _Cards:
    """Two cards, of which the busier one's use is 0, 80, 40 … %."""

    def __init__(self) -> None:
        self.note, self.reads, self.all_read = "", 0, Event()

    def read(self) -> tuple[GpuLoad, ...]:
        self.reads += 1
        if self.reads > 4:
            self.all_read.set()
        return GpuLoad("RTX 90", use=(0.0, 80.0, 40.0)[self.reads % 3]), GpuLoad("RTX 90", use=None)


def test_a_gpu_is_watched_during_the_update_and_one_that_torch_does_not_see_is_named(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cards = _Cards()
    config = replace(ResolvedConfig.resolve(load("tiny")), device="cuda")
    monkeypatch.setattr(diagnose, "Gpus", lambda: cards)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert "RTX 90" in diagnose.measure_gpu(config, 1.0).note and cards.reads == 1
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (7, 8))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "RTX 90")
    for name in ("_learned", "one_update"):
        monkeypatch.setattr(diagnose, name, lambda *_: (None, 1))
    monkeypatch.setattr(diagnose, "_seconds", lambda *_: cards.all_read.wait(patience(30)))
    assert diagnose.measure_gpu(config, 1.0) == GpuFigures("RTX 90", 8, 7, 80.0)


def test_a_part_that_fails_is_named_with_why(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a GPU without memory for the update that is watched: it had ended without a word."""

    def fails(*_: object) -> None:
        raise torch.OutOfMemoryError("out of memory")

    monkeypatch.setattr(diagnose, "Gpus", _Cards)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (7, 8))
    for name, put in (("_learned", lambda *_: (None, 1)), ("one_update", lambda *_: None), ("_seconds", fails)):
        monkeypatch.setattr(diagnose, name, put)
    with pytest.raises(torch.OutOfMemoryError):
        diagnose.measure_gpu(replace(ResolvedConfig.resolve(load("tiny")), device="cuda"), 1.0)
    monkeypatch.setitem(diagnose.MEASURES, "learner", fails)
    assert main(["diagnose", "tiny", "--only", "learner"]) == 1
    assert "rltui: measuring learner failed: OutOfMemoryError: out of memory" in capsys.readouterr().err


def test_a_worker_that_dies_is_not_waited_for_without_end(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def kill(stack: Stack) -> tuple[float, float]:
        worker = psutil.Process(stack._collector.live()[0].pid)
        worker.kill()
        worker.wait(patience(30))
        return 1.0, 1.0

    monkeypatch.setattr(Stack, "shared_memory_speed", kill)
    monkeypatch.setattr(bench, "ANSWER_SECONDS", 0.05)
    assert main(["diagnose", "tiny", "--only", "ipc"]) == 1
    assert "worker 0 has not answered for 0.05 s" in capsys.readouterr().err


def test_as_people_see_it(tiny: Path, found: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", "tiny"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "1 2 2,000 8,000 25 % 25 %" in lines and "1 4 2,100 – – 0 %" in lines
    assert "collect.workers auto now 1 measured 1: 2 steps/s, 16: 30 steps/s" in lines
    assert "collect.arenas 2 as it is measured" in lines
    assert lines[-1] == "bottleneck: waiting takes 30 %"


def test_a_gpu_that_is_not_there_has_no_memory_of_0(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = []
    for memory in (0, 8 * 10**9):
        without = replace(FOUND, machine=replace(FOUND.machine, gpu_memory=memory))
        monkeypatch.setattr(diagnose, "diagnose", lambda *_, answer=without: answer)
        main(["diagnose", "tiny"])
        shown.append("gpu memory" in capsys.readouterr().out)
    assert shown == [False, True]


def test_what_a_busy_machine_measured_is_not_written_unless_forced(
    subtests: pytest.Subtests, tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was computed is."""
    busy = replace(FOUND, machine=replace(FOUND.machine, busy_percent=100.0))
    computed = replace(busy, recommendations=FOUND.recommendations[1:])
    for found, options, code in [
        (busy, ["--write", "tiny"], 1),
        (busy, ["--write", "tiny", "--json"], 1),
        (busy, ["--write", "new"], 1),
        (busy, ["--write", "tiny", "--force"], 0),
        (busy, [], 0),
        (computed, ["--write", "tiny"], 0),
    ]:
        with subtests.test(options=options, code=code):
            tiny.write_text(TINY)
            monkeypatch.setattr(diagnose, "diagnose", lambda *_, answer=found: answer)
            assert main(["diagnose", "tiny", *options]) == code
            out, err = capsys.readouterr()
            assert (tiny.read_text() != TINY) == ("--write" in options and code == 0)
            assert ("100 % busy" in err and "--force" in err) == (code == 1)
            assert "--json" not in options or json.loads(out)["written"] is None
    assert [path.name for path in tiny.parent.iterdir()] == ["tiny.toml"]


def test_what_is_not_written_says_why(
    subtests: pytest.Subtests, tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for key, value, why in [
        ("ppo.epochs", "1", "changes what is learned"),
        ("policy.layers", "[128]", "changes what is learned"),
        ("learner.device", '"auto"', "not measured"),
        ("collect.workers", '"auto"', None),
        ("", "", None),
    ]:
        with subtests.test(key=key):
            found = replace(FOUND, bottleneck=Bottleneck("update", 0.6, "the update", key, value))
            monkeypatch.setattr(diagnose, "diagnose", lambda *_, answer=found: answer)
            assert main(["diagnose", "tiny", "--write", "tiny"]) == 0
            last = capsys.readouterr().out.splitlines()[-1]
            assert last.startswith("not written: ") == (why is not None)
            assert why is None or (f"{key} = {value}" in last and why in last)


def test_its_own_file_is_written_with_comments_kept_but_those_of_old_values(tiny: Path, found: None) -> None:
    assert main(["diagnose", "tiny", "--write", "tiny"]) == 0
    text = tiny.read_text()
    assert [line for line in text.splitlines() if "#" in line] == [
        "schema = 1  # mine",
        "arenas = 2  # few",
        "batch = 1050  # set by rltui diagnose",
    ]
    mine = load("tiny")
    assert (mine.collect.workers, mine.ppo.iteration, mine.ppo.batch, mine.ppo.minibatch) == ("auto", 2_100, 1_050, 512)


def test_a_new_name_is_a_copy(tiny: Path, found: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", "quick", "--write", "here", "--json"]) == 0
    written = json.loads(capsys.readouterr().out)["written"]
    assert written["path"] == "profiles/here.toml" and written["settings"]["ppo.iteration"] == "2100"
    copy = load("here")
    assert (copy.label, copy.ppo.iteration, copy.rewards) == ("Here", 2_100, load("quick").rewards)
    assert tiny.read_text() == TINY


def test_what_stays_as_it_is_is_refused_before_anything_is_measured(
    subtests: pytest.Subtests, tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """F61: shipped, a link to it, read-only, another profile's, no name."""
    monkeypatch.setattr(diagnose, "diagnose", None)
    shipped = shipped_folder() / "quick.toml"
    (tiny.parent / "linked.toml").symlink_to(shipped)
    locked = tiny.with_name("locked.toml")
    locked.write_text(TINY)
    locked.chmod(0o444)
    before = {path: path.read_bytes() for path in (shipped, tiny, locked)}
    for profile, name in [
        ("quick", "quick"),
        ("linked", "linked"),
        ("quick", str(shipped)),
        ("locked", "locked"),
        ("quick", "tiny"),
        ("tiny", "no/such/name"),
    ]:
        with subtests.test(profile=profile, name=name):
            assert main(["diagnose", profile, "--write", name]) == 2
            out, err = capsys.readouterr()
            assert out == "" and err.count("\n") <= 3 and "Traceback" not in err
    assert {path: path.read_bytes() for path in before} == before
    assert sorted(path.name for path in tiny.parent.iterdir()) == ["linked.toml", "locked.toml", "tiny.toml"]


def test_a_file_that_was_edited_meanwhile_is_left_alone(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edited = TINY.replace("touch = 1.0", "touch = 2.0")

    def while_measured(*_: object) -> Diagnosis:
        tiny.write_text(edited)
        return FOUND

    monkeypatch.setattr(diagnose, "diagnose", while_measured)
    assert main(["diagnose", "tiny", "--write", "tiny"]) == 1
    assert tiny.read_text() == edited
