"""`hebbarium live`: what it prints, draws, keeps and refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hebbarium as hb
from hebbarium.cli import main
from hebbarium.cli.live import mean_and_std
from lives import some_rule

LIVE = ["live", "foraging", "--rule", "foraging:1", "--season-steps", "300", "--lifetimes", "5", "--seed", "7"]
Captured = pytest.CaptureFixture[str]


def result(capsys: Captured, *words: str) -> dict[str, Any]:
    assert main([*words, "--json"]) == 0
    out, _ = capsys.readouterr()
    assert out.count("\n") == 1
    answer: dict[str, Any] = json.loads(out)
    return answer


def refusal(capsys: Captured, *words: str) -> str:
    assert main([*words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize("task", sorted(hb.WORLDS))
def test_the_json_contract(task: str, capsys: Captured) -> None:
    words = ["live", task, "--rule", some_rule(task), "--season-steps", "300", "--lifetimes", "5", "--seed", "7"]
    answer = result(capsys, *words)
    lives = hb.live(task, some_rule(task), season_steps=300, lifetimes=5, seed=7)
    assert answer["task"] == task
    assert (answer["rule"], answer["eta"]) == (lives.rule.notation, lives.rule.eta)
    assert (answer["hidden"], answer["lifetimes"], answer["seed"]) == (lives.task.default_hidden, 5, 7)
    assert answer["steps"] == 5 * 300 * lives.task.seasons
    assert answer["steps_per_second"] == pytest.approx(answer["steps"] / answer["seconds"])
    assert answer["digest"] == lives.digest
    assert answer["fitness"]["mean"] == pytest.approx(lives.life_fitness.mean())
    spread = lives.fitness if lives.task.std_over == "seasons" else lives.life_fitness
    assert answer["fitness"]["std"] == pytest.approx(spread.std(ddof=1))
    assert answer["fitness"]["sem"] == pytest.approx(lives.life_fitness.std(ddof=1) / np.sqrt(5))
    assert answer["distinct_hidden"] == {"mean": lives.distinct_hidden.mean(), "min": lives.distinct_hidden.min()}
    assert [season["season"] for season in answer["seasons"]] == list(lives.task.season_names)
    for number, season in enumerate(answer["seasons"]):
        assert set(season) == {"season", "fitness", *lives.task.counts}
        for place, count in enumerate(lives.task.counts):
            values = lives.counts[:, number, place]
            assert season[count] == pytest.approx({"mean": values.mean(), "std": values.std(ddof=1)})


def test_compiling_is_announced_in_logs_too(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hebbarium.life.batch.is_compiled", lambda *life, **options: False)
    assert main([*LIVE, "--json"]) == 0
    assert capsys.readouterr().err.startswith("Compiling the simulation of foraging")
    assert main([*LIVE, "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_without_an_eta_the_best_known_is_taken_and_said(capsys: Captured) -> None:
    best = float(hb.Atlas.of("foraging").eta[3442])
    words = ["live", "foraging", "--rule", "00+-/0000", *LIVE[4:]]
    assert main([*words, "--json"]) == 0
    out, err = capsys.readouterr()
    assert (json.loads(out)["eta"], json.loads(out)["eta_source"]) == (best, "atlas")
    assert f"using {best:g}, the best known for it on foraging with 20 hidden neurons" in err
    assert main([*words, "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    same = result(capsys, "live", "foraging", "--rule", f"00+-/0000@{best}", *LIVE[4:])
    assert (same["digest"], same["eta_source"]) == (json.loads(out)["digest"], "given")
    assert result(capsys, *LIVE)["eta_source"] == "paper"


def test_a_rule_without_an_eta_anywhere_is_refused_with_what_is_known(capsys: Captured) -> None:
    assert "such as 0000/000+@0.04" in refusal(capsys, "live", "association", "--rule", "0000/000+")
    assert "such as frozen,00+-/0000@0.04" in refusal(capsys, "live", "foraging", "--rule", "frozen,00+-/0000")


def test_one_eta_is_given_once(capsys: Captured) -> None:
    assert "be given as well" in refusal(capsys, "live", "foraging", "--rule", "foraging:1@0.02", "--eta", "0.03")
    assert result(capsys, *LIVE, "--eta", "0.5")["eta"] == 0.5
    assert result(capsys, "live", "foraging", "--rule", "foraging:1@0.02", *LIVE[4:])["eta"] == 0.02


def test_two_equal_layers_live_like_the_plain_rule(capsys: Captured) -> None:
    layered = result(capsys, "live", "foraging", "--rule", "-0+-/0000@0.0099,-0+-/0000@0.0099", *LIVE[4:])
    plain = result(capsys, "live", "foraging", "--rule", "-0+-/0000@0.0099", *LIVE[4:])
    assert (layered["rule"], layered["eta"]) == ("-0+-/0000,-0+-/0000", [0.0099, 0.0099])
    assert layered["digest"] == plain["digest"]


@pytest.mark.parametrize("agent", ["perfect", "random"])
def test_an_agent_without_a_network_has_no_hidden_neurons(agent: str, capsys: Captured) -> None:
    words = ["live", "foraging", "--agent", agent, "--season-steps", "300", "--lifetimes", "2"]
    assert result(capsys, *words)["hidden"] is None
    assert main(words) == 0
    assert "hidden neurons" not in capsys.readouterr().out
    assert "has no network" in refusal(capsys, *words, "--hidden", "5")


def test_one_lifetime_has_no_standard_error(capsys: Captured) -> None:
    answer = result(capsys, *LIVE[:6], "--lifetimes", "1")
    assert answer["fitness"]["sem"] is None
    assert answer["seasons"][0]["green"]["std"] is None


def test_a_person_gets_a_table(capsys: Captured) -> None:
    assert main(LIVE) == 0
    out, _ = capsys.readouterr()
    for words in (
        "foraging: rule 00+-/0000 (foraging:1), eta 0.0375",
        "summer 1",
        "winter 2",
        "walls",
        "95 % interval",
    ):
        assert words in out
    assert "season-steps 300" in out
    assert "Traceback" not in out


def test_nothing_is_minus_nothing() -> None:
    assert mean_and_std({"mean": -0.04, "std": 1.0}) == "0.0 (1.0)"
    assert mean_and_std({"mean": -0.06, "std": None}) == "-0.1"


def test_numbers_are_aligned_on_the_right(capsys: Captured) -> None:
    short = ["--season-steps", "50", "--lifetimes", "3"]
    assert main(["compare", "foraging", "foraging:1", "foraging:2", *short]) == 0
    assert main(["sweep", "foraging", "--rule", "foraging:1", "--over", "hidden=9:10:1", *short]) == 0
    lines = capsys.readouterr().out.splitlines()
    for title in ("fitness", "difference", "distinct neurons"):
        head = next(place for place, line in enumerate(lines) if title in line)
        end = lines[head].index(title) + len(title)
        assert all(line[end - 1].isdigit() and not line[end].strip() for line in lines[head + 2 : head + 3])
    assert "      9 " in next(line for line in lines if line.strip().startswith("9 "))


def test_global_options_may_stand_first(capsys: Captured) -> None:
    assert main(["--json", "-q", *LIVE]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["lifetimes"] == 5
    assert err == ""


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
@pytest.mark.parametrize("option", ["--plot", "--weights"])
def test_pictures(option: str, ending: str, tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / f"picture.{ending}"
    assert main([*LIVE, option, str(path)]) == 0
    start = path.read_bytes()
    assert start.startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[ending])
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert main([*LIVE, option, str(path)]) == 0
    assert path.read_bytes() == start


def test_the_curve_names_seasons_and_items(tmp_path: Path) -> None:
    path = tmp_path / "curve.svg"
    assert main([*LIVE, "--plot", str(path)]) == 0
    picture = path.read_text()
    for words in ("summer 1", "winter 2", "green items", "blue items", "wall hits", "00+-/0000 (foraging:1)"):
        assert words in picture


def test_networks_are_kept_and_live_on(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "grown.npz"
    kept = result(capsys, *LIVE, "--save", str(path))
    assert hb.Networks.load(path).hidden.shape == (5, 20, 7)
    # The summer's network lives on through another summer, frozen: its weights stay as they are.
    again = tmp_path / "again.npz"
    frozen = result(capsys, "live", "foraging", "--load", str(path), "--frozen", "--season-steps=99", f"--save={again}")
    assert (frozen["lifetimes"], frozen["hidden"], frozen["frozen"]) == (5, kept["hidden"], True)
    assert np.array_equal(hb.Networks.load(path).hidden, hb.Networks.load(again).hidden)
    plastic = result(capsys, "live", "foraging", "--load", str(path), *LIVE[2:6], f"--save={again}")
    assert plastic["lifetimes"] == 5
    assert not np.array_equal(hb.Networks.load(path).hidden, hb.Networks.load(again).hidden)


def test_a_loaded_newborn_lives_as_a_newborn(tmp_path: Path) -> None:
    path = tmp_path / "newborn.npz"
    life = hb.trace("foraging", "foraging:1", seed=7, season_steps=1, seasons=1)
    hb.Networks("foraging", life.hidden_weights[:1], life.output_weights[:1]).save(path)
    settings = {"rule": "foraging:1", "seed": 7, "season_steps": 400}
    assert hb.live(networks=path, **settings).digest == hb.live(lifetimes=1, **settings).digest


def test_networks_that_do_not_fit_are_refused(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "grown.npz"
    assert main([*LIVE, "--save", str(path)]) == 0
    capsys.readouterr()
    load = ["--load", str(path), "--frozen"]
    assert "the loaded networks have 20" in refusal(capsys, "live", "foraging", *load, "--hidden", "21")
    assert "the loaded networks have 5" in refusal(capsys, "live", "foraging", *load, "--lifetimes", "6")
    assert "have lived foraging" in refusal(capsys, "live", "prey-predator", *load)
    assert "are not recurrent" in refusal(capsys, "live", "foraging", *load, "--recurrent")
    again = tmp_path / "recurrent.npz"
    assert main([*LIVE, "--recurrent", "--save", str(again)]) == 0
    capsys.readouterr()
    assert "are recurrent: add --recurrent" in refusal(capsys, "live", "foraging", f"--load={again}", "--frozen")
    np.save(tmp_path / "array.npy", np.zeros(3))
    assert "does not hold networks" in refusal(capsys, *LIVE, "--load", str(tmp_path / "array.npy"))
    newer = tmp_path / "newer.npz"
    np.savez(newer, format=2, networks=np.zeros(3))
    assert "in format 2, but only format 1 can be read here." in refusal(capsys, *LIVE, "--load", str(newer))


@pytest.mark.parametrize("option", ["--plot", "--weights", "--save"])
def test_a_file_that_cannot_be_written_is_refused_before_living(option: str, tmp_path: Path, capsys: Captured) -> None:
    ending = "npz" if option == "--save" else "svg"
    # A life of a million million steps: had it begun, this test would never end.
    endless = ["live", "foraging", "--rule", "foraging:1", "--season-steps", "1000000000", "--seasons", "1000"]
    (tmp_path / "file").touch()
    (tmp_path / f"folder.{ending}").mkdir()
    for bad in (f"nowhere/a.{ending}", f"file/a.{ending}", f"folder.{ending}", "a.txt", "a\0b." + ending):
        assert "a" in refusal(capsys, *endless, option, str(tmp_path / bad))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", f"folder.{ending}"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--hidden", "1000000000000"], "would not fit in memory; the nearest that fits is"),
        (["--lifetimes", "1000000000000"], "would not fit in memory; the nearest that fits is"),
        (["--seed", str(2**63)], f"the nearest is {2**63 - 1}."),
        (["--threads", "0"], "the nearest is 1."),
        (["--green", "100000"], "the most that fit are"),
    ],
)
def test_what_cannot_be_lived_is_refused_at_once(words: list[str], expected: str, capsys: Captured) -> None:
    assert expected in refusal(capsys, "live", "foraging", "--rule", "foraging:1", *words)


def test_a_config_file_holds_any_option(tmp_path: Path, capsys: Captured) -> None:
    config = tmp_path / "life.toml"
    config.write_text(
        'rule = "-0+-/0000"\neta = 0.04\nseason_steps = 50\nseasons = 3\nturn-at-wall = false\njson = true\n'
    )
    assert main(["live", "foraging", "--config", str(config), "--seasons", "2", "--lifetimes", "2"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["rule"], answer["eta"], answer["steps"]) == ("-0+-/0000", 0.04, 2 * 2 * 50)
    assert answer["settings"] == {"season_steps": 50, "seasons": 2, "turn_at_wall": False}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("seasns = 3", "'seasns' in"),
        ("seasons = 2.5", "--seasons is '2.5', but must be a whole number."),
        ("seasons = [1, 2]", "--seasons is '1,2', but must be a whole number."),
        ("turn_at_wall = 3", "--turn-at-wall is '3', but must be yes or no."),
        ("[live]\nseasons = 3", "'live' in"),
        ("seasons = ", "is not valid TOML"),
    ],
)
def test_a_bad_config_file_is_explained(text: str, expected: str, tmp_path: Path, capsys: Captured) -> None:
    config = tmp_path / "life.toml"
    config.write_text(text)
    assert expected in refusal(capsys, *LIVE, "--config", str(config))


def test_near_misses_are_told_what_was_meant(capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lake.py").touch()
    assert "did you mean --rule=foraging:1?" in refusal(capsys, "live", "foraging", "foraging:1")
    assert "did you mean 00+-/0000@0.0375?" in refusal(capsys, "live", "foraging", "--rule", "00+-/0000@0,0375")
    assert "did you mean './lake.py'?" in refusal(capsys, "live", "lake", "--rule", "1")
