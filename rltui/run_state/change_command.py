"""Typed change commands (`lr 1e-4`): parser, and warnings before odd values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from rltui.errors import did_you_mean
from rltui.events.commands import (
    FLAGS,
    OF_TRAINER,
    OUTPUTS,
    Command,
    SetEntropy,
    SetFlag,
    SetLearningRate,
    SetRender,
    SetRewardWeight,
)
from rltui.events.episode_reward import WEIGHT
from rltui.events.metric_health import entropy_words, rate_words
from rltui.events.records import weight_of
from rltui.run_state.snapshot import RunSnapshot

EXAMPLES = (
    ("lr 1e-4", "or profile"),
    ("entropy 0.005", ""),
    ("reward touch 2", ""),
    ("flag debug_actions on", "a number: that worker"),
    ("render on", ", ".join(OUTPUTS)),
)
PROFILE = "profile"
SWITCH = {"on": True, "off": False}
LONG_FORMS = ("learning_rate", "ent_coef")  # understood, but not offered
LEAP = 10  # times the learning rate in force: more is warned about


class ChangeError(ValueError):
    """What was typed means nothing; says what would."""


def parse(text: str, rewards: Sequence[str] = ()) -> Command:
    """The command; rewards: names that the run is known to have, for a hint. The trainer has the last word on all names.

    ChangeError says what is wrong, and what is near.
    """
    verb, *rest = text.split() or [""]
    if not verb:
        raise ChangeError("type what to change, as below")
    if verb not in _VERBS:
        raise ChangeError(f"{verb!r} is nothing that can be changed{_near(verb, list(_VERBS))}")
    return _VERBS[verb](rest, rewards)


def completions(text: str, rewards: Sequence[str] = (), workers: int = 0) -> list[str]:
    """What the last word of `text` may become, or the next one where `text` ends with a space; empty where anything may."""
    before = text.split()
    begun = "" if not text or text[-1].isspace() else before.pop()
    return [word for word in _choices(before, rewards, workers) if word.startswith(begun)]


def completed(text: str, choices: Sequence[str]) -> str:
    """`text` with its last word as far as all choices agree; with a space where there is only one."""
    begun = "" if not text or text[-1].isspace() else text.split()[-1]
    if not choices:
        return text
    common = choices[0]
    while not all(choice.startswith(common) for choice in choices):
        common = common[:-1]
    return text[: len(text) - len(begun)] + common + (" " if len(choices) == 1 else "")


def _choices(before: Sequence[str], rewards: Sequence[str], workers: int) -> Sequence[str]:
    match before:
        case []:
            return [verb for verb in _VERBS if verb not in LONG_FORMS]
        case ["flag"]:
            return FLAGS
        case ["flag", _]:
            return list(SWITCH)
        case ["flag", flag, _]:
            return [] if flag in OF_TRAINER else [str(worker) for worker in range(workers)]
        case ["reward"]:
            return list(rewards)
        case ["render"]:
            return [*SWITCH, *OUTPUTS]
        case ["render", output] if output in OUTPUTS:
            return list(SWITCH)
        case ["lr" | "learning_rate" | "entropy" | "ent_coef"] | ["reward", _]:
            return [PROFILE]
        case _:
            return []


def _rate(words: Sequence[str], _: Sequence[str]) -> Command:
    return SetLearningRate(_number(_one(words, "lr 1e-4")))


def _entropy(words: Sequence[str], _: Sequence[str]) -> Command:
    return SetEntropy(_number(_one(words, "entropy 0.005")))


def _reward(words: Sequence[str], rewards: Sequence[str]) -> Command:
    if len(words) != 2:
        raise ChangeError(f"a reward's name and its weight: reward {rewards[0] if rewards else 'touch'} 2")
    name, weight = words
    if rewards and name not in rewards and "/" not in name:
        raise ChangeError(f"this run has no reward {name!r}{_near(name, rewards)}")
    return SetRewardWeight(name, _number(weight))


def _flag(words: Sequence[str], _: Sequence[str]) -> Command:
    if not 2 <= len(words) <= 3:
        raise ChangeError("a flag, on or off, and a worker if it is for one: flag debug_actions on 1")
    flag, switch, *worker = words
    if flag not in FLAGS:
        raise ChangeError(f"no debug flag {flag!r}{_near(flag, FLAGS)}")
    if switch not in SWITCH:
        raise ChangeError(f"on or off, found {switch!r}")
    if worker and not worker[0].isdecimal():
        raise ChangeError(f"a worker is a number from 0, found {worker[0]!r}")
    return SetFlag(flag, SWITCH[switch], int(worker[0]) if worker else None)


def _render(words: Sequence[str], _: Sequence[str]) -> Command:
    if not 1 <= len(words) <= 2:
        raise ChangeError("on or off, for one output if it is named: render on, render recording on")
    *output, switch = words
    if output and output[0] not in OUTPUTS:
        raise ChangeError(f"no output {output[0]!r}{_near(output[0], OUTPUTS)}")
    if switch not in SWITCH:
        raise ChangeError(f"on or off, found {switch!r}")
    return SetRender(SWITCH[switch], output[0] if output else "")


_VERBS: Mapping[str, Callable[[Sequence[str], Sequence[str]], Command]] = {
    "lr": _rate,
    "learning_rate": _rate,
    "entropy": _entropy,
    "ent_coef": _entropy,
    "reward": _reward,
    "flag": _flag,
    "render": _render,
}


def _one(words: Sequence[str], example: str) -> str:
    if len(words) != 1:
        raise ChangeError(f"one number: {example}")
    return words[0]


def _number(word: str) -> float | None:
    if word == PROFILE:
        return None
    try:
        value = float(word)
    except ValueError:
        raise ChangeError(f"a number, or the word {PROFILE}, found {word!r}") from None
    if not math.isfinite(value):
        raise ChangeError(f"a number with an end, found {word!r}")
    return value


def _near(name: str, known: Sequence[str]) -> str:
    return f": {did_you_mean(name, known) or 'there are ' + ', '.join(known)}"


def value_warning(command: Command, snapshot: RunSnapshot) -> str:
    """Why the value is odd, in words; empty where it is not."""
    match command:
        case SetLearningRate(value=float(value)):
            return _of_rate(value, snapshot)
        case SetEntropy(ent_coef=float(value)):
            return entropy_words(value)
        case SetRewardWeight(name=name, weight=float(value)):
            return _of_weight(value, _weight(name, snapshot))
        case _:
            return ""


def _of_rate(rate: float, snapshot: RunSnapshot) -> str:
    header = snapshot.header
    words = rate_words(rate, header.phase if header is not None else None)
    if header is None or not rate > LEAP * header.learning_rate > 0:
        return words
    leap = f"{rate / header.learning_rate:,.0f} times the {header.learning_rate:g} of now"
    return f"{leap}; {words}" if words else leap


def _of_weight(weight: float, now: float | None) -> str:
    if now is None or weight * now >= 0:
        return ""
    turned = "what was punished is then paid for" if weight > 0 else "what was paid for is then punished"
    return f"its weight is {now:g} now: {turned}"


def _weight(name: str, snapshot: RunSnapshot) -> float | None:
    """The one in force: by hand, by a schedule, or the header's."""
    header = snapshot.header
    by_hand = header.by_hand.get(weight_of(name)) if header is not None else None
    scheduled = snapshot.metrics.get(WEIGHT + name)
    for known in (by_hand, scheduled):
        if known is not None:
            return known
    return header.reward_weights.get(name) if header is not None else None
