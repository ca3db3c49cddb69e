"""Warnings about settings that a valid profile may have and that rarely work."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log

from rltui.events.game_record import ANCHOR_ELO, elo_of_all_won
from rltui.events.metric_health import entropy_words, rate_words
from rltui.events.metric_keys import ELO_LOW
from rltui.events.metrics import BY_KEY, criterion_by_games
from rltui.formatting import duration
from rltui.profile.curriculum import stages_of, task_profile
from rltui.profile.models import GameSection, Profile
from rltui.profile.resolved import steps_per_rollout, worker_count
from rltui.profile.rules import metric_key
from rltui.profile.toml_text import toml_value
from rltui.registry import MIRROR

TICKS_PER_SECOND = 120
SHORT_GAME = 60.0  # seconds; good bots score once or twice in them


def half_life(gamma: float, tick_skip: int) -> float:
    """Seconds after which a reward counts half: ln ½ / ln γ steps of tick_skip ticks. 0.99 at tick skip 8: 4.60 s."""
    if gamma <= 0:
        return 0.0
    return inf if gamma >= 1 else log(0.5) / log(gamma) * tick_skip / TICKS_PER_SECOND


def advice(profile: Profile) -> list[str]:
    """One sentence for each doubtful setting, its key first; of a campaign, behind the name of the phase that it is in."""
    if profile.env:
        return [sentence for part in IN_ANY_ENV for sentence in part(profile)]
    if not profile.phases:
        return [*(sentence for part in PARTS for sentence in part(task_profile(profile))), *_unplayed(profile)]
    each = [(phase.name, task_profile(profile, index)) for index, phase in enumerate(profile.phases)]
    of_phases = [f"{name}: {sentence}" for name, task in each for part in PARTS for sentence in part(task)]
    return [*of_phases, *_campaign(profile), *_criteria(profile)]


def _learning_rate(profile: Profile) -> list[str]:
    adaptive = profile.ppo.schedule == "kl_adaptive"  # then it only begins at what is written
    words = rate_words(profile.ppo.learning_rate, None if adaptive else profile.phase)
    return [f"ppo.learning_rate = {toml_value(profile.ppo.learning_rate)}: {words}"] if words else []


def _entropy(profile: Profile) -> list[str]:
    words = entropy_words(profile.ppo.ent_coef)
    return [f"ppo.ent_coef = {toml_value(profile.ppo.ent_coef)}: {words}"] if words else []


def _horizon(profile: Profile) -> list[str]:
    seconds = half_life(profile.ppo.gamma, profile.tick_skip)
    if seconds >= 1:
        return []
    return [
        f"ppo.gamma = {toml_value(profile.ppo.gamma)}: a reward counts half after {duration(seconds)}, so the bot looks no further"
    ]


def _batches(profile: Profile) -> list[str]:
    ppo, found = profile.ppo, []
    most = ppo.iteration * ppo.buffer_iterations
    if ppo.batch > most:
        found.append(
            f"ppo.batch = {ppo.batch:_}: more than the {most:_} timesteps at hand (ppo.iteration × ppo.buffer_iterations); "
            "each epoch will be one step on what is there"
        )
    elif ppo.iteration % ppo.batch and ppo.iteration % ppo.batch < ppo.batch / 4:
        rest = ppo.iteration % ppo.batch
        found.append(
            f"ppo.batch = {ppo.batch:_}: leaves a last batch of only about {rest:_} of {ppo.iteration:_} timesteps"
        )
    steps = steps_per_rollout(profile)
    if steps < 8:
        games = worker_count(profile) * profile.collect.arenas
        found.append(
            f"ppo.iteration = {ppo.iteration:_}: over {games} arenas only {steps} steps of each, so advantages rest on the "
            "critic; fewer collect.arenas or a longer iteration"
        )
    return found


def _saving(profile: Profile) -> list[str]:
    keys = ("save_every", profile.save_every), ("milestone_interval", profile.milestone_interval)
    return [
        f"{key} = {value:_}: less than one iteration ({profile.ppo.iteration:_}), so each iteration writes one"
        for key, value in keys
        if value < profile.ppo.iteration
    ]


def _episodes(profile: Profile) -> list[str]:
    kinds = [terminal.kind for terminal in profile.terminals]
    found = (
        []
        if "goal" in kinds
        else ["terminals: without goal the ball stays in the net until another terminal ends the episode"]
    )
    if not {"no_touch", "timeout"} & set(kinds):
        found.append("terminals: neither no_touch nor timeout: an episode in which nothing happens never ends")
    return found


def _mechanics(profile: Profile) -> list[str]:
    weight, phase = profile.mechanics.weight, profile.phase
    if weight == 0 or phase is None or phase >= 4:
        return []
    return [
        f"mechanics.weight = {toml_value(weight)}: early in phase {phase}; practice of mechanics pays from phase 4 on, "
        "when touches and goals are reliable"
    ]


def _selfplay(profile: Profile) -> list[str]:
    if not profile.selfplay.enabled:
        return []
    both_sides = profile.game.blue and profile.game.orange
    if not both_sides or profile.collect.arenas < (3 if profile.mechanics.weight else 2):
        return [
            "selfplay.enabled: no opponent ever plays: it takes cars on both sides, and two arenas of each worker "
            "(collect.arenas) beside those that practise"
        ]
    if profile.phase is None or profile.phase >= 3:
        return []
    return [
        f"selfplay.enabled: early in phase {profile.phase}; opponents pay when touches, goals and recovery are reliable"
    ]


def _campaign(profile: Profile) -> list[str]:
    """Phases that nothing ends or that end nothing, and settings of a phase's profile that it is not asked for."""
    entries = list(zip(profile.curriculum.phases, profile.phases, strict=True))
    stuck = [
        f"curriculum.phases: {phase.name} ends by hand alone: it has neither until nor max_steps"
        for entry, phase in entries[:-1]
        if not entry.until and entry.max_steps is None
    ]
    unused = [
        f"{phase.name}: curriculum.stages are not used in a campaign, which has its own"
        for _, phase in entries
        if stages_of(phase.curriculum)
    ]
    last = [key for key in ("until", "min_steps", "max_steps") if getattr(entries[-1][0], key)]
    without_end = [
        f"curriculum.phases: {entries[-1][1].name} is the last: nothing follows its {', '.join(last)}; --steps ends a run"
    ]
    uneven = profile.phases if stages_of(profile.curriculum) else ()
    return (
        stuck
        + (without_end if last else [])
        + unused
        + [f"{one.name}: {text}" for one in uneven for text in _game(one)]
    )


