#!/usr/bin/env python3
"""Plays the blocks of a document that are marked `run`, in order, against a server of its own, with a home folder of its own.

    sessions.py [--update] [--transcript] PAGE...      SEALRING names the program; default .build/debug/sealring

What a `console` block shows must be what comes, apart from identifiers, times and the like; --update writes down what came.
--transcript compares all of it with the one kept in docs/transcripts, or with --update keeps it there. Marks (docs/README.md describes them):

    <!-- run: NAME [terminal=T] [until=TEXT] [status=N] [on=PLACE] -->      <!-- output: NAME terminal=T -->
"""

import difflib
import re
import sys
import tempfile
import time
from pathlib import Path

from pages import ROOT, Block, blocks, commands
from places import Here
from terminals import SAME, Terminal, clean, pump, wait
from transcripts import of_sealring, steady

TRANSCRIPTS = ROOT / "docs/transcripts"
PATIENCE = 120
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
    (r"\[Y/n\] *$", "y"),
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
    (r"\(process \d+\)", "(process N)"),
]


def alike(line: str) -> str:
    for pattern, name in _VARIABLE:
        line = re.sub(pattern, name, line)
    return re.sub(r"\s+", " ", line).strip()


class Session:
    """The terminals of one document at one place."""

    def __init__(self, place):
        self.place = place
        self.terminals: dict[str, Terminal] = {}
        self.shown: dict[str, int] = {}
        self.transcript: list[str] = []

    def terminal(self, name: str) -> Terminal:
        if name not in self.terminals:
            answers = [(re.compile(pattern), answer) for pattern, answer in ANSWERS]
            words, environment, folder, prompt = self.place.shell(name)
            new = Terminal(environment, folder, answers, words, prompt)
            self.terminals[name] = new
            wait([new], lambda: new.output.endswith(prompt.encode()), 20)
            self.shown[name] = len(new.output)
        return self.terminals[name]

    def play(self, block: Block) -> list[str]:
        """Types the block's commands, and returns the lines that a reader would see."""
        name = block.options.get("terminal", "one")
        terminal = self.terminal(name)
        prompt = terminal.prompt
        start = self.shown[name]
        typed = commands(block) if block.mark == "run" else []
        for number, command in enumerate(typed, 1):
            # Only the last command of a block may go on.
            until = block.options.get("until") if number == len(typed) else None
            begun = len(terminal.output)
            first, *further = self.place.inside(command).split("\n")
            terminal.type(first + "\n")
            try:
                for line in further:
                    asked = len(terminal.output)
                    wait([terminal], lambda: terminal.output[asked:].endswith(b"\n> "), PATIENCE)
                    terminal.type(line + "\n")
                if until:
                    ready = lambda: until in clean(terminal.output[begun:]) or terminal.ended(begun) is not None
                else:
                    ready = lambda: terminal.ended(begun) is not None and terminal.output.endswith(prompt.encode())
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
            end -= len(prompt)
        self.shown[name] = len(terminal.output)
        text = (prompt if block.mark == "run" else "") + self.place.outside(clean(terminal.output[start:end]))
        lines = [line.rstrip() for line in text.strip("\n").split("\n")]
        if lines and lines[-1] == prompt.strip():
            lines.pop()
        if any(command.startswith("apt ") for command in typed):
            lines = of_sealring(lines)
        self.transcript += [f"--- {block.heading} ({name})", *lines, ""]
        return lines

    def _settle(self) -> None:
        """Takes in what comes a moment later, such as the rest of a line."""
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            pump(list(self.terminals.values()), 0.03)

    def close(self) -> None:
        for terminal in self.terminals.values():
            terminal.close()


def play(page: Path, update: bool = False, transcript: str | None = None, place=None) -> list[str]:
    """Plays a page here, or at a place; returns what differs from what it shows, and from the kept transcript of that name."""
    with tempfile.TemporaryDirectory(prefix="sealring-docs") as folder:
        session = Session(place or Here(Path(folder)))
        try:
            problems = _play(page, session, update, everywhere=transcript is not None)
        finally:
            session.close()
            if transcript and update:
                _written(transcript).parent.mkdir(exist_ok=True)
                _written(transcript).write_text("\n".join(steady(session.transcript)), encoding="utf-8")
    if transcript and not update and not problems:
        kept = _written(transcript).read_text(encoding="utf-8").split("\n")
        came = steady(session.transcript)
        if [alike(x) for x in kept] != [alike(x) for x in came]:
            change = difflib.unified_diff(kept, came, "kept", "printed", lineterm="")
            problems.append(f"docs/transcripts/{transcript}.txt is not what is printed:\n" + "\n".join(change))
    return problems


def _written(transcript: str) -> Path:
    return TRANSCRIPTS / f"{transcript}.txt"


def _play(page: Path, session: Session, update: bool, everywhere: bool) -> list[str]:
    """80 columns hold in `console` blocks, and `everywhere` in what a transcript keeps."""
    problems: list[str] = []
    text = page.read_text(encoding="utf-8").splitlines()
    moved = 0
    for block in blocks(page):
        if block.mark not in ("run", "output") or block.options.get("on", session.place.name) != session.place.name:
            continue
        lines = session.play(block)
        console = block.language == "console"
        wide = [line for line in lines if len(line) > 80 and (console or not line.startswith(("$ ", "# ", "> ")))]
        if console or everywhere:
            problems += [f"{block.place}: wider than 80 columns: {line}" for line in wide]
        if console and [alike(x) for x in lines] != [alike(x) for x in block.lines]:
            if update:
                text[block.first + 1 + moved : block.last + moved] = lines
                moved += len(lines) - len(block.lines)
            else:
                change = difflib.unified_diff(block.lines, lines, "shown", "printed", lineterm="")
                problems.append(f"{block.place}: prints something else:\n" + "\n".join(change))
    if update:
        page.write_text("\n".join(text) + "\n", encoding="utf-8")
    return problems


def main() -> int:
    words = sys.argv[1:]
    found = []
    for name in [w for w in words if not w.startswith("--")]:
        found += play(ROOT / name, "--update" in words, Path(name).stem if "--transcript" in words else None)
    print("\n".join(found) if found else "What the pages show is what comes.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
