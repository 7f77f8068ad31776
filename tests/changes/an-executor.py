"""Lives are the same in processes as in threads."""

import json

from commands import printed

if __name__ == "__main__":
    few = "live foraging --rule foraging:1 --lifetimes 6 --season-steps 500 --json"
    digests = {json.loads(printed([*few.split(), *more]))["digest"] for more in ([], ["--processes", "2"])}
    assert len(digests) == 1
