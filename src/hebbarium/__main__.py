"""`python -m hebbarium` is the command `hebbarium`."""

import sys

from hebbarium.cli import main

sys.exit(main())
