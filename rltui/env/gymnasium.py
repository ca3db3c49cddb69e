"""Registers `rltui/Soccar-v0` in Gymnasium, when it is imported. Loads nothing of the game: `gymnasium.make` does."""

from __future__ import annotations

ID = "rltui/Soccar-v0"


def register() -> None:
    """Also an entry point, so it comes before Gymnasium is imported, which may call it then."""
    from gymnasium.envs import registration

    if ID not in registration.registry:
        faces = "rltui.bridge.gymnasium"
        registration.register(ID, f"{faces}:SoccarEnv", vector_entry_point=f"{faces}:SoccarVectorEnv")


register()
