"""What is said of given figures: the bottleneck with its setting, and the settings for machines of many sizes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rltui.actions.spec import ActionSpec
from rltui.debug.recommend import MachineFigures, PlayFigures, bottleneck, changes, recommend, shares
from rltui.events.metric_health import PART_ADVICE
from rltui.learn.config import NetSizes
from rltui.learn.device import fitting_rows, row_bytes
from rltui.profile.load import load
from rltui.profile.models import Profile

BIG = (2048, 2048, 1024, 1024)
NET, BIG_NET = (NetSizes(172, ActionSpec(90), layers, layers) for layers in ((256, 256, 256), BIG))
GB = 10**9
MICROS = {"simulate": 50.0, "state": 9.0, "reward": 5.0, "reset": 1.0, "observe": 5.0, "infer": 20.0, "other": 10.0}


def profile(**sections: dict[str, Any]) -> Profile:
    return Profile.model_validate({"rewards": {"touch": {"weight": 1.0}}, **sections})


def machine(cores: int = 2, gpu: float = 0, memory: float = 64) -> MachineFigures:
    return MachineFigures(cores, cores, 0.0, "", int(memory * GB), int(memory * GB / 2), int(gpu * GB))


def play(
    workers: int = 2, arenas: int = 32, speed: float = 40_000, waiting: float = 0.0, **micros: float
) -> PlayFigures:
    return PlayFigures(workers, arenas, speed, MICROS | micros, waiting)


def test_shares_are_of_one_iteration_by_hand() -> None:
    found = shares(play(speed=10_000, waiting=0.2), consumed=40_000)  # 4 parts collecting, 1 part update
    assert found["update"] == pytest.approx(0.2) and found["wait"] == pytest.approx(0.16)
    assert found["simulate"] == pytest.approx(0.8 * 0.8 * 0.5)
    assert sum(found.values()) == pytest.approx(1)
    assert shares(play(speed=10_000), 40_000, overlap=True)["update"] == 0, "hidden behind collecting"
    assert shares(play(speed=40_000), 10_000, overlap=True)["update"] == pytest.approx(0.75)


def test_which_part_and_which_setting(subtests: pytest.Subtests) -> None:
    more = (play(), play(workers=16, speed=200_000))  # of 16 cores
    wide = (play(), play(arenas=64, speed=60_000))
    few, central_one = {"collect": {"workers": 2}}, {"collect": {"inference": "central"}}
    for figures, consumed, settings, here, played, expected in [
        (play(), 90_000, {}, machine(), (), ("simulate", "", "")),
        (play(), 90_000, few, machine(16), more, ("simulate", "collect.workers", '"auto"')),
        (play(infer=90), 90_000, {}, machine(), (), ("infer", "policy.layers", "[128, 128, 128]")),
        (play(infer=90), 90_000, {"policy": {"layers": (32,)}}, machine(), (), ("infer", "", "")),
        (play(infer=90), 90_000, {}, machine(gpu=8), (), ("infer", "collect.inference", '"auto"')),
        (play(infer=90), 90_000, central_one, machine(), (), ("infer", "collect.inference", '"auto"')),
        (play(infer=90), 90_000, central_one, machine(gpu=8), (), ("infer", "", "")),
        (play(infer=90), 90_000, central_one, machine(gpu=8), wide, ("infer", "collect.arenas", "64")),
        (play(other=90), 90_000, {}, machine(), wide, ("other", "collect.arenas", "64")),
        (play(reward=90), 90_000, {}, machine(), (), ("reward", "", "")),
        (play(waiting=0.6), 90_000, {}, machine(16), more, ("wait", "", "")),
        (play(waiting=0.6), 90_000, {"ppo": {"iteration": 500}}, machine(), (), ("wait", "ppo.iteration", "4100")),
        (play(), 9_000, {}, machine(), (), ("update", "ppo.epochs", "1")),
        (play(), 9_000, {"ppo": {"epochs": 1}}, machine(), (), ("update", "", "")),
        (play(), 9_000, {"learner": {"threads": 1}}, machine(), (), ("update", "learner.threads", '"auto"')),
        (play(), 9_000, {"learner": {"device": "cpu"}}, machine(gpu=8), (), ("update", "learner.device", '"auto"')),
    ]:
        with subtests.test(expected=expected):
            mine = profile(**settings)
            central = settings == central_one
            advised = recommend(mine, NET, here, played)
            found = bottleneck(shares(figures, consumed), mine, "cpu", central, here, advised)
            assert (found.part, found.key, found.value) == expected
            assert "%" in found.sentence and (found.key or PART_ADVICE[found.part]) in found.sentence


def test_an_update_on_a_gpu_has_its_own_settings() -> None:
    plain = profile(learner={"precision": "float32"})
    assert bottleneck(shares(play(), 9_000), plain, "cuda", True, machine(gpu=8), ()).key == "learner.precision"
    for overlap in (False, True):  # which is never advised: it costs more than it brings
        mine, here = profile(collect={"overlap": overlap}), machine(gpu=8)
        found = bottleneck(shares(play(), 9_000, overlap), mine, "cuda", True, here, ())
        assert (found.key, found.value) == ("ppo.epochs", "1")


def test_settings_of_machines_of_every_size(subtests: pytest.Subtests) -> None:
    """Without measurements: they fit, they grow with the machine, and a profile that fits stays as it is."""
    big, small = ({"policy": {"layers": layers}, "critic": {"layers": layers}} for layers in (BIG, (128,)))
    rows = [fitting_rows(gpu * GB, BIG_NET) for gpu in (4, 8, 16, 24, 80)]
    assert rows == sorted(rows) and 4_096 <= rows[0] < rows[-1]
    for gpu, fit in zip((4, 8, 16, 24, 80), rows, strict=True):
        with subtests.test(gpu=gpu):
            assert fit * row_bytes(BIG_NET) < gpu * GB
            minibatch = recommend(profile(**big), BIG_NET, machine(16, gpu), ())[-1]
            assert minibatch.value == "auto" and f"{fit:,}" in minibatch.why
    for cores in (2, 4, 16, 64):
        for gpu in (0, 4, 80):
            with subtests.test(cores=cores, gpu=gpu):
                advised = recommend(profile(**small), NET, machine(cores, gpu), ())
                found = {one.key: one.value for one in advised}
                assert {one.basis for one in advised} == {"computed"}
                assert found["collect.workers"] == "auto"
                assert int(found["ppo.iteration"]) >= 32 * cores * 32 * 2
                assert changes(profile(**small), advised).keys() <= ({"ppo.iteration"} if cores == 64 else set())


def test_small_batches_grow_on_a_gpu_alone() -> None:
    mine = profile(ppo={"iteration": 20_000, "batch": 2_000})
    for gpu, batch in ((0, 2_000), (8, 4_096)):
        assert {one.key: one.value for one in recommend(mine, NET, machine(2, gpu), ())}["ppo.batch"] == batch


def test_little_memory_means_fewer_workers() -> None:
    advised = recommend(profile(), NET, machine(64, memory=4), ())
    assert 1 <= int(advised[0].value) < 40 and "4.0 GB" in advised[0].why


def test_what_was_measured_goes_before_what_is_usual() -> None:
    """Of numbers that are clearly faster than the profile's own the fewest workers, and the fastest arenas."""
    played = [play(8), play(4, speed=39_500), play(1, speed=12_000), play(8, 16, 30_000), play(8, 64, 41_000)]
    workers, arenas, *_ = recommend(profile(collect={"workers": 1}), NET, machine(8), played)
    assert (workers.value, workers.basis) == (4, "measured")
    assert (arenas.value, arenas.basis) == (32, "measured")
    assert recommend(profile(), NET, machine(8), [*played, play(8, 128, 50_000)])[1].value == 128


