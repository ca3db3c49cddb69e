"""PartTimings: where a worker's time goes."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(slots=True)
class PartTimings:
    """Seconds by part since the last `take`."""

    simulate: float = 0.0  # handing over controls and stepping the simulator
    state: float = 0.0  # reading it
    reward: float = 0.0  # rewards, terminals, statistics
    reset: float = 0.0  # new episodes, with the final observations of cut ones
    observe: float = 0.0  # observations

    def take(self) -> dict[str, float]:
        """All parts by name; counting starts again at 0."""
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        for name in parts:
            setattr(self, name, 0.0)
        return parts
