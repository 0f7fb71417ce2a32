"""What a command prints, read through a pipe: the beginning is kept, the rest is counted and dropped, nothing reaches a disk.

A background program may hold a pipe long after its command has ended, so a pipe goes on being read until nobody writes to it or
the sandbox is closed: such a program neither waits nor gets a broken pipe. Imports no Harbor; called by `sandbox.py`.
"""

import asyncio
import fcntl
import os
import struct
import termios
from typing import Final

MAX_OUTPUT_BYTES: Final = 16 * 1024 * 1024
"""Of a command's output this much is kept, from its beginning."""
_PIECE: Final = 1 << 16


class Outlet:
    """A pipe that is read as long as somebody writes to it."""

    def __init__(self, limit: int = MAX_OUTPUT_BYTES) -> None:
        self._read_end, self.write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        self._limit = limit
        self._kept = bytearray()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._read_end, self._read)

    @property
    def is_open(self) -> bool:
        """Tell whether somebody may still write."""
        return self._read_end >= 0

    def hand_over(self) -> None:
        """Close our end for writing, once the program that writes has its own."""
        if self.write_end >= 0:
            os.close(self.write_end)
            self.write_end = -1

    def take(self) -> bytes:
        """Return the beginning of all that was written until now; what comes later is dropped."""
        waiting = self._waiting()
        while waiting > 0 and (read := self._read()):
            waiting -= read
        taken, self._kept, self._limit = bytes(self._kept), bytearray(), 0
        return taken

    def close(self) -> None:
        """Stop reading; a second call does nothing."""
        self.hand_over()
        if self.is_open:
            self._loop.remove_reader(self._read_end)
            os.close(self._read_end)
            self._read_end = -1

    def _waiting(self) -> int:
        if not self.is_open:
            return 0
        (count,) = struct.unpack("i", fcntl.ioctl(self._read_end, termios.FIONREAD, b"\0" * 4))
        return int(count)

    def _read(self) -> int:
        try:
            piece = os.read(self._read_end, _PIECE)
        except BlockingIOError:
            return 0
        if not piece:
            self.close()
        self._kept += piece[: self._limit - len(self._kept)]
        return len(piece)
