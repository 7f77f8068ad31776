"""JSON as it is stored: exact, without spaces, without NaN."""

from __future__ import annotations

import json
from typing import Any, NoReturn


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


# Made once: json.dumps and json.loads make one for each call with options, which takes longer than a short text.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
_decode = json.JSONDecoder(parse_constant=_refuse).decode


def dump(value: Any) -> str:
    """Python writes floats so that they are read back exactly; NaN and infinity raise ValueError."""
    return _encode(value)


def load(text: str) -> Any:
    """Raises ValueError for anything that is not JSON."""
    try:
        return _decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
