"""A watched life is the life that `live` lives, until somebody takes a hand in it."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import hebbarium as hb
from hebbarium.agents.hill_climbing import HillClimbing
from hebbarium.tools.errors import BadInput
from hebbarium.watch.page_data import MARKS, STORIES, Story, hello
from hebbarium.watch.page_frames import Camera, about_life, about_rule
from hebbarium.watch.requests import Wish, as_typed, usual_rule
from hebbarium.watch.session import MIXED, ROOM, Chronicle, Session
from hebbarium.worlds.registry import WORLDS

sys.path.insert(0, str(Path(__file__).parent))
from watched_pond import Pond

ALL = {name: world() for name, world in WORLDS.items()} | {"pond": Pond()}
SHORT = {"season_steps": "300"}


def session_of(task: str = "foraging", **wish) -> Session:
    return Session(Wish.of({"task": task, **SHORT, **wish}), ALL)


@pytest.mark.parametrize("task", ALL)
@pytest.mark.parametrize("brains", [1, 3])
def test_it_is_the_life_that_live_lives(task, brains):
    session = session_of(task, seed=5, brains=brains, stop=4)
    seen = []
    while not session.over:
        season = session.chronicle.seasons
        session.advance(min(77, 300 - session.within))
        if session.chronicle.seasons > season:
            seen.append(session.fitness() if session.over else session.chronicle.bars[-1])
    lives = hb.live(ALL[task], usual_rule(ALL[task]), lifetimes=brains, seed=5, season_steps=300, seasons=4)
    assert np.array_equal(np.array(seen).T, lives.fitness)
    assert np.array_equal(session.earlier + session.counts, lives.counts.sum(axis=1))
    assert session.lived == 1200


def test_hill_climbing_lives_with_the_network_of_each_season(monkeypatch):
    """Until it is given a rule: then it learns, and keeps what it learned."""
    climber = HillClimbing(iterations=5)
    monkeypatch.setattr("hebbarium.watch.session.make_agent", {"hill-climbing": climber}.get)
    session = session_of(agent="hill-climbing", seed=5, season_steps="30", seasons="4")
    world = dataclasses.replace(ALL["foraging"], season_steps=30, seasons=4)
    for kept in climber.climb(world, 1, seed=5, executor=1).networks:
        for _ in range(2):
            assert all(map(np.array_equal, session.layers, (layer[0].T for layer in kept.layers)))
            session.advance(15)
    assert session.digest is None
    session.set_rule("00+-/0000@0.04")
    session.advance(40)
    assert not np.array_equal(session.layers[1], kept.output[0].T)


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"agent": "perfect"}, "agent is 'perfect', but must be one of hill-climbing"),
        ({"agent": "hill-climbing", "rule": "00+-/0000@0.04"}, "has no rule"),
        ({"agent": "hill-climbing", "hidden_bias": "none"}, "leave out hidden_bias"),
        ({"agent": "hill-climbing", "season_steps": "5000", "brains": "16"}, "too many networks"),
    ],
)
def test_a_climb_that_cannot_be_watched_is_refused(wish, words):
    with pytest.raises(BadInput, match=words):
        session_of(**wish)


def test_a_life_at_any_speed_is_the_same():
    slow, fast = session_of(seed=3), session_of(seed=3)
    for _ in range(500):
        slow.advance(1)
    fast.advance(500)
    assert np.array_equal(slow.batch.brains.hidden, fast.batch.brains.hidden)
    assert slow.trail == fast.trail
    assert slow.moment.action == fast.moment.action
    assert np.array_equal(slow.moment.active, fast.moment.active)


def test_the_moment_is_what_the_brain_did():
    """The output with the largest sum acts, unless the action is random."""
    session = session_of("foraging", seed=9)
    random = 0
    for _ in range(400):
        session.advance(1)
        moment = session.moment
        random += moment.random
        assert moment.random or moment.action == int(np.argmax(moment.sums))
        row = next(row for row in session.world.associations if row.id == moment.association)
        assert row.signals[session.batch.season_kinds[0]] == moment.reinforcement or session.within == 0
    assert 0 < random < 40


def test_a_rule_changes_while_it_lives():
    session = session_of(seed=1)
    session.advance(200)
    session.set_rule("0000/0000@0.1")
    before = session.batch.brains.hidden.copy()
    session.advance(200)
    assert np.array_equal(before, session.batch.brains.hidden)
    assert session.touched
    assert session.set_rule("frozen,000-/0000@0.03").is_layered
    session.advance(200)
    assert np.array_equal(before, session.batch.brains.hidden)
    for bad in ("00+-/00", 3442, None, "__import__('os')"):
        with pytest.raises(BadInput):
            session.set_rule(bad)


def test_real_entries_are_lived_by_and_neutral_ones_from_birth():
    session, other = session_of(seed=1), session_of(seed=1, rule="0:0:0.4:-0.3/0:0:0:0@0.1")
    session.set_rule("0:0:0.4:-0.3/0:0:0:0@0.1")
    for one in (session, other):
        one.advance(200)
    assert np.array_equal(session.batch.brains.output, other.batch.brains.output)
    with pytest.raises(BadInput, match="a life must begin with it"):
        session.set_rule("00+-/0000/0-00@0.1")


def test_a_season_changes_now():
    session = session_of(seed=1)
    session.advance(100)
    session.set_season(1)
    assert (session.kind, session.within, session.chronicle.seasons) == (1, 0, 1)
    session.advance(300)
    assert (session.kind, session.chronicle.kinds) == (0, [0, 1])  # and then as scheduled
    with pytest.raises(BadInput, match="season is 2, but must be a whole number from 0 to 1"):
        session.set_season(2)


def test_it_stops_where_it_was_asked_to_and_can_carry_on():
    session = session_of(seed=1, stop=2)
    session.advance(10_000)
    assert session.over
    assert session.lived == 600
    session.carry_on()
    session.advance(50)
    assert (session.lived, session.over) == (650, False)


def test_many_seasons_are_kept_in_a_few_bars():
    chronicle = Chronicle()
    for season in range(1000):
        chronicle.add(season % 2, np.array([float(season)]), np.zeros((1, 3), np.int64))
    assert len(chronicle.bars) < ROOM
    assert chronicle.size == 16
    assert set(chronicle.kinds) == {MIXED}
    assert chronicle.bars[0] == np.mean(range(16))


@pytest.mark.parametrize("task", ALL)
def test_frames_tell_all_that_changed(task):
    """What a page knows from the frames alone is what there is."""
    import base64

    session = session_of(task, seed=2)
    camera, cells = Camera(session), None
    for steps in (0, 1, 1, 50, 500, 1):
        session.advance(steps)
        frame = json.loads(json.dumps(camera.frame(), allow_nan=False))
        (life,) = frame["lives"]
        if "cells" in life:
            cells = np.frombuffer(base64.b64decode(life["cells"]), np.uint8).copy()
        changes = np.array(life.get("changes", []), int).reshape(-1, 2)
        cells[changes[:, 0]] = changes[:, 1]
        assert np.array_equal(cells, session.picture().cells.ravel())
    # The last step changed little in a large world; of a small one it may be cheaper to send all.
    assert "cells" not in life or cells.size < 100
    hidden = frame_weights(Camera(session).frame())
    assert np.abs(hidden - session.batch.brains.hidden[0].T).max() < 0.005


def frame_weights(frame) -> np.ndarray:
    import base64

    sent = frame["weights"][0]
    shades = np.frombuffer(base64.b64decode(sent["shades"]), np.int8)
    return shades.reshape(len(frame["moment"]["active"][0]), -1) / 127 * sent["scale"]


@pytest.mark.parametrize("rule", ["-++-/--++@0.0118", "frozen,00+-/000+@0.1", "00+-/0000@0.1,0-+-/+000@0.01"])
def test_entries_count_the_synapses_that_they_change(rule):
    session = session_of(rule=rule, seed=4, blame={"open-straight": 0})
    expected = np.zeros((2, 8), np.int64)
    for _ in range(500):
        session.advance(1)
        moment = session.moment
        row = next(row for row in session.world.associations if row.id == moment.association)
        if moment.random or moment.reinforcement == 0 or (row.sensor, row.behaviour) == ("nothing", "Straight"):
            continue
        won = [action == moment.action for action in range(3)]
        layers = [([*moment.senses, 1], moment.active[0]), ([*moment.active[0], 1], won)]
        for k, (before, after) in enumerate(layers):
            for pre in before:
                for post in after:
                    entry = 4 * (moment.reinforcement > 0) + 2 * int(pre) + int(post)
                    expected[k, entry] += session.rule.layers[k].entries[entry] != 0
    assert expected.any()
    assert np.array_equal(session.acted, expected)
    other = session_of(rule=rule, seed=4, blame={"open-straight": 0})
    other.advance(500)
    assert np.array_equal(other.acted, expected)


@pytest.mark.parametrize(
    "wish",
    [
        {"hidden": "3,2", "rule": "-++0/0-00@0.1"},
        {"hidden": "4", "recurrent": "true", "rule": "00+-/000+/0-00@0.1"},
        {"hidden": "0", "rule": "000-/0+00@0.1"},
    ],
)
def test_entries_count_in_any_network(wish):
    """Without scaling, the weights that have changed are those that an entry changed."""
    session = session_of(seed=4, scaling="none", **wish)
    changed = np.zeros(len(session.layers), np.int64)
    for _ in range(200):
        before = [layer.copy() for layer in session.layers]
        session.advance(1)
        changed += [int((now != then).sum()) for now, then in zip(session.layers, before, strict=True)]
    assert changed.all()
    assert session.acted.sum(axis=1).tolist() == changed.tolist()
    entries = [rule.padded for rule in session.rule.for_layers(len(session.layers))]
    assert not session.acted[np.array(entries) == 0].any()
    assert Camera(session).frame()["acted"] == session.acted.tolist()
    session.advance(100)  # too many at once to look at each
    assert "acted" not in Camera(session).frame()
    session.set_rule("000-/0000@0.1")
    assert not session.acted.any()


def test_changes_are_repeated_as_the_address_says():
    session = session_of(seed=4)
    session.advance(250)
    session.set_rule("-++-/--++@0.0118")
    session.advance(200)  # beyond the end of a season
    session.set_season(0)
    session.advance(99)
    assert session.then == "250:-++-/--++@0.0118;450:summer"
    again = session_of(seed=4, then=session.then)
    again.advance(549)
    assert again.then == session.then
    assert again.digest is None
    assert np.array_equal(again.counts, session.counts)
    assert np.array_equal(again.batch.brains.hidden, session.batch.brains.hidden)


@pytest.mark.parametrize("then", ["x:winter", "5", "9:winter;3:summer", "1:winter;" * 101, "5:00x"])
def test_changes_that_make_no_sense_are_refused(then):
    with pytest.raises(BadInput):
        session_of(then=then)


@pytest.mark.parametrize(("task", "brains"), [("foraging", 1), ("association", 3)])
def test_its_digest_is_that_of_live(task, brains):
    session = session_of(task=task, seed=5, brains=brains)
    assert session.digest is None
    session.advance(650)
    lives = hb.live(task, usual_rule(ALL[task]), lifetimes=brains, seed=5, season_steps=300, seasons=2)
    assert session.digest == lives.digest


def test_without_an_agent_the_picture_is_of_the_last_step():
    session = session_of(task="association", seed=5)
    for _ in range(20):
        session.advance(1)
        bits = (session.picture().cells[0, :6] == 2).astype(int)
        assert np.array_equal(bits, session.moment.senses)


@pytest.mark.parametrize(("task", "marks"), MARKS.items())
def test_the_marks_are_what_others_score(task, marks):
    """Within four standard errors of fewer lives."""
    world, lifetimes = ALL[task], 100
    some = (
        hb.live_agent(task, "random", lifetimes=lifetimes, seed=3),
        hb.live(task, usual_rule(world), lifetimes=lifetimes, seed=3),
        hb.live_agent(task, "perfect", lifetimes=lifetimes, seed=3),
    )
    for mark, lives in zip(marks, some, strict=True):
        seasons = lives.fitness.mean(axis=1)
        assert abs(seasons.mean() - mark) < 4 * seasons.std() / lifetimes**0.5 + 0.3


def test_what_is_asked_for_is_checked():
    for asked, words in (
        ({"hidden": "1000"}, "hidden is 1000"),
        ({"seed": "-1"}, "seed is -1"),
        ({"seed": "many"}, "seed is 'many'"),
        ({"brains": 17}, "brains is 17"),
        ({"task": "../../etc/passwd"}, "task is '../../etc/passwd'"),
        ({"task": ["foraging"]}, "task is"),
        ({"grid_size": "4096"}, "too large to watch"),
        ({"random_action": "often"}, "random-action is 'often'"),
        ({"colour": "red"}, "no setting 'colour'"),
        ({"blame": "missed"}, "blame is 'missed'"),
        ({"at": 10**9}, "at is 1000000000"),
        ({"scaling": "ojas"}, "did you mean 'oja'"),
        ({"scaling": __file__}, "only for the file that watch was started with"),
    ):
        with pytest.raises(BadInput, match=words):
            Session(Wish.of({"task": "foraging", **asked}), ALL)


@pytest.mark.parametrize("name", ["networks", "frozen", "eta", "lifetimes", "threads", "settings"])
def test_only_settings_of_the_world_and_the_brain_can_be_asked_for(name, monkeypatch):
    """Other arguments of `live` are not for pages: networks would open a file."""
    monkeypatch.setattr("hebbarium.studies.live.given_networks", lambda path: pytest.fail("a file was opened"))
    with pytest.raises(BadInput, match=f"foraging has no setting '{name}'"):
        Wish.of({"task": "foraging", name: "/etc/passwd"}).experiment(ALL)


def test_what_is_lived_before_the_first_picture_has_an_end():
    Wish(at=10_000_000).experiment(ALL)
    for wish in (Wish(at=10_000_000, brains=16), Wish(at=10_000_000, hidden=200)):
        most = wish.furthest(wish.hidden or 20)
        with pytest.raises(BadInput, match=f"the nearest is {most}"):
            wish.experiment(ALL)
        dataclasses.replace(wish, at=most).experiment(ALL)


def test_a_rule_set_at_birth_is_as_good_as_one_asked_for():
    other = "-++-/--++@0.0118"
    changed, asked = session_of(seed=4), session_of(seed=4, rule=other)
    changed.set_rule(other)
    assert not changed.touched
    for session in (changed, asked):
        session.advance(300)
    assert np.array_equal(changed.batch.brains.hidden, asked.batch.brains.hidden)
    changed.set_rule(other)
    assert changed.touched


def test_a_wish_is_read_back_from_its_address():
    wish = Wish(seed=3, trial=6, hidden=7, brains=2, stop=5, settings=as_typed({"turn_at_wall": False, "green": 9}))
    assert wish.address()["turn_at_wall"] == "false"
    assert Wish.of(wish.address()) == wish
    assert Wish(blame={"missed": 1 / 3}).address()["blame"] == f"missed:{1 / 3!r}"


def test_blame_and_settings_of_the_brain_arrive():
    session = session_of(seed=1, blame={"missed": 0.5}, hidden_bias="fixed", born_alike="true", random_action="0.5")
    assert session.batch.extras is not None
    assert session.experiment.brain.born_alike is True
    assert session.world.random_action == 0.5
    session.advance(100)
    assert about_life(session)["blame"] == {"missed": 0.5}


def lived(story: Story) -> Session:
    return Session(Wish.of({name: value for name, value in story.wish.items() if name != "speed"}), ALL)


def test_every_story_can_be_lived_and_says_the_truth():
    for story in STORIES:
        lived(story).advance(10)
        assert story.words.count(". ") >= 1
    learning, blaming, merging, _, caught, freed, hunting = map(lived, STORIES)
    for session, fitness in ((learning, 50), (blaming, 60.75)):
        session.advance(20_000)
        assert np.mean(session.chronicle.bars) == fitness
    merging.advance(1000)
    assert Camera(merging).frame()["kinds"] == 1
    for session in (caught, freed):
        session.advance(700)
    before = caught.counts.copy()
    assert np.array_equal(before, freed.counts)
    assert caught.trail == freed.trail
    freed.advance(900)
    assert freed.counts[0, 0] > before[0, 0] + 4
    caught.advance(3000)
    assert np.array_equal(before, caught.counts)
    hunting.advance(50)
    assert Camera(hunting).frame()["kinds"] == 1


def test_everything_a_page_is_told_is_plain_data():
    told = json.loads(json.dumps(hello(ALL), allow_nan=False))
    assert set(told["worlds"]) == set(ALL)
    foraging = told["worlds"]["foraging"]
    assert foraging["associations"]["9"] == ["green straight", "Straight"]
    settings = {entry.name for entry in dataclasses.fields(ALL["foraging"])}
    assert {setting["name"] for setting in foraging["settings"]} == settings - {"seasons"}  # a page's life has no end
    assert all(setting["words"] for setting in foraging["settings"])
    assert len(foraging["presets"]) > 18
    assert foraging["meanings"]["green"] == ["wanted", "unwanted"]
    for name, world in told["worlds"].items():
        assert world["presets"]
        for preset in world["presets"]:
            session_of(name, rule=preset["rule"])
        assert all(len(words) == len(world["kinds"]) for words in world["meanings"].values())
        assert set(world["meanings"]) <= {thing["name"] for thing in world["legend"]}
    assert json.dumps(about_rule(session_of(seed=1)), allow_nan=False)
