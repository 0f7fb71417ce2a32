"""The command line: `python -m runner NOUN VERB ..`."""

import os
import sys

INTERRUPTED = 130


def run() -> int:
    """Run the command; an interrupt while modules still load is told like any other."""
    try:
        from runner.cli.main import main

        return main(sys.argv[1:])
    except KeyboardInterrupt:
        sys.stderr.write("interrupted before anything was done\n")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output is gone; what was asked for is done. Python must not complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    code = run()
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
