"""What pages quote of the program: messages that its sources have, and the codes of failures."""

import re
from functools import cache

from pages import ROOT

SOURCES = ROOT / "Sources"
CODES = SOURCES / "Tools/ServerCommand/CommandFailure.swift"

_HOLE = "\x00"


def _without_holes(text: str) -> str:
    """The text of a literal with a mark where it has interpolations, which may hold literals themselves."""
    out, at = [], 0
    while at < len(text):
        if text.startswith("\\(", at):
            depth, at = 1, at + 2
            while at < len(text) and depth:
                depth += {"(": 1, ")": -1}.get(text[at], 0)
                at += 1
            out.append(_HOLE)
        elif text.startswith("\\\n", at):
            at += 2
            while at < len(text) and text[at] == " ":
                at += 1
        elif text[at] == "\\" and at + 1 < len(text):
            out.append({"n": "\n", "t": "\t"}.get(text[at + 1], text[at + 1]))
            at += 2
        else:
            out.append(text[at])
            at += 1
    return "".join(out)


def _literals(text: str) -> list[str]:
    """String literals of Swift, one that goes on after `+` as one."""
    found, at = [], 0
    while (start := text.find('"', at)) >= 0:
        line = text.rfind("\n", 0, start) + 1
        if "//" in text[line:start] and '"' not in text[line:start]:
            at = text.find("\n", start) % (len(text) + 1)
            continue
        mark = '"""' if text.startswith('"""', start) else '"'
        end, depth = start + len(mark), 0
        while end < len(text):
            if depth == 0 and text.startswith(mark, end):
                break
            if text.startswith("\\(", end):
                depth, end = depth + 1, end + 2
            elif text[end] == "\\":
                end += 2
            else:
                if depth:
                    depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
        literal = _without_holes(text[start + len(mark) : end])
        joined = found and re.fullmatch(r"\s*\+\s*", text[at:start])
        if joined:
            found[-1] += literal
        else:
            found.append(literal)
        at = end + len(mark)
    return found


@cache
def messages() -> tuple[str, ...]:
    """All that the sources may say."""
    found = []
    for path in SOURCES.rglob("*"):
        if path.suffix == ".swift":
            found += _literals(path.read_text(encoding="utf-8"))
        elif path.suffix in (".js", ".html", ".json"):
            found.append(path.read_text(encoding="utf-8"))
    return tuple(" ".join(text.split()) for text in found)


def is_said(quote: str) -> bool:
    """Whether one message has the quote; `…` stands for anything, such as what the program fills in."""
    parts = [" ".join(part.split()) for part in quote.split("…") if part.strip()]
    wanted = re.compile(".*?".join(re.escape(part) for part in parts), re.S)
    return any(wanted.search(text) for text in messages())


def quoted(page: str) -> list[str]:
    """What the first column of the page's tables quotes."""
    quotes = []
    for line in page.splitlines():
        cells = line.split(" | ")
        if line.startswith("| ") and len(cells) == 3 and not line.startswith("| Message"):
            quotes += re.findall(r"`([^`]+)`", cells[0])
    return quotes


def codes() -> list[str]:
    """The codes of failures, in the source's order."""
    text = CODES.read_text(encoding="utf-8")
    body = text[text.index("enum Code") :]
    return re.findall(r"^    case (\w+)$", body[: body.index("\n  }")], re.M)


def codes_in(page: str) -> list[str]:
    """The codes in the table of a page."""
    table = page[page.index("| `code` |") :]
    return re.findall(r"^\| `(\w+)` \|", table[: table.index("\n\n")], re.M)[1:]
