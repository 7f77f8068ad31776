"""It searches, resumes, and has its options."""

import json

from commands import printed

few = "evolve foraging --search climbing --rounds 30 --lifetimes 3 --season-steps 300 --rescore 2 --out run -q --json"
whole = json.loads(printed(few.split()))
assert whole["digest"] == json.loads(printed(few.split()))["digest"]
assert "Changes tried" in printed(["evolve", "foraging", "--help-all"])
