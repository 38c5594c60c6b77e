"""A node of the real program, with a database of its own."""

from __future__ import annotations

import os
import pathlib
import re
import signal
import socket
import subprocess
import threading
import time
from typing import Any, Callable, List, Optional

from holdfast import AsyncHoldfast, Holdfast

BINARY = os.environ.get("HOLDFAST_BINARY", "")
START_SECONDS = 120.0
STOP_SECONDS = 60.0
SECONDS = 60.0  # No test waits so long, unless it fails.


def wait_until(condition: Callable[[], Any]) -> Any:
    """For what other programs do, of which no event tells."""
    until = time.monotonic() + SECONDS
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < until, "the condition was not met in time"
        time.sleep(0.05)


def held_port() -> socket.socket:
    """Holds a port that nobody else gets by chance; a node listens there all the same."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held


class RealNode:
    """Begins stopped; `start` waits until it serves requests. The port stays the same."""

    def __init__(self, directory: pathlib.Path, *settings: str) -> None:
        """`settings`: further options of the node, each as `key=value`."""
        self.directory = directory
        self._settings = [word for one in settings for word in ("--set", one)]
        self._held = held_port()
        self.port = int(self._held.getsockname()[1])
        self._process: Optional["subprocess.Popen[str]"] = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        return (self.directory / "admin.token").read_text().strip()

    def client(self, **settings: Any) -> Holdfast:
        return Holdfast(self.url, self.token, **settings)

    def async_client(self, **settings: Any) -> AsyncHoldfast:
        return AsyncHoldfast(self.url, self.token, **settings)

    def start(self) -> None:
        command = [
            BINARY,
            "node",
            "--data-dir",
            str(self.directory),
            "--port",
            "0",
            "--set",
            f"http.port={self.port}",
            *self._settings,
        ]
        # The program takes every variable HOLDFAST_* for an option.
        environment = {
            name: text for name, text in os.environ.items() if not name.startswith("HOLDFAST_")
        }
        with open(self.directory.parent / "node.log", "a") as log:
            self._process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, env=environment, text=True
            )
        lines: List[str] = []
        ready = threading.Event()
        threading.Thread(target=self._read, args=(self._process, lines, ready), daemon=True).start()
        ready.wait(START_SECONDS)
        found = re.search(r"^ready pid=\d+ .*http=(\d+)$", "\n".join(lines), re.MULTILINE)
        assert found and int(found.group(1)) == self.port, (
            f"the node did not start: {lines}\n{self.log_tail()}"
        )

    def signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        assert self._process is not None
        self._process.wait(STOP_SECONDS)

    def stop(self) -> int:
        assert self._process is not None
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise

    def log_tail(self) -> str:
        return (self.directory.parent / "node.log").read_text()[-4000:]

    @staticmethod
    def _read(process: Any, lines: List[str], ready: threading.Event) -> None:
        for line in process.stdout:
            lines.append(line.rstrip())
            if line.startswith("ready "):
                ready.set()
        ready.set()
