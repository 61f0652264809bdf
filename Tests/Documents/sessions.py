#!/usr/bin/env python3
"""Plays the blocks of a document that are marked `run`, in order, against a server of its own, with a home folder of its own.

    sessions.py [--update] [--transcript] PAGE...      SEALRING names the program; default .build/debug/sealring

What a `console` block shows must be what comes, apart from identifiers, times and the like; --update writes down what came.
--transcript keeps all of it in docs/transcripts. Marks (docs/README.md describes them):

    <!-- run: NAME [terminal=T] [until=TEXT] [status=N] -->      <!-- output: NAME terminal=T -->
"""

import difflib
import os
import re
import socket
import sys
import tempfile
from pathlib import Path

from pages import ROOT, Block, blocks, commands
from terminals import SAME, Terminal, clean, wait

TRANSCRIPTS = ROOT / "docs/transcripts"
PATIENCE = 45
PASSWORD = "correct horse battery staple"
PIN = "739146"

# What a person answers. The first that fits counts.
ANSWERS = [
    (r"(?i)\b(again|repeat)\b.*: *$", SAME),
    (r"(?i)password for mira|mira's.*password|(?<!admin )password.*[:?] *$", PASSWORD),
    (r"(?i)\bPIN\b.*[:?] *$", PIN),
    (r"(?i)^(approve|sign|delete|continue|go on|replace)\b.*\((y|yes)\b.*\).*[:?] *$", "y"),
    (r"(?i)\(y(es)?/n(o)?\)", "y"),
    (r"(?i)approve.*: *$", "y"),
]

# What differs from run to run.
_VARIABLE = [
    (r"\b(?:[0-9A-Z]{4}-){3}[0-9A-Z]{4}\b", "RECOVERY-CODE"),
    (r"^Bound \S+ to ", "Bound DEVICE to "),
    (r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}", "ID"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( ?(Z|UTC|[+-]\d\d:?\d\d))?", "TIME"),
    (r"\d{8} \d\d:\d\d:\d\d", "TIME"),
    (r"/[^\s]*/(home|work)\b", "HOME"),
    (r"(?i)\b\d+(\.\d+)? (milliseconds?|seconds?|secs?|minutes?|ms|s|bytes|KiB)\b(?: \d+ (seconds?|minutes?)\b)?", "N UNITS"),
    (r"[0-9A-Za-z_+/=-]{20,}", "TOKEN"),
    (r"\b[0-9A-Fa-f]{8,}…?", "HEX"),
    (r"[0-9A-Za-z_-]{6,}…", "TOKEN"),
    (r"\d+\.\d+\.\d+\b", "VERSION"),
]