def test_what_may_be_chance_changes_nothing() -> None:
    """Neither fewer workers that are as fast, nor more that are less faster than two looks at one number differ."""
    for now, other, expected in [(32_090, 32_871, "auto"), (32_090, 33_500, "auto"), (32_090, 34_000, 1)]:
        played = [play(2, speed=now), play(1, speed=other)]
        assert recommend(profile(), NET, machine(2), played)[0].value == expected
    unsteady = [play(2, speed=30_000), replace(play(1, speed=36_000), spread=0.25)]
    assert recommend(profile(), NET, machine(2), unsteady)[0].value == "auto"
    wavering = [play(2, 32, 30_000), replace(play(2, 64, 36_000), spread=0.25)]
    assert recommend(profile(), NET, machine(2), wavering)[1].value == 32


def test_only_what_would_not_hold_is_written() -> None:
    crowd = machine(64)  # 64 × 32 arenas of 2 cars want 140,000 timesteps
    assert changes(profile(), recommend(profile(), NET, crowd, ())) == {"ppo.iteration": "140_000"}, "the others follow"
    mine = profile(ppo={"iteration": 50_000, "batch": 5_000})
    assert changes(mine, recommend(mine, NET, crowd, ())) == {"ppo.iteration": "140_000", "ppo.batch": "14_000"}
    campaign = load("campaign")
    assert changes(campaign, recommend(campaign, NET, machine(64, memory=4), ())).keys() == {"collect.workers"}
