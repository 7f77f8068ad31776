"""An atlas in a file: read as it was saved, or refused with what is wrong with it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import hebbarium as hb
from attacks import files

sys.path.insert(0, str(Path(__file__).parent))
from invented import invented

CRAFTED = dict(files.crafts(files.atlas(), bomb=50_000_000))


def test_an_atlas_survives_its_file(tmp_path: Path) -> None:
    whole = invented()
    whole.save(tmp_path / "a.npz")
    loaded = hb.Atlas.load(tmp_path / "a.npz")
    assert files.contents(loaded).replace(b"'format': 1, ", b"") == files.contents(whole)
    assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]


def test_crafted_atlases_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    for what, data in CRAFTED.items():
        path.write_bytes(data)
        with pytest.raises(hb.BadInput, match=r"does not hold an atlas saved by hebbarium atlas|has format"):
            pytest.fail(f"{what}: {hb.Atlas.load(path)}")


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("mean with nan", "mean holds infinite numbers or nan"),
        ("lifetimes of type <f4", r"lifetimes is float32 \[1\], but has 8 bytes"),
        ("about with etas ['x']", "its etas are"),
        ("about with format -1.5", "has format -1.5, but this version reads 1"),
        ("a bomb", "would expand to"),
    ],
)
def test_an_atlas_says_what_is_wrong_with_it(what: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(CRAFTED[what])
    with pytest.raises(hb.BadInput, match=expected):
        hb.Atlas.load(tmp_path / "a.npz")
