"""Typed change commands (`lr 1e-4`, `reward touch *0.5`): parser, the values in force, and warnings before odd ones."""

from __future__ import annotations

import math
import re
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
from rltui.events.episode_reward import PART, WEIGHT
from rltui.events.metric_health import entropy_words, rate_words
from rltui.events.metric_keys import ENT_COEF, LEARNING_RATE
from rltui.events.records import ENTROPY_SETTING, RATE_SETTING, reward_of, weight_of
from rltui.run_state.snapshot import FIELDS, RunSnapshot

EXAMPLES = (
    ("lr 1e-4", ""),
    ("entropy *0.5", ""),
    ("reward touch +10%", ""),
    ("reward touch profile", "the profile's again; lr, entropy too"),
    ("flag debug_actions on", "a number: that worker"),
    ("render on", ", ".join(OUTPUTS)),
)
PROFILE = "profile"
SWITCH = {"on": True, "off": False}
LONG_FORMS = ("learning_rate", "ent_coef")  # understood, but not offered
_DIGITS = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_OF_VALUE = re.compile(rf"([+-]?{_DIGITS})?(?:([*/])([+-]?{_DIGITS})|([+-]{_DIGITS})%)")  # *0.5, /2, +10%, 2e-4*0.5
NUMBERS = f"a number, *0.5, /2, +10%, or the word {PROFILE}"
Values = Callable[[str], float | None]  # by setting, as in SettingChanged: the value in force, None where unknown
LEAP = 10  # times the learning rate in force: more is warned about


class ChangeError(ValueError):
    """What was typed means nothing; says what would."""


def parse(text: str, rewards: Sequence[str] = (), now: Values = lambda setting: None) -> Command:
    """The command; rewards: names that the run is known to have, for a hint. The trainer has the last word on all names.

    now: what `*0.5` and the like count from. ChangeError says what is wrong, and what is near.
    """
    verb, *rest = text.split() or [""]
    if not verb:
        raise ChangeError("type what to change, as below")
    if verb not in _VERBS:
        raise ChangeError(f"{verb!r} is nothing that can be changed{_near(verb, list(_VERBS))}")
    return _VERBS[verb](rest, rewards, now)


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


def _rate(words: Sequence[str], _: Sequence[str], now: Values) -> Command:
    return SetLearningRate(_number(_one(words, "lr 1e-4"), now(RATE_SETTING)))


def _entropy(words: Sequence[str], _: Sequence[str], now: Values) -> Command:
    return SetEntropy(_number(_one(words, "entropy 0.005"), now(ENTROPY_SETTING)))


def _reward(words: Sequence[str], rewards: Sequence[str], now: Values) -> Command:
    if len(words) != 2:
        raise ChangeError(f"a reward's name and its weight: reward {rewards[0] if rewards else 'touch'} 2")
    name, weight = words
    if rewards and name not in rewards and "/" not in name:
        raise ChangeError(f"this run has no reward {name!r}{_near(name, rewards)}")
    return SetRewardWeight(name, _number(weight, now(weight_of(name))))


def _flag(words: Sequence[str], *_: object) -> Command:
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


def _render(words: Sequence[str], *_: object) -> Command:
    if not 1 <= len(words) <= 2:
        raise ChangeError("on or off, for one output if it is named: render on, render recording on")
    *output, switch = words
    if output and output[0] not in OUTPUTS:
        raise ChangeError(f"no output {output[0]!r}{_near(output[0], OUTPUTS)}")
    if switch not in SWITCH:
        raise ChangeError(f"on or off, found {switch!r}")
    return SetRender(SWITCH[switch], output[0] if output else "")


