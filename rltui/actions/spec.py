"""ActionSpec: what a policy chooses at a step, as plain data for whatever holds, checks, counts or draws actions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Bool = NDArray[np.bool_]
Int = NDArray[np.int64]
Classes = NDArray[np.uint8]  # legality classes: which of a spec's masks holds


@dataclass(frozen=True)
class ActionSpec:
    """A row of a table of `outputs` rows. Another kind of action is a subclass with its own constants and answers.

    A net gives `outputs` numbers for each choice, from which the `Distribution` of this kind is made.
    """

    kind: ClassVar[str] = "discrete"
    dtype: ClassVar[np.dtype[Any]] = np.dtype(np.int64)
    shape: ClassVar[tuple[int, ...]] = ()  # of one action

    outputs: int
    # [legality classes, outputs] what may be chosen in each, at least one of them; None: everything
    masks: Bool | None = field(default=None, compare=False, repr=False)

    @property
    def allowed(self) -> str:
        """Which actions there are, in words."""
        return f"0 … {self.outputs - 1}"

    def known(self, actions: NDArray[Any]) -> Bool:
        """Which of actions [..., *shape] there are, whatever their class, [...]."""
        inside: Bool = (actions >= 0) & (actions < self.outputs)
        return inside

    def legal(self, actions: NDArray[Any], classes: Classes) -> Bool:
        """Which of actions [..., *shape] may be chosen in their legality classes [...]; all where nothing is masked."""
        if self.masks is None:
            return np.ones(classes.shape, np.bool_)
        last = len(self.masks) - 1
        legal: Bool = (classes <= last) & self.masks[classes.clip(max=last), actions.clip(0, self.outputs - 1)]
        return legal

    def at_random(self, rng: np.random.Generator, classes: Classes) -> Int:
        """Uniform over what is legal in these classes [...], an action for each."""
        draws = rng.random((*classes.shape, self.outputs))
        if self.masks is not None:
            draws *= self.masks[classes]
        chosen: Int = draws.argmax(axis=-1)
        return chosen

    def count(self, actions: NDArray[Any]) -> Int:
        """How often each row was chosen, int64 [outputs]."""
        return np.bincount(actions.ravel(), minlength=self.outputs)