def _unplayed(profile: Profile) -> list[str]:
    return _game(profile) if stages_of(profile.curriculum) else []


def _game(profile: Profile) -> list[str]:
    """Of a profile whose teams and opponents are its stages': what else it says of them."""
    usual, game = GameSection(), profile.game
    written = [
        (key, getattr(game, key)) for key in ("blue", "orange", "opponent") if getattr(game, key) != getattr(usual, key)
    ]
    return [f"game.{key} = {toml_value(value)}: not used, curriculum.stages say who plays" for key, value in written]


def _criteria(profile: Profile) -> list[str]:
    """Those that are reached at once, by nobody, or by accident."""
    games, seconds, found = profile.evaluation.games, profile.evaluation.seconds, []
    wanted = [(name, value) for phase in profile.curriculum.phases[:-1] for name, value in phase.until.items()]
    for name, value in wanted:
        metric, key = BY_KEY[metric_key(name) or name], f"curriculum.phases: until {name} = {value:g}"
        if metric.unit == "%" and metric.good == "up" and 0 < value <= 1:
            found.append(f"{key}: in %, so next to nothing; {100 * value:g}?")
        elif metric.key == ELO_LOW and value > (most := elo_of_all_won(games)[0]):
            found.append(
                f"{key}: all won, {games} games against each opponent show some {most:.0f} of a first milestone; more takes "
                "milestones that win against those before, or more evaluation.games"
            )
        elif metric.key == ELO_LOW and value <= 2 * ANCHOR_ELO - elo_of_all_won(games)[1]:
            found.append(f"{key}: reached by who loses every game")
    if seconds < SHORT_GAME and any(criterion_by_games(name) for name, _ in wanted):
        found.append(
            f"evaluation.seconds = {seconds:g}: most games so short end without a goal, and draws meet no criterion by games"
        )
    return found


def _zero_sum(profile: Profile) -> list[str]:
    """Playing itself with as many cars on both sides, what one car wins another one loses."""
    game = profile.game
    if not profile.reward_options.zero_sum or game.opponent != MIRROR or game.blue != game.orange:
        return []
    return [
        f"reward_options.zero_sum: in {game.blue}v{game.orange} against itself all cars' rewards add up to 0, so the reward "
        "curves are flat whatever is learned; judge by touches, shots and goals"
    ]


IN_ANY_ENV = (_entropy, _batches, _saving)
PARTS: tuple[Callable[[Profile], list[str]], ...] = (
    _learning_rate,
    _entropy,
    _horizon,
    _batches,
    _saving,
    _episodes,
    _mechanics,
    _selfplay,
    _zero_sum,
)