_VERBS: Mapping[str, Callable[[Sequence[str], Sequence[str], Values], Command]] = {
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


def _number(word: str, now: float | None) -> float | None:
    """now: the value that `*0.5`, `/2` and `+10%` count from where none stands before them."""
    if word == PROFILE:
        return None
    if relative := _OF_VALUE.fullmatch(word):
        value = _changed(now, *relative.groups())
    else:
        try:
            value = float(word)
        except ValueError:
            raise ChangeError(f"{NUMBERS}, found {word!r}") from None
    if not math.isfinite(value):
        raise ChangeError(f"a finite number, found {word!r}")
    return value


def _changed(now: float | None, base: str | None, sign: str | None, by: str | None, percent: str | None) -> float:
    """Six digits: nobody means the last ones of a float."""
    start = float(base) if base else now
    if start is None:
        raise ChangeError("the current value is not known: type a number")
    if percent is not None:
        factor = 1 + float(percent) / 100
    elif sign == "/" and float(by or 0) == 0:
        raise ChangeError("cannot divide by 0")
    else:
        factor = float(by or 1) if sign == "*" else 1 / float(by or 1)
    return float(f"{start * factor:.6g}")


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
            return _of_weight(value, value_now(snapshot, weight_of(name)))
        case _:
            return ""


def _of_rate(rate: float, snapshot: RunSnapshot) -> str:
    header = snapshot.header
    words = rate_words(rate, header.phase if header is not None else None)
    now = value_now(snapshot, RATE_SETTING)
    if now is None or not rate > LEAP * now > 0:
        return words
    leap = f"{rate / now:,.0f} times the {now:g} of now"
    return f"{leap}; {words}" if words else leap


def _of_weight(weight: float, now: float | None) -> str:
    if now is None or weight * now >= 0:
        return ""
    turned = "what was punished is then paid for" if weight > 0 else "what was paid for is then punished"
    return f"its weight is {now:g} now: {turned}"


def value_now(snapshot: RunSnapshot, setting: str) -> float | None:
    """In force, of a setting as in SettingChanged: by hand, by a schedule as the newest iteration has it, or the header's."""
    header, reward = snapshot.header, reward_of(setting)
    by_hand = header.by_hand.get(setting) if header is not None else None
    scheduled = snapshot.metrics.get(LEARNING_RATE if setting == RATE_SETTING else f"{WEIGHT}{reward}")
    for known in (by_hand, scheduled):
        if known is not None:
            return known
    if header is None or header.command:  # of a script of others nobody knows
        return None
    return header.reward_weights.get(reward) if reward is not None else float(getattr(header, FIELDS[setting]))


def value_of_profile(snapshot: RunSnapshot, setting: str) -> float | None:
    """The same, without what was set by hand; of a schedule's setting its start."""
    header, reward = snapshot.header, reward_of(setting)
    if header is None:
        return None
    value = header.reward_weights.get(reward) if reward is not None else header.ppo.get(FIELDS[setting])
    return None if isinstance(value, bool | str) else value


def values_words(snapshot: RunSnapshot, setting: str) -> str:
    """`now 2.5, profile 1`; empty where neither is known."""
    values = ("now", value_now(snapshot, setting)), ("profile", value_of_profile(snapshot, setting))
    return ", ".join(f"{name} {value:g}" for name, value in values if value is not None)


def setting_of(command: Command) -> str:
    """The number that it changes, as in SettingChanged; empty where it changes none."""
    match command:
        case SetLearningRate():
            return RATE_SETTING
        case SetEntropy():
            return ENTROPY_SETTING
        case SetRewardWeight(name=name):
            return weight_of(name)
        case _:
            return ""


def setting_of_metric(key: str) -> str:
    """The setting that its chart is of, or the weight of the reward that it is of; empty of any other."""
    group, _, name = key.partition("/")
    if f"{group}/" in (PART, WEIGHT):
        return weight_of(name)
    return {LEARNING_RATE: RATE_SETTING, ENT_COEF: ENTROPY_SETTING}.get(key, "")


def typed(setting: str) -> str:
    """What a command that changes it begins with."""
    return {RATE_SETTING: "lr", ENTROPY_SETTING: "entropy"}.get(setting, setting)


def begun(snapshot: RunSnapshot, setting: str) -> str:
    """What is typed to change it, up to its value of now: `reward touch 2.5`."""
    now = value_now(snapshot, setting)
    return f"{typed(setting)} {now:g}" if now is not None else f"{typed(setting)} "
