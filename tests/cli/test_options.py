"""Options come from descriptions: every verb that lives takes all of them, and none is called like another."""

from __future__ import annotations

import dataclasses
import importlib
import json
from pathlib import Path
from typing import Any

import pytest

import hebbarium as hb
from hebbarium.cli import VERBS, main, module_of
from hebbarium.cli.commands import Verb, command
from hebbarium.experiment import WAYS
from hebbarium.studies.atlas.stages import make_plan
from hebbarium.studies.evolve.study import Evolution
from hebbarium.tools.fields import docstrings, options_of
from hebbarium.worlds.base import World
from hebbarium.worlds.registry import WORLDS

NOT_LIVING = {"reproduce", "new-world", "runs", "merge", "export", "cache", "completion"}
"""The paper says how its own lives are lived; the others live nothing."""
IN_SEVERAL_WORLDS = {"transfer"}


def parameters(verb: str, world: type[World]) -> dict[str, Any]:
    importlib.import_module(module_of(verb))
    made = Verb.made[verb]
    return dict(command(made.function, world, made.usual)[0].__signature__.parameters)


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in NOT_LIVING])
@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_every_verb_that_lives_takes_every_option_of_world_and_brain(verb: str, world: type[World]) -> None:
    settings = dataclasses.fields(World if verb in IN_SEVERAL_WORLDS else world)
    assert {*WAYS, *(one.name for one in settings)} <= set(parameters(verb, world))


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_is_described(verb: str) -> None:
    for name, parameter in parameters(verb, WORLDS["foraging"]).items():
        notes = [note.help for note in getattr(parameter.annotation, "__metadata__", ()) if hasattr(note, "help")]
        written = f"\n    {name}\n" in (Verb.made[verb].function.__doc__ or "")
        assert written or any(notes), f"--{name} of {verb}"


def test_docstrings_are_found_in_a_class_and_what_it_derives_from() -> None:
    @dataclasses.dataclass(frozen=True)
    class Own(World):
        pass

    assert docstrings(Own)["season_steps"] == "Steps in a season."
    assert options_of(WORLDS["foraging"], "wall")["wall"].choices == ("inside", "outside")


def test_help_names_what_help_all_describes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evolve", "foraging", "--help"]) == 0
    short = capsys.readouterr().out
    assert main(["evolve", "foraging", "--help-all"]) == 0
    whole = capsys.readouterr().out
    assert "--hidden-bias" in short
    assert "left out when weights are scaled" in " ".join(whole.replace("│", "").split())
    assert "left out when weights are scaled" not in " ".join(short.replace("│", "").split())
    assert len(short.splitlines()) < 90 < len(whole.splitlines())
    assert main(["live", "CartPole-v1", "--help"]) == 0  # where nothing learns without a judge
    assert "lean (CartPole)" in " ".join(capsys.readouterr().out.replace("│", "").split())


@pytest.mark.parametrize(
    ("setting", "verb", "search"),
    [
        ("blame", "live", ()),
        ("weight_noise", "evolve", ()),
        ("threads", "live", ()),
        ("generations", "evolve", ("catcma",)),
    ],
)
def test_a_setting_of_a_world_that_is_called_like_an_option(
    setting: str, verb: str, search: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pond = hb.new_world("pond", tmp_path / "pond.py")
    pond.write_text(pond.read_text(encoding="utf-8").replace("food", setting), encoding="utf-8")
    assert main([verb, str(pond)]) == 2
    said = f"line 36: the setting '{setting}' has a name that is taken"
    assert said in capsys.readouterr().err
    with pytest.raises(hb.BadInput, match=said):
        getattr(hb, verb)(str(pond), *(search or ("000-/0000@0.04",) * (verb == "live")))


def test_only_what_is_unusual_is_written_down() -> None:
    plain = Evolution.of("foraging").configuration()
    own = Evolution.of("foraging", hidden_bias="fixed", weight_noise=0.1, eligibility="0.5")
    assert own.configuration() == plain | {
        "hidden_bias": "fixed",
        "weight_noise": 0.1,
        "eligibility": dict.fromkeys(own.world.group_names, 0.5),
    }
    assert Evolution.of_configuration(own.configuration()) == own
    tallied = Evolution.of("prey-predator", blame={"1": 0.5})
    assert tallied.brain.arithmetic == "plain"
    assert "arithmetic" not in tallied.configuration()
    world = hb.make_world("foraging")
    assert make_plan(world, born_alike=True).settings() == make_plan(world).settings() | {"born_alike": True}


@pytest.mark.parametrize("word", ["--photosynthesis", "--delete", "--qwertz"])
def test_nothing_is_suggested_where_nothing_is_near(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["live", "foraging", word, "1"]) == 2
    assert "did you mean" not in capsys.readouterr().err


def test_the_cache_is_shown_and_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HEBBARIUM_CACHE_DIR", str(tmp_path))
    (tmp_path / "kernels-0").mkdir()
    (tmp_path / "kernels-0" / "a.nbi").write_bytes(bytes(3_000_000))
    (tmp_path / "mine.txt").touch()
    assert main(["cache"]) == 0
    assert "There are 3.0 MB: 1 compiled function." in capsys.readouterr().out
    assert main(["cache", "--clear"]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_complete_options_of_tasks(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for word in ("prey-predator", "season-steps", "hidden-bias", "lifelong"):
        assert word in script


def test_a_config_file_has_lists_and_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.toml"
    lines = ('rule = "foraging:1"', "lifetimes = 1", "season_steps = 9", 'schedule = ["winter", "summer"]', "[blame]")
    path.write_text("\n".join([*lines, "open-turn = 0.5"]))
    assert main(["live", "foraging", "--config", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"] == {
        "season_steps": 9,
        "schedule": "winter,summer",
        "blame": {"open-turn": 0.5},
    }


@pytest.mark.parametrize(
    ("call", "nearest"),
    [
        (lambda: hb.live("foraging", "foraging:1", lifetime=3), "lifetimes"),
        (lambda: hb.live("foraging", "foraging:1", season=3), "seasons"),
        (lambda: hb.compare("foraging", "foraging:1", "foraging:2", lifetime=3), "lifetimes"),
        (lambda: hb.sweep("foraging", "foraging:1", "hidden", [5], lifetime=3), "lifetimes"),
        (lambda: hb.explain("foraging:1", measure=True, hiden=3), "hidden"),
        (lambda: hb.live_agent("foraging", "tabular", step_sise=1), "step_size"),
        (lambda: hb.trace("foraging", "foraging:1", trail=3), "trial"),
        (lambda: hb.evolve("foraging", budgett=3), "budget"),
    ],
)
def test_python_suggests_the_nearest_argument(call, nearest):
    with pytest.raises(TypeError, match=f"did you mean '{nearest}'"):
        call()


def test_what_is_no_task_is_said_plainly(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "watch.out").touch()
    for words, sentence in {
        "live ./watch.out": "'./watch.out' is no task: a world of your own is a Python file, such as ./pond.py.",
        "live ./mine": "'./mine' is a folder, not a task",
        "watch runs/nosuch": "there is no file or folder 'runs/nosuch'.",
        "export mine rules.csv": "'rules.csv' is not expected here; did you mean --to rules.csv?",
    }.items():
        assert main(words.split()) == 2
        assert sentence in capsys.readouterr().err


def test_evolve_takes_settings_that_are_newer_than_its_first_runs():
    assert Evolution.of("foraging", cue=0.5, season_lengths="random").world.cue == 0.5