def alike(line: str) -> str:
    for pattern, name in _VARIABLE:
        line = re.sub(pattern, name, line)
    return re.sub(r"\s+", " ", line).strip()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Session:
    """The terminals, the folder and the server's port of one document."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.port, self.tls_port = free_port(), free_port()
        self.terminals: dict[str, Terminal] = {}
        self.shown: dict[str, int] = {}
        self.transcript: list[str] = []
        for name in ("home", "work", "bin"):
            (folder / name).mkdir()
        program = Path(os.environ.get("SEALRING") or ROOT / ".build/debug/sealring").resolve()
        (folder / "bin/sealring").symlink_to(program)
        self.environment = {
            "HOME": str(folder / "home"), "XDG_DATA_HOME": f"{folder}/home/.local/share", "XDG_CONFIG_HOME": f"{folder}/home/.config",
            "XDG_STATE_HOME": f"{folder}/home/.local/state", "PATH": f"{folder}/bin:{os.environ['PATH']}", "TERM": "dumb", "LANG": "C.UTF-8", "TZ": "UTC",
            "PS1": "$ ", "PS2": "> ", "PROMPT_COMMAND": r"printf '\033]133;D;%s\007' $?", "COLUMNS": "80", "LINES": "24",
            "HISTFILE": "/dev/null", "BASH_SILENCE_DEPRECATION_WARNING": "1", "SEALRING_TCTI": "device:/nonexistent",
            "SEALRING_SERVER": f"http://127.0.0.1:{self.port}/am", "SEALRING_SERVE_PORT": str(self.port), "SEALRING_SOURCE": str(ROOT),
        }  # fmt: skip

    def terminal(self, name: str) -> Terminal:
        if name not in self.terminals:
            answers = [(re.compile(pattern), answer) for pattern, answer in ANSWERS]
            new = Terminal(self.environment, str(self.folder / "work"), answers)
            self.terminals[name] = new
            wait([new], lambda: new.output.endswith(b"$ "), 20)
            self.shown[name] = len(new.output)
        return self.terminals[name]

    def play(self, block: Block) -> list[str]:
        """Types the block's commands, and returns the lines that a reader would see."""
        name = block.options.get("terminal", "one")
        terminal = self.terminal(name)
        start = self.shown[name]
        typed = commands(block) if block.mark == "run" else []
        for number, command in enumerate(typed, 1):
            # Only the last command of a block may go on.
            until = block.options.get("until") if number == len(typed) else None
            begun = len(terminal.output)
            first, *further = self.inside(command).split("\n")
            terminal.type(first + "\n")
            try:
                for line in further:
                    asked = len(terminal.output)
                    wait([terminal], lambda: terminal.output[asked:].endswith(b"\n> "), PATIENCE)
                    terminal.type(line + "\n")
                if until:
                    ready = lambda: until in clean(terminal.output[begun:]) or terminal.ended(begun) is not None
                else:
                    ready = lambda: terminal.ended(begun) is not None and terminal.output.endswith(b"$ ")
                wait(list(self.terminals.values()), ready, PATIENCE)
            except TimeoutError:
                raise AssertionError(f"{block.place}: `{command}` did not end:\n{clean(terminal.output[begun:])}") from None
            status = terminal.ended(begun)
            wanted = int(block.options.get("status", 0))
            if (until and status is not None) or (not until and status != wanted):
                raise AssertionError(f"{block.place}: `{command}` ended with {status}:\n{clean(terminal.output[begun:])}")
        if block.mark == "output":
            try:
                wanted_text = block.options.get("until", "")
                wait(list(self.terminals.values()), lambda: wanted_text in clean(terminal.output[start:]), PATIENCE)
            except TimeoutError:
                raise AssertionError(f"{block.place}: not printed: {wanted_text}\n{clean(terminal.output[start:])}") from None
        self._settle()
        end = len(terminal.output)
        if "until" not in block.options and block.mark == "run":
            end -= len(b"$ ")
        self.shown[name] = len(terminal.output)
        text = ("$ " if block.mark == "run" else "") + self.outside(clean(terminal.output[start:end]))
        lines = [line.rstrip() for line in text.strip("\n").split("\n")]
        if lines and lines[-1] == "$":
            lines.pop()
        self.transcript += [f"--- {block.place} ({name})", *lines, ""]
        return lines

    def _settle(self) -> None:
        for _ in range(10):
            for terminal in self.terminals.values():
                terminal.pump(0.03)

    def inside(self, text: str) -> str:
        """A page's command with the ports of this session, which nobody else has."""
        for name in ("127.0.0.1", "localhost"):
            text = text.replace(f"{name}:8080", f"{name}:{self.port}").replace(f"{name}:8443", f"{name}:{self.tls_port}")
        return text.replace("--port 8443", f"--port {self.tls_port}")

    def outside(self, text: str) -> str:
        for port, printed in ((self.port, "8080"), (self.tls_port, "8443")):
            text = re.sub(rf"(?<=[:=\s]){port}\b", printed, text)
        for place, name in ((self.folder / "home", "/home/you"), (self.folder / "work", "/home/you/work"), (ROOT, "/home/you/sealring")):
            text = text.replace(str(place), name)
        return text

    def close(self) -> None:
        for terminal in self.terminals.values():
            terminal.close()


def play(page: Path, update: bool = False, transcript: bool = False) -> list[str]:
    """Plays a page; returns what differs from what it shows."""
    problems: list[str] = []
    text = page.read_text(encoding="utf-8").splitlines()
    moved = 0
    with tempfile.TemporaryDirectory(prefix="sealring-docs") as folder:
        session = Session(Path(folder))
        try:
            for block in blocks(page):
                if block.mark not in ("run", "output"):
                    continue
                lines = session.play(block)
                wide = [line for line in lines if len(line) > 80]
                if block.language == "console":
                    problems += [f"{block.place}: wider than 80 columns: {line}" for line in wide]
                    if [alike(x) for x in lines] != [alike(x) for x in block.lines]:
                        if update:
                            text[block.first + 1 + moved : block.last + moved] = lines
                            moved += len(lines) - len(block.lines)
                        else:
                            change = difflib.unified_diff(block.lines, lines, "shown", "printed", lineterm="")
                            problems.append(f"{block.place}: prints something else:\n" + "\n".join(change))
        finally:
            session.close()
            if transcript:
                TRANSCRIPTS.mkdir(exist_ok=True)
                (TRANSCRIPTS / f"{page.stem}.txt").write_text("\n".join(session.transcript), encoding="utf-8")
    if update:
        page.write_text("\n".join(text) + "\n", encoding="utf-8")
    return problems


def main() -> int:
    words = sys.argv[1:]
    found = []
    for name in [w for w in words if not w.startswith("--")]:
        found += play(ROOT / name, "--update" in words, "--transcript" in words)
    print("\n".join(found) if found else "What the pages show is what comes.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
