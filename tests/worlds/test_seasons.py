"""Seasons that come when they come, and the cue: exact against a slow twin, and refused where they make no sense."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from functools import partialmethod

import numpy as np
import pytest

import naive_learners
from commands import printed
from hebbarium.agents.hill_climbing import HillClimbing
from hebbarium.agents.registry import AGENTS, make_agent
from hebbarium.brains.base import Brain
from hebbarium.cli import VERBS
from hebbarium.cli.watch import Who, _wish
from hebbarium.executors.base import run
from hebbarium.gym.world_stepping import Worlds
from hebbarium.life.jobs import FROZEN, Jobs
from hebbarium.rules.rule import Rule
from hebbarium.studies.compare import compare
from hebbarium.studies.lifelong.long_life import TOO_SHORT
from hebbarium.studies.lifelong.measures import backward_transfer
from hebbarium.studies.lifelong.study import lifelong
from hebbarium.studies.live import live, live_agent
from hebbarium.studies.trace import trace
from hebbarium.tools.errors import BadInput
from hebbarium.watch.requests import Wish
from hebbarium.watch.session import Session
from hebbarium.worlds.registry import WORLDS, make_world
from hebbarium.worlds.seasons import as_usual, calendar_of, orders_and_lengths
from naive import WORLD, Stream
from naive_association import SlowAssociation
from naive_learners import Settings, SlowForaging
from naive_life import live as live_slowly
from naive_prey_predator import CarryingNetwork, SlowPreyPredator, any_largest
from naive_seasons import Cued, calendar, in_places
from naive_t_maze import SlowTMaze

RULES = [Rule("00+-/0000", 0.0375), Rule("0-+0/+-00", 0.1)]


SLOW = {
    "foraging": SlowForaging,
    "prey-predator": lambda world, seed, trial: SlowPreyPredator(world, Stream(seed, trial, WORLD)),
    "t-maze": lambda world, seed, trial: SlowTMaze(world),
    "association": lambda world, seed, trial: SlowAssociation(world, Stream(seed, trial, WORLD)),
}
SETTINGS = {
    "foraging": {"grid_size": 14, "green": 12, "blue": 9},
    "prey-predator": {"grid_size": 10, "green": 5, "blue": 5, "view_width": 3, "view_depth": 2},
    "t-maze": {"corridor": 3, "arm": 2},
    "association": {"bits": 5, "stimuli": 6},
}


def slow_life(world, seed, trial):
    """A slow world with its cue, and its seasons."""
    slow = SLOW[world.name](world, seed, trial)
    if world.cue:
        slow = Cued(slow, list(world.kinds), world.cue, seed, trial)
    names = [name.rstrip("0123456789") for name in world.season_names]
    shuffled, cut = world.schedule == "random", world.season_lengths == "random"
    return slow, names, calendar(names, world.steps, seed, trial, shuffled=shuffled, cut=cut)


def worlds(chance, names=tuple(WORLDS)):
    life = {
        "random_action": chance.choice([0.0, 0.02, 0.3]),
        "season_steps": chance.choice([1, 2, 97, 200]),
        "seasons": chance.choice([1, 4, 7]),
        "season_lengths": chance.choice(["fixed", "random", "random"]),
        "cue": chance.choice([0.0, 0.0, 1.0, 0.8, 0.5]),
    }
    for name in names:
        kinds = make_world(name).kinds
        schedule = ",".join([kinds[-1], *kinds]) if chance.random() < 0.3 else "random"
        yield make_world(name, **SETTINGS[name], **life | ({} if len(kinds) > 1 else {"cue": 0.0}), schedule=schedule)


@pytest.mark.parametrize("number", range(24))
def test_lives_are_their_twins_lives(number):
    chance = random.Random(number)
    for world in worlds(chance):
        rule = chance.choice(RULES)
        hidden = chance.choice([1, 5, 20])
        counts = run(2, world, Brain.of(world, hidden), Jobs.of_rule(rule, 3, number)).counts
        sizes = (world.all_inputs, hidden, world.outputs)
        kind = (CarryingNetwork, any_largest) if world.name == "prey-predator" else ()
        for trial in range(3):
            slow, names, seasons = slow_life(world, number, trial)
            twin = live_slowly(
                slow, seasons, None, sizes, world.random_action, (tuple(rule.entries), rule.eta), number, trial, *kind
            )
            lived = [(name, counted) for (name, _), counted in zip(seasons, twin.counts, strict=True)]
            assert counts[trial].tolist() == in_places(names, lived)


@pytest.mark.parametrize("name", ["tabular", "linear"])
def test_learners_have_them_too(name):
    for world in worlds(random.Random(5), ("foraging", "t-maze")):
        counts = make_agent(name).live(world, 3, seed=5)
        for trial in range(3):
            slow, names, seasons = slow_life(world, 5, trial)
            sizes, settings = (world.all_inputs, world.outputs), Settings(name, 0.5, 0.0, None)
            twin = naive_learners.live(slow, seasons, sizes, world.random_action, settings, 5, trial)
            lived = [(kind, counted) for (kind, _), counted in zip(seasons, twin, strict=True)]
            assert counts[trial].tolist() == in_places(names, lived)


def test_a_random_schedule_has_each_kind_as_often_and_any_order():
    world = make_world("foraging", schedule="random", seasons=4)
    assert world.season_names == ("summer1", "winter1", "summer2", "winter2")
    orders = Counter(calendar_of(world, 7, trial).places for trial in range(600))
    assert len(orders) == 6
    assert min(orders.values()) > 60
    assert all(places.index(0) < places.index(2) and places.index(1) < places.index(3) for places in orders)


def test_random_lengths_have_the_mean_and_change_at_any_step():
    world = make_world("foraging", season_lengths="random", seasons=4, season_steps=50)
    ends = np.array([calendar_of(world, 7, trial).ends for trial in range(2000)])
    assert (ends[:, -1] == world.steps).all()
    lengths = np.diff(ends, axis=1, prepend=0)
    assert lengths.min() >= 1
    assert np.allclose(lengths.mean(axis=0), 50, atol=3)
    assert np.histogram(ends[:, :-1], bins=10, range=(0, 200))[0].min() > 500


@pytest.mark.parametrize("name", WORLDS)
def test_every_world_has_them_and_other_lives_stay_as_they_are(name):
    life = {"lifetimes": 3, "seed": 9, "seasons": 4, "season_steps": 60}
    usual = live(name, "00+-/0000@0.04", **life)
    own = live(name, "00+-/0000@0.04", schedule="random", season_lengths="random", **life)
    assert own.digest != usual.digest
    assert (
        own.digest == live(name, "00+-/0000@0.04", schedule="random", season_lengths="random", threads=1, **life).digest
    )
    assert live(name, "00+-/0000@0.04", season_lengths="fixed", cue=0, **life).digest == usual.digest
    if len(make_world(name).kinds) > 1:
        assert live(name, "00+-/0000@0.04", cue=0.9, **life).digest != usual.digest


def test_a_life_led_from_outside_has_the_same_seasons_and_the_same_cue():
    world = make_world("foraging", schedule="random", season_lengths="random", season_steps=50, cue=0.8)
    life = trace(world, "00+-/0000@0.04", seed=3, trial=2)
    led = Worlds(world, 1)
    senses = led.begin(np.array([0]), np.array([3], np.uint64), np.array([2], np.uint64))
    for step in range(world.steps):
        assert np.array_equal(senses[0], life.steps.senses[step])
        told = led.step(life.steps.action[step : step + 1].astype(np.int64))
        assert told.reward[0] == life.steps.reinforcement[step]
        senses = told.senses
    assert told.truncated[0]


def test_a_cue_lets_a_table_keep_both_seasons():
    scores = [
        live_agent("foraging", "tabular", lifetimes=40, seed=3, cue=cue).fitness.mean(axis=0) for cue in (0.0, 1.0)
    ]
    assert scores[1][2:].mean() > scores[0][2:].mean() + 5


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"schedule": "summer,random"}, "schedule is 'random'"),
        ({"schedule": "rando"}, "random"),
        ({"season_lengths": "randm"}, "season-lengths is 'randm'.*random"),
        ({"cue": 1.5}, "cue is 1.5"),
        ({"cue": 0.5, "random_where": "nothing-sensed"}, "random-where must be 'always'"),
    ],
)
def test_nonsense_is_refused(settings, words):
    with pytest.raises(BadInput, match=words):
        make_world("foraging", **settings)


def test_one_kind_of_season_has_no_cue():
    with pytest.raises(BadInput, match="one kind of season"):
        make_world("association", cue=0.9)


def test_long_lives_have_the_seasons_of_live():
    asked = {"lifetimes": 3, "seed": 9, "seasons": 6, "season_steps": 700, **OWN}
    (life,) = lifelong("foraging", "foraging:1", threads=1, **asked).lives
    world = life.subject.world
    assert np.array_equal(life.lived.fitness, live("foraging", "foraging:1", **asked).fitness)
    for trial, rates in enumerate(life.lived.seasons.rates):
        for place, start, end in calendar_of(world, 9, trial).spans():
            whole = np.cumsum(life.unlearned.widths) <= end - start
            assert np.array_equal(np.isnan(rates[place]), ~whole)
    assert life.lived.kinds.tolist() == [
        [world.season_kinds[place] for place in calendar_of(world, 9, trial).places] for trial in range(3)
    ]
    # What is kept is measured by the order in which each life had its seasons.
    alone = [backward_transfer(life.lived.tests[[trial]], life.lived.kinds[trial].tolist())[0] for trial in range(3)]
    assert life.transfer["backward_transfer"].value == pytest.approx(np.mean(alone))


def test_what_lengths_add_or_take_away_is_left_out():
    world = make_world("foraging", season_lengths="random", seasons=4, season_steps=500)
    _, lengths = orders_and_lengths(world, [7] * 9, range(9))
    assert (lengths.sum(axis=1) == world.steps).all()
    noise = np.random.default_rng(1).normal(size=lengths.shape)
    slopes, means = np.array([0.02, -0.01, 0.02, -0.01]), np.array([3.0, 4.0, 1.0, -2.0])
    assert as_usual(world, slopes * lengths + means, lengths) == pytest.approx(np.tile(slopes * 500 + means, (9, 1)))
    # By least squares: what is left does not go with the lengths.
    left = as_usual(world, slopes * lengths + noise, lengths)
    for kind in (0, 1):
        steps = lengths[:, kind::2] - lengths[:, kind::2].mean(axis=0)
        assert (steps * left[:, kind::2]).sum() == pytest.approx(0, abs=1e-6)
    assert np.array_equal(as_usual(world, noise, np.full_like(lengths, 500)), noise)
    assert np.array_equal(as_usual(world, noise[:1], lengths[:1]), noise[:1])  # one life says nothing about lengths


def test_lives_of_random_lengths_can_be_read():
    asked = {"season_lengths": "random", "schedule": "random", "lifetimes": 12, "seed": 7, "season_steps": 800}
    lives = live("foraging", "foraging:1", **asked)
    for trial, lengths in enumerate(lives.season_lengths):
        spans = calendar_of(lives.task, 7, trial).spans()
        assert {place: end - start for place, start, end in spans} == dict(enumerate(lengths))
    usual, result = as_usual(lives.task, lives.fitness, lives.season_lengths), lives.summary()
    assert result["fitness"]["mean"] == pytest.approx(lives.fitness.mean())
    assert result["fitness"]["std"] == pytest.approx(usual.std(ddof=1))
    assert usual.std() < lives.fitness.std()
    for place, season in enumerate(result["seasons"]):
        assert season["fitness"]["mean"] == pytest.approx(lives.fitness[:, place].mean())
        assert season["season_steps"]["mean"] == pytest.approx(lives.season_lengths[:, place].mean())
        assert season["usual_length"]["fitness"]["mean"] == pytest.approx(usual[:, place].mean())
        assert season["usual_length"].keys() == {"fitness", "green", "blue", "walls"}
    assert list(lives.frame()["season_steps"]) == lives.season_lengths.ravel().tolist()
    compared = compare("foraging", "foraging:1", "foraging:2", **asked)
    assert compared.contenders[0].std == result["fitness"]["std"]
    fixed = live("foraging", "foraging:1", lifetimes=3, season_steps=50)
    assert (fixed.season_lengths == 50).all()
    assert fixed.summary()["seasons"][0].keys() == {"season", "fitness", "green", "blue", "walls"}
    words = [f"--{name.replace('_', '-')}={value}" for name, value in asked.items()]
    out = printed(["live", "foraging", "--rule", "foraging:1", *words])
    assert f"{usual[:, 0].mean():.1f} ({usual[:, 0].std(ddof=1):.1f})" in out
    assert f"{lives.season_lengths[:, 0].mean():,.0f} (" in out
    assert "The table is for seasons of 800 steps" in out
    assert "std over seasons as if each had 800 steps" in out
    assert "summer 1 " in out  # in 80 columns, unbroken


def test_random_lengths_are_not_taken_for_ageing():
    """A perfect agent does not age, however long its seasons happen to be."""
    asked = {"lifetimes": 12, "seasons": 8, "season_steps": 500, "seed": 3, "season_lengths": "random"}
    (life,) = lifelong("foraging", agents=["perfect"], **asked).lives
    assert life.half_life.value is None
    assert life.late_over_young.value == pytest.approx(1, abs=0.1)
    for relative in life.relative_performance.values():
        assert relative.value == pytest.approx(1, abs=0.1)
    raw, usual = life.lived.fitness, life.lived.seasons.comparable
    assert usual.std(axis=0).mean() < raw.std(axis=0).mean() / 2
    assert [season["fitness"] for season in life.ageing] == pytest.approx(usual.mean(axis=0))


def test_seasons_that_were_too_short_say_so():
    asked = {"lifetimes": 2, "seasons": 4, "season_steps": 1000, "seed": 1, "season_lengths": "random"}
    (life,) = lifelong("foraging", agents=["perfect"], **asked).lives
    ends = (life.lived.seasons.rates[:, :2, -1:] == life.lived.seasons.rates[:, :2, -1:]).sum(axis=(0, 2))
    whys = [season.steps.why for season in life.recovery[:2]]
    assert [why == TOO_SHORT for why in whys] == (ends < 2).tolist()
    assert TOO_SHORT in whys


def test_climbs_have_seasons_of_their_own():
    """Each network is measured when a season comes, in a world that has that season alone, as long as it is."""
    world = make_world("foraging", seasons=4, season_steps=300, **OWN | {"cue": 0.0})
    climbs = HillClimbing(iterations=1).climb(world, 3, seed=9)
    for trial in range(3):
        for number, (place, start, end) in enumerate(calendar_of(world, 9, trial).spans(), 1):
            season = world.one_season(world.season_kinds[place], end - start)
            jobs = Jobs.of_rule(FROZEN, 1, 9, trial + number * 2**32)
            network = climbs.networks[place][trial : trial + 1]
            assert np.array_equal(
                climbs.at(1)[trial, place], run(1, season, Brain.of(season), jobs, networks=network).counts[0, 0]
            )


@pytest.mark.parametrize("task", ["foraging", "t-maze"])
def test_a_watched_life_has_them(task):
    settings = {"seasons": 4, "season_steps": 90, **OWN}
    wish = Wish(task=task, settings={name: str(value) for name, value in settings.items()}, stop=4, seed=9, trial=2)
    session = Session(wish, {task: make_world(task)})
    session.advance(10_000)
    assert session.over
    assert session.lived == 360
    lived = live(task, session.rule.text, lifetimes=3, seed=9, **settings)
    places = calendar_of(session.world, 9, 2).places
    assert [counts[0].tolist() for counts in session.chronicle.counts] == lived.counts[2, list(places)].tolist()
    with pytest.raises(BadInput, match="brains is 2, but lives with random seasons are watched one at a time"):
        Session(dataclasses.replace(wish, brains=2), {task: make_world(task)})


def test_watch_shows_the_life_of_live_whatever_the_number_of_seasons():
    world = make_world("foraging", seasons=3, season_steps=90, **OWN)
    session = Session(_wish(Who(rule=RULES[0].text, seed=9), {}, world), {"foraging": make_world("foraging")})
    session.advance(10_000)
    assert session.lived == world.steps
    lived = live(world, RULES[0], lifetimes=1, seed=9).counts[0, list(calendar_of(world, 9, 0).places)]
    assert [counts[0].tolist() for counts in session.chronicle.counts] == lived.tolist()


OWN = {"schedule": "random", "season_lengths": "random", "cue": 0.9}
RULE = "00+-/0000@0.04"
FEW = ["--lifetimes", "2"]
COMMANDS = {
    "live": [["foraging", "--rule", RULE, *FEW], *(["foraging", "--agent", agent, *FEW] for agent in AGENTS)],
    "evolve": [["foraging", "--search", "racing", "--budget", "150", "--rescore", "2"]],
    "explain": [[RULE, "--task", "foraging", "--measure", *FEW]],
    "atlas": [["foraging", "--limit", "2", "--effort", "0.1", "--etas", "0.04"]],
    "compare": [["foraging", RULE, *(f"--agent={agent}" for agent in AGENTS if "climb" not in agent), *FEW]],
    "sweep": [
        ["foraging", "--rule", RULE, "--over", "hidden=5,20", *FEW],
        ["foraging", "--agent", "tabular", "--over", "step-size=0.5,1", "--over", "discount=0,0.5", *FEW],
        ["foraging", "--agent", "perfect", "--over", "green=5,50", *FEW],
    ],
    "transfer": [[RULE, "--tasks", "foraging", "--agent", "tabular", "--agent", "linear", "--budget", "0", *FEW]],
    "lifelong": [["foraging", RULE, "--agent", "tabular", "--agent", "perfect", "--seasons", "4", *FEW]],
    "watch": [["foraging", "--rule", RULE, "--record", "life.html", "--every", "40"]],
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_them(verb, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(HillClimbing, "__init__", partialmethod(HillClimbing.__init__, iterations=3))
    if verb not in COMMANDS:
        assert "--season-lengths" not in printed([verb, "--help"])
        assert "--season-lengths" not in printed([verb, "foraging", "--help"])
        return
    own = ["--schedule", "random", "--season-lengths", "random", "--cue", "0.9", "--season-steps", "60"]
    for number, words in enumerate(COMMANDS[verb]):
        kept = ["--out", f"run{number}"] if verb in ("evolve", "atlas", "transfer", "lifelong") else []
        where = [] if verb == "watch" else ["--threads", "1", "--json"]
        printed([verb, *words, *own, *kept, *where])
