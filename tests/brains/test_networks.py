"""Networks from elsewhere: what cannot be lived is refused before it is read, in whatever way it is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hebbarium as hb
from attacks import files
from hebbarium.tools.npz import reading

CRAFTED = dict(files.crafts(files.networks(), bomb=100_000_000))


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    grown = hb.live("foraging", "foraging:1", lifetimes=2, season_steps=9, keep_networks=True).networks
    assert grown is not None
    grown.save(tmp_path / "a.npz")
    loaded = hb.Networks.load(tmp_path / "a.npz")
    assert files.contents(loaded) == files.contents(grown)
    assert loaded.hidden.flags.writeable


@pytest.mark.parametrize("what", CRAFTED)
def test_crafted_files_are_refused(what: str, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(CRAFTED[what])
    with pytest.raises(hb.BadInput, match="does not hold networks saved by hebbarium live --save"):
        hb.Networks.load(path)


def test_a_file_says_what_is_wrong_with_it(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    for what, expected in (
        ("a bomb", "its .* bytes would expand to 100,0.*"),
        ("hidden with nan", "hidden holds infinite numbers or nan"),
        ("hidden reversed", r"hidden and output are float64 \[7, 20, 2, 1\]"),
        ("task of shape (7,)", r"task is float64 \[7\], but has 8 bytes"),
        ("no deflated data", "--save[.]"),
    ):
        path.write_bytes(CRAFTED[what])
        with pytest.raises(hb.BadInput, match=expected):
            hb.Networks.load(path)


def test_what_numpy_writes_is_read(tmp_path: Path) -> None:
    arrays = {
        "a": np.arange(6.0).reshape(2, 3),
        "b": np.asfortranarray(np.eye(3)),
        "c": np.array(7),
        "d": np.array("é€"),
    }
    arrays["e"] = np.arange(4, dtype=">i2")
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "a.npz", **arrays)
        with reading(tmp_path / "a.npz", "arrays", "us") as file:
            assert all(np.array_equal(file.read(name), arrays[name]) for name in "abe")
            assert (file.number("c"), file.text("d", 2)) == (7, "é€")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"hidden": np.full((1, 20, 7), np.nan)}, "infinite or not a number"),
        ({"output": np.full((1, 3, 21), np.inf)}, "infinite or not a number"),
        ({"hidden": np.zeros((1, 20))}, r"float64 \[1, 20\]"),
        ({"hidden": np.zeros((2, 20, 7))}, r"float64 \[2, 20, 7\] and float64 \[1, 3, 21\]"),
        ({"hidden": np.zeros((1, 20, 7), int)}, "must be float64"),
        ({"hidden": [[[0.0]]]}, "hidden of the networks is"),
        ({"task": 3}, "task of the networks is 3"),
        ({"task": "a\x1b[2J"}, r"have lived a\\x1b\[2J, but"),
    ],
)
@pytest.mark.parametrize("verb", [hb.live, hb.trace])
def test_networks_made_in_python_are_checked(verb: Any, change: dict[str, Any], expected: str) -> None:
    good = {"task": "foraging", "hidden": np.zeros((1, 20, 7)), "output": np.zeros((1, 3, 21))}
    verb("foraging", "foraging:1", networks=hb.Networks(*good.values()), season_steps=9)
    with pytest.raises(hb.BadInput, match=expected):
        verb("foraging", "foraging:1", networks=hb.Networks(*(good | change).values()), season_steps=9)


def test_nothing_is_expanded_before_it_is_checked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(CRAFTED["a bomb"])
    monkeypatch.setattr(np, "empty", None)  # with which an array would be made
    with pytest.raises(hb.BadInput, match="would expand"):
        hb.Networks.load(tmp_path / "a.npz")


def test_distinct_neurons_are_counted_bit_for_bit() -> None:
    from hebbarium.brains.network_files import distinct_in_each, distinct_rows

    hidden = np.random.default_rng(1).integers(0, 3, (200, 3, 5)).astype(float)
    hidden[0] = 1.0
    hidden[1, :, :] = [[0.0, -0.0, 0.0, 1.0, 1.0]] * 3  # -0.0 has other bits
    found = distinct_in_each(hidden)
    assert found.tolist() == [distinct_rows(weights.T) for weights in hidden]
    assert (found[0], found[1]) == (1, 3)
    assert {3, 4, 5} <= set(found.tolist())
