"""Rules across worlds: what the scores are, how a study is kept and resumed, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hebbarium as hb
from hebbarium.cli import main
from hebbarium.studies.transfer import study
from hebbarium.studies.transfer.scores import Agents

Captured = pytest.CaptureFixture[str]
LAMP = str(Path(__file__).parents[2] / "worlds" / "lamp.py")
RULES = ("foraging:1", "frozen,000-/0000@0.03")
TASKS = (hb.make_world("t-maze", season_steps=200), hb.make_world("association", season_steps=200))
SMALL: dict[str, Any] = {"tasks": TASKS, "lifetimes": 6, "seed": 3, "budget": 80}


def test_scores_are_those_of_live_between_random_and_perfect() -> None:
    found = hb.transfer(*RULES, **{**SMALL, "budget": 0})
    for place, world in enumerate(TASKS):
        random, perfect = (
            hb.live_agent(world, name, lifetimes=6, seed=3).life_fitness.mean() for name in ("random", "perfect")
        )
        for rule, row in zip(RULES, found.cells, strict=True):
            one = row[place].as_found
            assert one is not None
            fitness = hb.live(world, rule, lifetimes=6, seed=3).life_fitness.mean()
            assert one.fitness.value == fitness
            assert one.score.value == pytest.approx((fitness - random) / (perfect - random))
            assert row[place].best is None


def test_agents_are_scored_beside_rules(tmp_path: Path, capsys: Captured) -> None:
    found = hb.transfer(RULES[0], agents=["perfect", "tabular"], step_size=1.0, out=tmp_path, **{**SMALL, "budget": 0})
    assert found.names[1:] == ["perfect agent", "tabular agent"]
    assert found.scores("as_found")[1] == pytest.approx(1.0)
    for place, world in enumerate(TASKS):
        one = found.cells[2][place].as_found
        alone = hb.live_agent(world, "tabular", step_size=1.0, lifetimes=6, seed=3)
        assert one is not None
        assert one.fitness.value == alone.life_fitness.mean()
    said = found.summary()
    assert [agent["agent"] for agent in said["agents"]] == ["perfect", "tabular"]
    assert said["agents"][1]["settings"]["step_size"] == 1.0
    assert len(said["rules"]) == 1
    assert "tabular agent" in (tmp_path / "transfer.html").read_text(encoding="utf-8")
    assert main(["transfer", "--agent", "tabular", "--tasks", "prey-predator", "--budget", "0"]) == 2
    assert "the nearest agent is linear" in capsys.readouterr().err


def test_the_agents_themselves_score_0_and_1_without_error() -> None:
    rng = np.random.default_rng(1)
    agents = Agents(random=rng.normal(-3, 2, 50), perfect=rng.normal(40, 5, 50))
    for fitness, score in ((agents.random, 0.0), (agents.perfect, 1.0)):
        estimate = agents.score(fitness)
        assert estimate.value == pytest.approx(score)
        assert estimate.error == pytest.approx(0, abs=1e-12)


def test_the_interval_of_a_score_is_that_of_a_bootstrap() -> None:
    rng = np.random.default_rng(2)
    random, perfect, fitness = rng.normal(0, 3, 200), rng.normal(50, 8, 200), rng.normal(30, 12, 200)
    drawn = rng.integers(0, 200, (4000, 200))
    resampled = ((fitness - random)[drawn].mean(axis=1)) / ((perfect - random)[drawn].mean(axis=1))
    estimate = Agents(random, perfect).score(fitness)
    assert (estimate.low, estimate.high) == pytest.approx(tuple(np.quantile(resampled, [0.025, 0.975])), abs=0.01)


def test_the_best_eta_is_scored_on_lives_of_its_own() -> None:
    found = hb.transfer("00+-/0000", **SMALL)
    for world, cell in zip(TASKS, found.cells[0], strict=True):
        assert cell.as_found is None
        assert cell.best is not None
        assert 0 < cell.searched <= 80
        assert cell.best.fitness.value == hb.live(world, cell.best.rule, lifetimes=6, seed=3).life_fitness.mean()


def test_a_study_is_resumed_and_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = hb.transfer(*RULES, **SMALL).summary()
    lived = study.run
    left = [3]

    def dies(*args: Any, **options: Any) -> Any:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        return lived(*args, **options)

    monkeypatch.setattr(study, "run", dies)
    with pytest.raises(KeyboardInterrupt):
        hb.transfer(RULES[0], out=tmp_path / "run", **{**SMALL, "tasks": TASKS[:1]})
    left[0] = 10**6
    hb.transfer(RULES[0], out=tmp_path / "run", **{**SMALL, "tasks": TASKS[:1]})
    assert hb.transfer(*RULES, out=tmp_path / "run", **SMALL).summary() == whole
    left[0] = 1  # nothing is lived again
    assert hb.transfer(*RULES, out=tmp_path / "run", **SMALL).summary() == whole
    with pytest.raises(hb.RunError, match="seed is 3 there and 4 here"):
        hb.transfer(*RULES, out=tmp_path / "run", **{**SMALL, "seed": 4})


def test_the_command(tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "run"
    words = ["transfer", *RULES, "--tasks", "t-maze", LAMP, "--lifetimes", "3", "--budget", "80", "--out", str(out)]
    assert main([*words, "--plot", str(tmp_path / "a.svg"), "-q"]) == 0
    shown = capsys.readouterr().out
    assert "own eta / best eta" in shown
    assert "lamp" in shown
    assert max(map(len, shown.splitlines()[:-1])) <= 80  # but for the path
    assert main([*words, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [task["task"] for task in answer["tasks"]] == ["t-maze", "lamp"]
    assert [rule["eta"] for rule in answer["rules"]] == [0.0375, [None, 0.03]]
    assert set(answer["rules"][0]["tasks"][1]["best"]["score"]) == {"mean", "low", "high"}
    page = (out / "transfer.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2
    assert "80 lifetimes at most" in page
    assert "etas from 0.0005 to 0.8, one over etas around its winner (up to 0.995)" in page
    assert "lamp" in (tmp_path / "a.svg").read_text(encoding="utf-8")
    found = words.index("--budget")
    assert main([*words[:found], "--budget", "0", "--out", str(tmp_path / "other"), "-q"]) == 0
    shown = capsys.readouterr().out
    assert "own eta" in shown
    assert "best eta" not in shown  # nor columns of dashes
    assert " - " not in shown


def test_the_brain_that_lived_is_named(tmp_path: Path, capsys: Captured) -> None:
    words = ["transfer", "foraging:1", "--tasks", "t-maze", "--lifetimes", "2", "--budget", "0", "--season-steps", "20"]
    words += ["--hidden", "3,2", "--recurrent", "--out", str(tmp_path / "run")]
    assert main([*words, "-q"]) == 0
    assert "2 lifetimes each, seed 1, hidden 3,2, recurrent\n" in capsys.readouterr().out
    assert "seed 1, hidden 3,2, recurrent." in (tmp_path / "run" / "transfer.html").read_text(encoding="utf-8")
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"] == {"hidden": [3, 2], "recurrent": True}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "a rule is missing"),
        (["--tasks", "t-maze", "foraging:1"], "before --tasks"),
        (["foraging:1", "--tasks", "t-maze", "t-maze"], "task t-maze is given twice"),
        (["foraging:1", "--tasks", "t-mase"], "did you mean 't-maze'?"),
        (["foraging:1", "--budget", "50"], "takes at least 78 lifetimes"),
        (["00+-/0000@0.1,00+-/0000@0.1", "--budget", "100"], "takes at least 400 lifetimes"),
        (["00+-/0000", "--budget", "0"], "needs an eta"),
        (["foraging:1", "foraging:1"], "is given twice"),
        (["foraging:1", "--lifetimes", "1"], "lifetimes is 1"),
        (["foraging:1", "--plot", "a.jpg"], ".svg"),
    ],
)
def test_bad_input_gets_a_sentence(words: list[str], sentence: str, capsys: Captured) -> None:
    assert main(["transfer", *words]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("tasks", ["foraging", [], 3, None, np.array([1, 2]), np.zeros((2, 0))])
def test_tasks_are_a_list_of_tasks(tasks: Any) -> None:
    with pytest.raises(hb.BadInput, match="task"):
        hb.transfer("foraging:1", tasks=tasks)


def test_a_world_without_a_perfect_agent_is_refused(tmp_path: Path) -> None:
    text = Path(LAMP).read_text(encoding="utf-8").replace("def choose(", "def chosen(").replace('"lamp"', '"dull"')
    (tmp_path / "dull.py").write_text(text, encoding="utf-8")
    with pytest.raises(hb.BadInput, match="dull has no perfect agent"):
        hb.transfer("foraging:1", tasks=[str(tmp_path / "dull.py")])
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed: pip install 'hebbarium[gym]'")
    with pytest.raises(hb.BadInput, match="CartPole-v1 has no perfect agent"):
        hb.transfer("foraging:1", tasks=[hb.GymTask("CartPole-v1")])
