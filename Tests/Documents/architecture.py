"""The names of types, methods and modules in docs/architecture.md: each must be in the sources."""

import re
from functools import cache
from pathlib import Path

from pages import ROOT

PAGE = ROOT / "docs/architecture.md"
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")
# A name, or names with dots between, such as `SealringServer.init`, a call's labels and a type's generics behind it. Or a path.
_NAME = re.compile(r"@?([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)(\([\w:]*\)|\([a-z]\w*: \w+\)|<\w+>)?")
_PATH = re.compile(r"[A-Z]\w*(?:/[\w.+-]+)+")
# The first cell of a row, the head of a table excepted.
_CELL = re.compile(r"^\| ([A-Z]\w*(?:, [A-Z]\w*)*) \|(?!.*\n\|-)", re.MULTILINE)
_DECLARED = re.compile(
    r"\b(?:class|struct|enum|protocol|actor|typealias|associatedtype|func|case|let|var|extension|macro)\s+`?([A-Za-z]\w*)"
    r"|\b(init)\b|,\s+([a-z]\w*)(?=\(|,|$)"
)
# Names of others: Swift, its packages, HTTP, C and systems. And what callers of an outcome read.
_OTHERS = {"Allow", "Cookie", "Mutex", "OSAllocatedUnfairLock", "Sendable", "TRUE", "WebAuthn", "embedInCode"}


@cache
def declared() -> frozenset[str]:
    """Every layer, module and name that is declared in Sources."""
    found = {path.name for path in [*(ROOT / "Sources").glob("*"), *(ROOT / "Sources").glob("*/*")] if path.is_dir()}
    for path in (ROOT / "Sources").rglob("*.swift"):
        for match in _DECLARED.finditer(path.read_text(encoding="utf-8")):
            found.add(next(filter(None, match.groups())))
    return frozenset(found)


def is_there(path: str) -> bool:
    """Whether a path such as `Server/JourneyNodes`, `JourneyNodes/HTTP` or `Pages/SignIn/signin.js` is one of the tree."""
    return (ROOT / path).exists() or any(path in str(p) for p in _tree())


@cache
def _tree() -> list[Path]:
    return [path.relative_to(ROOT) for path in (ROOT / "Sources").rglob("*")]


def unknown(text: str) -> list[str]:
    """The names in code and in the first cells of tables that are not in the sources."""
    text = _FENCE.sub("", text)
    found = {name for cell in _CELL.findall(text) for name in cell.split(", ") if name not in declared()}
    for code in _CODE.findall(text):
        if _PATH.fullmatch(code):
            found |= set() if is_there(code) else {code}
        elif match := _NAME.fullmatch(code):
            # A single word without a capital may be anything: an option, a command, a claim.
            parts = match[1].split(".")
            if len(parts) > 1 or match[2] or re.search("[A-Z]", code):
                found |= {part for part in parts if part not in declared()}
    return sorted(found - _OTHERS)
