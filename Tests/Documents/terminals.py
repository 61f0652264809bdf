"""Shells in pseudo-terminals of 80 columns, which type what a person would type and keep what was printed."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

_DONE = re.compile(rb"\x1b\]133;D;(\d+)\x07")
_CONTROL = re.compile(r"\x1b\][^\x07]*\x07|\x1b\[[0-9;?]*[A-Za-z]")
SHELL = ("/bin/bash", "--norc", "--noprofile", "--noediting", "-i")
SAME = "\0"  # an answer: what was typed last
QUIET = 0.25  # seconds without output after which a line without an end is taken for a question


class Terminal:
    """One shell. `answers` are pairs of a pattern and what to type when the last line, still without an end, matches it.

    `words` is the command that becomes the shell, whose prompt is `prompt`."""

    def __init__(self, environment: dict[str, str], folder: str, answers: list[tuple[re.Pattern, str]], words=SHELL, prompt: str = "$ "):
        self.answers = answers
        self.prompt = prompt
        self.output = b""
        self._asked_from = 0
        self._typed = ""
        self._last = time.monotonic()
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(words[0], list(words), environment)
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def type(self, text: str) -> None:
        os.write(self.descriptor, text.encode())

    def pump(self, seconds: float) -> None:
        """Reads what is there, and answers a question."""
        ready, _, _ = select.select([self.descriptor], [], [], seconds)
        if ready:
            try:
                piece = os.read(self.descriptor, 65536)
            except OSError:
                return
            self.output += piece
            self._last = time.monotonic()
            return
        if time.monotonic() - self._last < QUIET:
            return
        tail = self.output[self._asked_from :].rsplit(b"\n", 1)[-1]
        line = clean(tail)
        if not line.strip() or line.endswith(self.prompt):
            return
        for pattern, answer in self.answers:
            if pattern.search(line):
                self._asked_from = len(self.output)
                self._last = time.monotonic()
                self._typed = self._typed if answer == SAME else answer
                self.type(self._typed + "\n")
                return

    def ended(self, start: int) -> int | None:
        """The exit code of the command whose output began at `start`, once it has ended."""
        done = _DONE.search(self.output, start)
        return int(done[1]) if done else None

    def close(self) -> None:
        """Ends what runs here, then the shell. Only processes of this terminal's own session are signalled."""
        for _ in range(2):
            try:
                os.write(self.descriptor, b"\x03")
                self.pump(0.3)
            except OSError:
                break
        try:
            os.write(self.descriptor, b"\x04exit\n")
        except OSError:
            pass
        for attempt in range(50):
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                break
            if attempt == 40:
                os.killpg(self.pid, signal.SIGKILL)
            try:
                self.pump(0.1)
            except OSError:
                pass
        os.close(self.descriptor)


def clean(output: bytes) -> str:
    """The text of a terminal's output, without control sequences."""
    return _CONTROL.sub("", output.decode("utf-8", "replace")).replace("\r", "")


def pump(terminals: list[Terminal], seconds: float) -> None:
    """Reads from all terminals what is there, or comes within the time from one of them."""
    select.select([terminal.descriptor for terminal in terminals], [], [], seconds)
    for terminal in terminals:
        terminal.pump(0)


def wait(terminals: list[Terminal], ready, seconds: float) -> None:
    """Reads from all terminals until `ready()`."""
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise TimeoutError
        pump(terminals, 0.03)
