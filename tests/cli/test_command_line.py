"""Words in, one plain sentence and an exit code out."""

from __future__ import annotations

import json

import pytest

from hebbarium import __version__
from hebbarium.cli import VERBS, main
from hebbarium.worlds.registry import WORLDS


def test_help_names_every_verb_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    places = [out.index(f"│ {verb} ") for verb in VERBS]
    assert places == sorted(places)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_and_refuses_what_it_does_not_know(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "--help"]) == 0
    out = capsys.readouterr().out
    commands = [[verb, task] for task in WORLDS] if all(task in out for task in WORLDS) else [[verb]]
    for command in commands:
        assert main([*command, "--help"]) == 0
        out = capsys.readouterr().out
        assert "--json" in out
        assert "--empty" not in out
        assert main([*command, "--qwertz", "1"]) == 2
        err = capsys.readouterr().err
        assert "--qwertz" in err
        assert err.count("\n") == 1


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == f"hebbarium {__version__}"


@pytest.mark.parametrize(
    "words", [["--rule", "-0+-/0000@0.04"], ["--rule=-0+-/0000@0.04"], ["--rule", "-0+-0000", "--eta", "0.04"]]
)
def test_a_rule_may_begin_with_a_minus(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["live", "foraging", *words, "--lifetimes", "1", "--season-steps", "9", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rule"] == "-0+-/0000"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("liv", "did you mean 'live'?"),
        ("live foragin", "did you mean 'foraging'?"),
        ("live --rule 3", "a task comes before '--rule'"),
        ("live foraging --seasns 1", "did you mean --seasons?"),
        ("live foraging --rule", "--rule needs a value."),
        ("live foraging --rule 00+", "has 3 entries, but needs 8"),
        ("live association --rule 00+-/0000", "needs an eta"),
        ("live foraging --rule -0+-/0000@2", "the nearest is 0.999"),
        ("compare foraging foraging:1 -0+-/0000@0.0099 --eta 0.03", "each has one: leave it out"),
        ("live foraging --rule 3 --eta 1", "the nearest is 0.999"),
        ("live foraging --rule 3 --eta nan", "not a number"),
        ("live foraging --rule 3 --eta many", "must be a number."),
        ("live foraging --rule 3 --eta 0.1 --lifetimes 0", "the nearest is 1."),
        ("live foraging --rule 3 --eta 0.1 --lifetimes 2.5", "must be a whole number."),
        ("live foraging --rule 3 --eta 0.1 --wall insid", "did you mean 'inside'?"),
        ("live foraging --rule 3 --seed 1 --seed 2", "--seed is given more than once."),
        ("live foraging --rule 3 more", "'more' is not expected here"),
        ("explain 00+-/0000 3", "'3' is not expected here"),
        ("live foraging --rule 3 --config nowhere.toml", "cannot read the config file 'nowhere.toml'"),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(words: str, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert expected in err
    assert err.startswith("hebbarium: ")
    assert err.count("\n") == 1
