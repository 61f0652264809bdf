"""Links between the documents: each must lead to a file, and each anchor to a heading in it."""

import re
import urllib.parse
from pathlib import Path

from pages import ROOT, linked_files

_LINK = re.compile(r"(?<!!)\[(?:[^\[\]]|\[[^\]]*\])*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$")
_ANCHOR = re.compile(r"<a\s+(?:id|name)=\"([^\"]+)\"")


def _without_code(text: str) -> str:
    text = re.sub(r"^(\s*)(```+).*?^\s*\2\s*$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)


def slug(heading: str, separator: str = "-") -> str:
    """A heading's anchor as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", separator)


def anchors(path: Path) -> set[str]:
    """The anchors of a page, made from its headings as GitHub makes them."""
    found: set[str] = set()
    text = _without_code(path.read_text(encoding="utf-8"))
    for line in text.splitlines():
        heading = _HEADING.match(line)
        if not heading:
            continue
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).replace("`", "").replace("*", "")
        name, number = slug(words), 0
        while name in found:
            number += 1
            name = f"{slug(words)}-{number}"
        found.add(name)
    return found | set(_ANCHOR.findall(text))


def dead_links(files: list[Path] | None = None) -> list[str]:
    """One line for each link inside the repository that leads nowhere."""
    known: dict[Path, set[str]] = {}
    problems = []
    for path in linked_files() if files is None else files:
        text = re.sub(r"`[^`\n]*`", "", _without_code(path.read_text(encoding="utf-8")))
        for target in _LINK.findall(text):
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            place, _, anchor = target.partition("#")
            goal = (path.parent / urllib.parse.unquote(place)).resolve() if place else path
            where = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
            if not goal.exists():
                problems.append(f"{where}: {target}: there is no such file")
            elif anchor and goal.suffix == ".md":
                if goal not in known:
                    known[goal] = anchors(goal)
                if anchor not in known[goal]:
                    problems.append(f"{where}: {target}: there is no such heading")
    return problems
