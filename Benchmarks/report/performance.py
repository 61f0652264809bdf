"""Writes the tables and plots of docs/performance.md from the figures of a run.

A table stands between `<!-- figures: NAME -->` and `<!-- end -->`; the words around it are the page's own.
"""
import re

from plots import bars as plot
from plots import shown
from programs import ROOT

PAGE = ROOT / "docs/performance.md"
IMAGES = ROOT / "docs/images"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join("---" if number == 0 else "---:" for number in range(len(head))) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def write(found, machine, judged):
    def value(name):
        return found[name][0] if name in found else None

    def text(name, unit=None):
        if name not in found:
            return "–"
        return f"{shown(found[name][0])} {found[name][1] if unit is None else unit}".replace(" ratio", "").replace(" us", " µs").strip()

    def pairs(rows):
        return [[label, text(base), text(ours), text(ratio)] for label, base, ours, ratio in rows if ratio in found]

    parts = {}
    if machine:
        parts["machine"] = (f"Measured on {machine['date']} at commit {machine['commit']} on {machine['processors']} processors "
                            f"({machine['model']}); load before the run {machine['load']}.")
    parts["bars"] = table(
        ["Measure", "Bar", "Goal", "Measured", "", "Command"],
        [[bar["measure"], ("≥ " if "least" in bar else "≤ ") + f"{bar.get('least', bar.get('most')):g} {bar['unit']}".strip(),
          f"{bar['goal']:g}", "–" if figure is None else f"**{shown(figure)}**",
          "not measured" if figure is None else "goal" if goal else "reached" if reached else "not reached", f"`{bar['command']}`"]
         for bar, figure, reached, goal in judged])
    parts["primitives"] = table(["Operation", "Beside", "Sealring", "Share of its speed"], pairs([
        ("JWS sign, beside P-256", "p256-sign", "jws-sign", "jws-sign-of-raw"),
        ("JWS verify", "p256-verify", "jws-verify", "jws-verify-of-raw"),
        ("JWS import and verify", "p256-import-verify", "jws-import-verify", "jws-import-verify-of-raw"),
        ("WebAuthn assertion, beside P-256 import and verify", "p256-import-verify", "webauthn-assertion", "webauthn-assertion-of-raw"),
        ("WebAuthn registration", "p256-import-verify", "webauthn-registration", "webauthn-registration-of-raw"),
        ("JSON read, beside Foundation", "json-read-foundation", "json-read", "json-read-of-foundation"),
        ("JSON write", "json-write-foundation", "json-write", "json-write-of-foundation"),
        ("CBOR read, beside SHA-256 of the same bytes", "sha256", "cbor-read", "cbor-read-of-sha256"),
        ("CBOR write", "sha256-again", "cbor-write", "cbor-write-of-sha256"),
        ("`authId` opened, beside HKDF and AES-GCM", "aes-gcm-open", "authid-open", "authid-open-of-aes-gcm"),
        ("journey started", "aes-gcm-seal", "journey-start", "journey-start-of-aes-gcm"),
        ("journey step without a store", "aes-gcm-open-again", "journey-step", "journey-step-of-aes-gcm"),
        ("script node of one line, beside an empty node", "empty-node", "script-node-line", "script-node-line-of-empty"),
        ("script node that decides", "empty-node", "script-node-decision", "script-node-decision-of-empty"),
    ]))
    systems = [
        ("bound key, SQLite: bare program", "sign-in-bare", "sign-in-bare-p50", "sign-in-bare-p99", "sign-in-bare-server-cpu"),
        ("bound key, SQLite: Sealring", "sign-in-sealring", "sign-in-sealring-p50", "sign-in-sealring-p99", "sign-in-sealring-server-cpu"),
        ("bound key, PostgreSQL: pgbench", "postgres-device-bare-sign-ins", "postgres-device-bare-p50", "postgres-device-bare-p99", ""),
        ("bound key, PostgreSQL: Sealring", "postgres-device-one-server-sign-ins", "postgres-device-one-server-p50",
         "postgres-device-one-server-p99", "postgres-device-one-server-server-cpu"),
        ("password without its hash, PostgreSQL: pgbench", "postgres-bare-sign-ins", "postgres-bare-p50", "postgres-bare-p99", ""),
        ("password without its hash, PostgreSQL: Sealring", "postgres-one-server-sign-ins", "postgres-one-server-p50",
         "postgres-one-server-p99", "postgres-one-server-server-cpu"),
        ("password with its hash, SQLite: Sealring", "password-sign-ins", "", "", ""),
        ("a device bound, SQLite: Sealring", "binding", "binding-p50", "binding-p99", "binding-server-cpu"),
        ("access token issued and introspected: Sealring", "token", "token-p50", "token-p99", "token-server-cpu"),
        ("push approval, 16 at a time: privacyIDEA", "privacyidea-16-at-a-time", "", "", ""),
        ("push approval, 16 at a time: Sealring", "push-16-at-a-time", "push-16-at-a-time-verdict-p50",
         "push-16-at-a-time-verdict-p99", "push-16-at-a-time-server-cpu"),
    ]
    parts["systems"] = table(
        ["", "a second", "p50", "p99", "Server's processor time"],
        [[label, text(rate, ""), text(p50), text(p99), text(cpu)] for label, rate, p50, p99, cpu in systems if rate in found])
    for part, prefix, title in [("growth", "growth", "Devices in the store"), ("ledger", "ledger", "Entries in the ledger")]:
        counts = sorted(int(name.split("-")[1]) for name in found if re.fullmatch(rf"{prefix}-\d+-p50", name))
        parts[part] = table(
            [title, "p50", "in that of few", "processor time, in that of few", "memory"],
            [[f"{count:,}", *(text(f"{prefix}-{count}-{figure}") for figure in ("p50", "p50-of-few", "cpu-of-few", "memory"))]
             for count in counts])
    parts["allocations"] = table(["A sign-in by bound key", "Allocations"], [[label, text(name, "")] for label, name in [
        ("bare program", "sign-in-bare-allocations"), ("Sealring", "sign-in-sealring-allocations")] if name in found])
    parts["memory"] = table(["", ""], [[label, text(name)] for label, name in [
        ("idle server, as packages have it", "start-packaged-idle-memory"),
        ("its cold start to the first answer", "start-packaged-first-answer"),
        ("idle server of `swift build -c release`", "start-idle-memory"),
        ("its cold start to the first answer", "start-first-answer"),
        ("after sign-ins at full load", "memory-after-load"),
        ("after the last round of them, in that after the first", "memory-of-last-round-in-first"),
        ("journeys begun and left open", "open-journeys"), ("what they take", "open-journeys-memory"),
        ("a listening device's stream", "push-memory-per-stream"),
        ("after push approvals", "push-server-after-load"), ("script worker, resident", "worker-resident"),
    ] if name in found])

    page = PAGE.read_text()
    for name, content in parts.items():
        page, count = re.subn(rf"(<!-- figures: {name} -->\n).*?(<!-- end -->)", lambda match: match[1] + content + "\n" + match[2],
                              page, flags=re.S)
        if count != 1:
            raise SystemExit(f"docs/performance.md has {count} places for {name}")
    PAGE.write_text(page)

    IMAGES.mkdir(exist_ok=True)
    rows = [(label, value(rate), "Sealring" in label, None) for label, rate, *_ in systems if value(rate) and "privacyIDEA" not in label]
    (IMAGES / "performance-rates.svg").write_text(plot("Complete operations a second, one server on this machine", rows, "/s"))
    shares = [(bar["measure"].split(",")[0][:48], figure, True, bar["least"]) for bar, figure, *_ in judged
              if figure is not None and bar.get("least", 9) < 1]
    (IMAGES / "performance-shares.svg").write_text(plot("Share of what the machine can do at best; the line is the bar", shares, ""))
