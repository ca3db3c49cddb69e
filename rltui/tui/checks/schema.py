"""Keys and registered components of a profile, as the child `rltui profile schema --json` lists them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import msgspec

from rltui.tui.checks.child import Run, ask, run_child


class KeyReference(msgspec.Struct, frozen=True):
    """One key, or one parameter of a component. default: TOML text; "" for none; `= ppo.batch` for that of another."""

    key: str
    type: str = ""
    nature: str = "any"
    range: str = ""
    unit: str = ""
    default: str = ""
    required: bool = False
    doc: str = ""
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()


class Registered(msgspec.Struct, frozen=True):
    """A component that comes with the program."""

    kind: str
    name: str
    doc: str = ""
    parameters: tuple[KeyReference, ...] = ()
    category: str = ""
    sign: int | None = None


class SectionDoc(msgspec.Struct, frozen=True):
    """A table of the profile."""

    section: str
    doc: str = ""


class Reference(msgspec.Struct, frozen=True, dict=True):
    """keys: in the order of the schema, `ppo.gamma`, `resets[].kind`, `rewards.<name>.weight`."""

    sections: tuple[SectionDoc, ...] = ()
    keys: tuple[KeyReference, ...] = ()
    components: tuple[Registered, ...] = ()

    @cached_property
    def _docs(self) -> dict[str, str]:
        return {each.section: each.doc for each in self.sections}

    @cached_property
    def _components(self) -> dict[tuple[str, str], Registered]:
        return {(each.kind, each.name): each for each in self.components}

    def section_doc(self, name: str) -> str | None:
        """None where the name is no table."""
        return self._docs.get(name)

    def entry(self, key: str) -> KeyReference | None:
        """Of a key written as in the schema."""
        return next((entry for entry in self.keys if entry.key == key), None)

    def below(self, prefix: str) -> Iterator[tuple[str, KeyReference]]:
        """The keys right below `ppo.` or `resets[].`, by their own name."""
        for entry in self.keys:
            name = entry.key.removeprefix(prefix)
            if entry.key.startswith(prefix) and name and not set(".[<") & set(name):
                yield name, entry

    def component(self, kind: str, name: str) -> Registered | None:
        """None for a user's own."""
        return self._components.get((kind, name))

    def of_kind(self, kind: str) -> list[Registered]:
        """All registered ones, in their order."""
        return [each for each in self.components if each.kind == kind]


_decoder = msgspec.json.Decoder(Reference)


class ReferenceReader:
    """Asks the child once."""

    def __init__(self, run: Run = run_child) -> None:
        self._run = run
        self._known: Reference | None = None

    def read(self) -> Reference:
        """Blocks for half a second the first time: call it from a thread. OSError or ValueError without an answer."""
        if self._known is None:
            self._known = ask(self._run, _decoder, "profile", "schema", "--json")
        return self._known
