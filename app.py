"""The entry of the Space: reads the settings and serves the app, nothing else."""

import os
import sys

import uvicorn

from shared.errors import BadInput
from space.config import read_settings


def main() -> int:
    """Serve until the process is ended; exit code 2 names a bad setting."""
    try:
        settings = read_settings(os.environ)
    except BadInput as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    from space.app import create_app

    app = create_app(settings)
    try:
        uvicorn.run(app, host=settings.host, port=settings.port, log_level="warning", server_header=False)
    finally:
        app.state.refresh.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
