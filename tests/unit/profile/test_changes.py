"""What two profiles differ in, and what of it is paid."""

from __future__ import annotations

from pathlib import Path

import msgspec

from rltui.events.records import CurriculumPlanned
from rltui.profile.changes import KeyChange, condensed, paid_changes, saved_changes, with_plans
from tests.fakes.figure_stories import plan


def test_only_what_differs_is_told(tmp_path: Path) -> None:
    left, right = tmp_path / "left.toml", tmp_path / "right.toml"
    left.write_text('a = 1\ndescription = "x"\n[[resets]]\nkind = "kickoff"\n[[resets]]\nkind = "random"\nweight = 1\n')
    right.write_text(
        'a = true\ndescription = "y"\n[[resets]]\nkind = "random"\nweight = 2\n[[resets]]\nkind = "kickoff"\n'
    )
    assert saved_changes(left, right) == [KeyChange("a", "1", "true"), KeyChange("resets.random.weight", "1", "2")]
    assert saved_changes(left, left) == []
    right.write_bytes(b"\xff")
    assert "cannot be compared" in str(saved_changes(left, right))
    assert "cannot be compared" in str(saved_changes(left, tmp_path / "none"))


def test_a_table_of_which_one_side_has_nothing_is_one_change() -> None:
    many = [KeyChange(f"rewards.{name}.weight", "1", None) for name in "abcd"]
    assert condensed([*many, KeyChange("ppo.gamma", None, "0.9")]) == [
        KeyChange("[rewards]", "4 keys", None),
        KeyChange("ppo.gamma", None, "0.9"),
    ]
    mixed = [*many, KeyChange("rewards.e.weight", None, "1")]
    assert condensed(mixed) == mixed


def until(planned: CurriculumPlanned, phase: int, value: float) -> CurriculumPlanned:
    """With another value of that phase's first criterion."""
    changed = list(planned.phases)
    first, *others = changed[phase].until
    criteria = [msgspec.structs.replace(first, value=value), *others]
    changed[phase] = msgspec.structs.replace(changed[phase], until=criteria)
    return msgspec.structs.replace(planned, phases=changed)


def test_another_plan_is_a_difference_though_the_profiles_of_the_states_are_of_one_task() -> None:
    """In the place of what the curriculum of a run's own profile differs in, which says the same by other names."""
    before, after = until(plan(), 0, 60.0), until(plan(), 0, 5.0)
    name = plan().phases[0]
    key = f"{name.profile}.until.{name.until[0].name}"
    other, own = KeyChange("ppo.gamma", "0.9", "0.99"), KeyChange("curriculum.phases.0.until.x", "60", "5")
    assert with_plans([own, other], before, after) == [other, KeyChange(key, "60", "5")]
    assert with_plans([other], before, before) == [other]
    assert with_plans([own], before, None) == [own] and with_plans("not read", before, after) == "not read"


def test_a_weight_of_ones_own_reward_is_a_weight_though_its_path_has_dots() -> None:
    changes = [
        KeyChange(f"rewards.{key}", None, "0.1") for key in ("touch", "/a/b/near.py:Near", "/a/b/near.py:Near.weight")
    ]
    assert paid_changes(changes, weights_known=True) == []
    assert len(paid_changes(changes, weights_known=False)) == 3
    assert len(paid_changes([KeyChange("rewards./a/near.py:Near.scale", "1", "2")], weights_known=True)) == 1
