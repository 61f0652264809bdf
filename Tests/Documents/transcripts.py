"""What was printed, with identifiers, times and the like replaced, so that it is the same from run to run and keeps its columns."""

import re

_LEFT = r"(?:\d+ minutes?(?: \d+ seconds?)?|\d+ seconds?)(?= left)"


def steady(lines: list[str]) -> list[str]:
    """Each identifier becomes one of the same length that tells it from the others."""
    seen: dict[str, str] = {}

    def named(form):
        return lambda found: seen.setdefault(found[0], form(len(seen) + 1, found[0]))

    rules = [
        (r"\b(?:[0-9A-Z]{4}-){3}[0-9A-Z]{4}\b(?!-)", named(lambda n, _: f"CODE-{n:04d}-XXXX-XXXX")),
        (r"\b[0-9A-F]{8}-(?:[0-9A-F]{4}-){3}[0-9A-F]{12}\b", named(lambda n, _: f"{n:08d}-0000-4000-8000-000000000000")),
        (r"(?<![\w-])[\w-]{43}(?![\w-])", named(lambda n, old: f"TOKEN-{n}-".ljust(len(old), "x"))),
        (r"\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d", r"2026-01-01\g<1>00:00:00"),
        (r"(?<=127\.0\.0\.1:)(?!8080|8443)\d+", "PORT"),
        (_LEFT, "N minutes"),
        (r"\d+(?:\.\d+)? (secs|bytes of PNG)", r"N \1"),
        (r"(?<=shows )\d{6}|(?<=refused: )\d{6}", "NNNNNN"),
        (r"(?<=shows )\d{2}(?=,)|(?<=number )\d{2}/\d{2}/\d{2}", lambda found: re.sub(r"\d", "N", found[0])),
        (r"^(Bound |        name       )\S+", r"\1laptop"),
    ]
    result = []
    for line in lines:
        for pattern, replacement in rules:
            line = re.sub(pattern, replacement, line)
        result.append(line)
    return result


def of_sealring(lines: list[str]) -> list[str]:
    """What a package manager prints, without what is about others' packages: those change, and so does where they come in."""
    typed = [line for line in lines if re.match(r"[$#>] ", line)]
    ours = [line for line in lines if re.match(r"sealring-server: |in /etc/|  systemctl ", line)]
    return [*typed, "[... what apt says of packages ...]", *ours]
