"""What threads have found out, and what a timer puts off, may reach a screen when it is being taken away."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from textual.widget import Widget

Place = TypeVar("Place", bound=Widget)
Heard = ParamSpec("Heard")


def while_there(handler: Callable[Concatenate[Place, Heard], None]) -> Callable[Concatenate[Place, Heard], None]:
    """A handler of news that leaves them alone once its screen is going, whose parts may be gone before it is."""

    @functools.wraps(handler)
    def heard(place: Place, /, *args: Heard.args, **kwargs: Heard.kwargs) -> None:
        if place.is_attached and place.screen.display:
            handler(place, *args, **kwargs)

    return heard
