"""The command line: `python -m runner NOUN VERB ..`."""

import sys

from runner.cli.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
