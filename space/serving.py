"""Serving the app until a signal ends it: what waits to be written is written first, then the mirrors are deleted."""

import asyncio
from socket import socket
from types import FrameType
from typing import Any, Final

import uvicorn
from fastapi import FastAPI

from space.requests.inbox import Inbox

FLUSH_S: Final = 10.0
INTERRUPTED: Final = 130
"""The exit code of whoever was told to end by Ctrl-C."""


def serve(app: FastAPI, host: str, port: int) -> int:
    """Serve `app`, as `create_app` made it, at `host` and `port` until a signal; return the exit code."""
    inbox: Inbox | None = app.state.inbox
    config = uvicorn.Config(app, host=host, port=port, log_level="warning", server_header=False)
    try:
        _Server(config, inbox).run()
    except KeyboardInterrupt:
        return INTERRUPTED  # What waited is written: the server has ended before the signal takes its own effect.
    finally:
        app.state.refresh.close()
    return 0


class _Server(uvicorn.Server):
    """A server that lets the inbox hurry as soon as it is told to end: requests under way wait for what is written."""

    def __init__(self, config: uvicorn.Config, inbox: Inbox | None) -> None:
        super().__init__(config)
        self._inbox = inbox

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        """End: answers under way, then what still waits to be written. Afterwards the signal takes its own effect."""
        await super().shutdown(sockets)
        if self._inbox is not None:
            await asyncio.to_thread(self._inbox.close, FLUSH_S)

    def handle_exit(self, sig: int, frame: FrameType | None) -> Any:
        """Begin to end."""
        if self._inbox is not None:
            self._inbox.close(0)
        return super().handle_exit(sig, frame)
