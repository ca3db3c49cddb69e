"""What must fit for a bot to go on in other hands: observation, action table, policy net, critic net."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class Signature(msgspec.Struct, frozen=True):
    """Four texts, compared as they are; readable, since a person is told when they differ."""

    obs: str  # kind, parameters and size of the observation
    table_hash: str
    policy: str  # see `net`
    critic: str

    def differences(self, found: Signature) -> list[str]:
        """Each part that differs, `observation: expected …, found …`; empty where all fit. Self is the expected."""
        parts = (
            ("observation", self.obs, found.obs),
            ("action table", self.table_hash, found.table_hash),
            ("policy", self.policy, found.policy),
            ("critic", self.critic, found.critic),
        )
        return [f"{name}: expected {mine}, found {theirs}" for name, mine, theirs in parts if mine != theirs]


def net(kind: str, inputs: int, layers: Sequence[int], outputs: int) -> str:
    """A net as text, `discrete 92-256-256-90`: kind, inputs, hidden layers, outputs."""
    return f"{kind} {'-'.join(str(size) for size in (inputs, *layers, outputs))}"
