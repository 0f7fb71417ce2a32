"""The entry of the Space: reads the settings and serves the app, nothing else."""

import os
import sys

from shared.errors import BadInput, Refused
from space.config import read_settings
from space.hub.place import QUIET


def main() -> int:
    """Serve until the process is ended; exit code 2 names a bad setting."""
    try:
        settings = read_settings(os.environ)
    except BadInput as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    for name in QUIET:
        os.environ.setdefault(name, "1")
    from space.app import create_app
    from space.serving import serve

    try:
        app = create_app(settings)
    except Refused as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return serve(app, settings.host, settings.port)


if __name__ == "__main__":
    sys.exit(main())
