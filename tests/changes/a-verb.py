"""It lives with every option of world and brain."""

import json

from commands import printed

few = "spread t-maze --rule 00+-/0000 --eta 0.1 --lifetimes 8 --season-steps 100 --arm 2 --hidden-bias none --json"
quartiles = json.loads(printed(few.split()))["quartiles"]
assert quartiles == sorted(quartiles)
assert "spread" in printed(["--help"])
