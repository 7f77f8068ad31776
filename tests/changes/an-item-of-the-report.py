"""It is listed, run, and on the page."""

from pathlib import Path

from commands import printed

assert "spread" in printed(["reproduce", "--list"])
printed(["reproduce", "spread", "--out", "run", "-q"])
assert "The worst life scores" in Path("run/report.html").read_text(encoding="utf-8")
