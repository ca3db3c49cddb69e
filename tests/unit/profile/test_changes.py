"""What two profiles differ in, and what of it is paid."""

from __future__ import annotations

from pathlib import Path

from rltui.profile.changes import KeyChange, condensed, paid_changes, saved_changes


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


def test_a_weight_of_ones_own_reward_is_a_weight_though_its_path_has_dots() -> None:
    changes = [
        KeyChange(f"rewards.{key}", None, "0.1") for key in ("touch", "/a/b/near.py:Near", "/a/b/near.py:Near.weight")
    ]
    assert paid_changes(changes, weights_known=True) == []
    assert len(paid_changes(changes, weights_known=False)) == 3
    assert len(paid_changes([KeyChange("rewards./a/near.py:Near.scale", "1", "2")], weights_known=True)) == 1
