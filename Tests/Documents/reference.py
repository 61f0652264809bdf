#!/usr/bin/env python3
"""Writes docs/reference/commands.md from what the command line says about itself (`--experimental-dump-help`).

    reference.py [--check] [SEALRING]      SEALRING is the program, .build/debug/sealring when it is not given
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/reference/commands.md"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def _argument(argument: dict) -> tuple[str, str]:
    names = [("--" if n["kind"] == "long" else "-") + n["name"] for n in argument.get("names") or []]
    value = f"<{argument.get('valueName', 'value')}>"
    if argument["kind"] == "positional":
        shown = value
    elif argument["kind"] == "flag":
        shown = ", ".join(names)
    else:
        shown = ", ".join(names) + " " + value
    if argument.get("isRepeating"):
        shown += " …"
    meaning = argument.get("abstract") or ""
    if argument.get("discussion"):
        meaning += " " + argument["discussion"]
    values = argument.get("allValueStrings") or argument.get("allValues") or []
    if values:
        meaning += f" One of: {', '.join(values)}."
    if argument.get("defaultValue") is not None:
        meaning += f" Default: `{argument['defaultValue']}`."
    return shown, meaning.strip()


def _write(command: dict, parents: list[str], lines: list[str]) -> None:
    name = " ".join([*parents, command["commandName"]])
    lines += [f"## {name}", "", command.get("abstract", ""), ""]
    if command.get("discussion"):
        lines += ["```text", *command["discussion"].strip().splitlines(), "```", ""]
    subcommands = [c for c in command.get("subcommands") or [] if c["commandName"] != "help" and c.get("shouldDisplay", True)]
    if subcommands:
        lines += ["| Command | Does |", "|---|---|"]
        for sub in subcommands:
            anchor = f"{name} {sub['commandName']}".replace(" ", "-")
            lines.append(f"| [`{sub['commandName']}`](#{anchor}) | {_cell(sub.get('abstract', ''))} |")
        lines.append("")
    arguments = [a for a in command.get("arguments") or [] if a.get("shouldDisplay", True)]
    arguments = [a for a in arguments if not {n["name"] for n in a.get("names") or []} & {"help", "version"}]
    if arguments:
        lines += ["| Argument | Meaning |", "|---|---|"]
        for argument in arguments:
            shown, meaning = _argument(argument)
            if not argument.get("isOptional") and argument.get("defaultValue") is None:
                meaning += " Required."
            lines.append(f"| `{shown}` | {_cell(meaning)} |")
        lines.append("")
    for sub in subcommands:
        _write(sub, [*parents, command["commandName"]], lines)


def page(sealring: Path) -> str:
    """The page as the program `sealring` has it."""
    dump = subprocess.run([sealring, "--experimental-dump-help"], check=True, capture_output=True, timeout=60)
    lines = [
        "# Commands",
        "",
        "Made from the program's own help by `scripts/docs reference`; do not edit. `--help` and `--version` are left out.",
        "[Settings](../settings.md) can stand in for options." if (ROOT / "docs/settings.md").exists() else "",
        "",
    ]
    _write(json.loads(dump.stdout)["command"], [], lines)
    text = "\n".join(lines).rstrip() + "\n"
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text


def main() -> int:
    words = [w for w in sys.argv[1:] if w != "--check"]
    text = page(Path(words[0]) if words else ROOT / ".build/debug/sealring")
    if "--check" in sys.argv:
        if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
            return 0
        print(f"{PAGE.relative_to(ROOT)} is stale. Run scripts/docs reference.", file=sys.stderr)
        return 1
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
