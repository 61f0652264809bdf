"""The documents of this repository: which there are, and the code blocks in them with the marks that say how each is run."""

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOTS = "root"  # how the terminals of a machine's root are called; their prompt is another
SHELL = {"", "sh", "bash", "shell", "console"}

_FENCE = re.compile(r"^(\s*)(```+)\s*(\S*)")
_MARK = re.compile(r"^\s*<!--\s*(run|output|tested by|not run|no commands)(?::\s*(.*?))?\s*-->\s*$")
# What makes a block without a language one of commands, not a diagram or a file.
_COMMAND = re.compile(r"^\s*(\$ |sealring\b|swift \w|scripts/|curl |swtpm|apt |apt-get |systemctl |export |openssl |tar |podman |sqlite3 )")


@dataclass
class Block:
    """A fenced code block; `first` and `last` are the indices of its fences' lines."""

    path: Path
    first: int
    last: int
    language: str
    lines: list[str]
    mark: str | None = None
    session: str = ""
    options: dict[str, str] = field(default_factory=dict)
    heading: str = ""

    @property
    def place(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.first + 1}"

    @property
    def is_shell(self) -> bool:
        if self.language in SHELL - {""}:
            return True
        return self.language == "" and any(_COMMAND.match(line) for line in self.lines)


def marked_files() -> list[Path]:
    """The files whose blocks of commands need a mark."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def linked_files() -> list[Path]:
    """The files whose links are followed."""
    folders = [ROOT / "docs", ROOT / "Sources", ROOT / "Examples", ROOT / "Tests"]
    found = [p for folder in folders for p in folder.rglob("*.md") if ".build" not in p.parts]
    return sorted([*ROOT.glob("*.md"), *found])


def blocks(path: Path, text: str | None = None) -> list[Block]:
    lines = (path.read_text(encoding="utf-8") if text is None else text).splitlines()
    found, opened, heading = [], None, ""
    for index, line in enumerate(lines):
        fence = _FENCE.match(line)
        if opened is None and fence:
            opened = (index, fence[2], fence[3], len(fence[1]))
        elif opened and line.strip() == opened[1]:
            first, _, language, indent = opened
            block = Block(path, first, index, language, [x[indent:] for x in lines[first + 1 : index]], heading=heading)
            mark = _MARK.match(lines[first - 1]) if first else None
            if mark:
                block.mark = mark[1]
                words = shlex.split(mark[2] or "") if mark[1] in ("run", "output") else [mark[2] or ""]
                block.session = words[0] if words else ""
                block.options = dict(word.partition("=")[::2] for word in words[1:])
            found.append(block)
            opened = None
        elif opened is None and line.startswith("#"):
            heading = line.lstrip("# ")
    return found


def commands(block: Block) -> list[str]:
    """The commands of a block: in a `console` block those after the prompt (and `> ` for further lines), otherwise each line."""
    prompt = "# " if block.options.get("terminal", "").startswith(ROOTS) else "$ "
    result: list[str] = []
    more = False
    for line in block.lines:
        if block.language == "console":
            if line.startswith(prompt):
                result.append(line[2:])
            elif result and line.startswith("> "):
                result[-1] += "\n" + line[2:]
            else:
                continue
        elif more:
            result[-1] += "\n" + line
        elif line.strip() and not line.lstrip().startswith("#"):
            result.append(line)
        else:
            continue
        more = result[-1].endswith("\\")
    return result
