#!/usr/bin/env python3
"""Writes docs/compatibility.md: PingAM's node types and callbacks and the SDK's modules, each with what is here.

    compatibility.py

What is here is read from docs/nodes.md (which a test compares with the node library), from the sources and from Tests/API; what PingAM and the
SDK have, from compatibility/*.txt."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/compatibility.md"
LISTS = Path(__file__).parent / "compatibility"
# The engine's own, which are not in the library.
ENGINE = {"PageNode", "InnerTreeEvaluatorNode"}
# What the description of a node says whose service is another's.
SIMULATED = "only simulated"

sys.path.insert(0, str(ROOT / "Tests/API"))
import check_api  # noqa: E402


def rows_of(name: str) -> list[list[str]]:
    lines = (LISTS / name).read_text(encoding="utf-8").splitlines()
    return [re.split(r"\s{2,}", line.strip()) for line in lines if line.strip() and not line.startswith("#")]


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    return ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head)] + rows]


# MARK: Nodes


def library() -> dict[str, str]:
    """Type → what it does, as docs/nodes.md says it."""
    text = (ROOT / "docs/nodes.md").read_text(encoding="utf-8")
    return {m[1]: m[2] for m in re.finditer(r"^## (\S+)\n\n\*.*?\.\* (.*)$", text, re.MULTILINE)}


def nodes() -> tuple[list[list[str]], list[list[str]]]:
    """The rows of PingAM's types, and of ours that PingAM does not have."""
    here = library()
    known = rows_of("nodes.txt")
    rows = []
    for type, title, *advice in known:
        if type in here or type in ENGINE:
            state = "simulated" if SIMULATED in here.get(type, "") else "works"
            rows.append([title, reference(type) if type in here else f"[`{type}`](journeys.md)", state, *(advice or [""])])
        else:
            rows.append([title, f"`{type}`", "unknown", *(advice or [""])])
    own = sorted(set(here) - {row[0] for row in known})
    return sorted(rows, key=lambda row: row[0].lower()), [[reference(type), here[type]] for type in own]


def reference(type: str) -> str:
    return f"[`{type}`](nodes.md#{type.lower().rstrip('*')})"


# MARK: Callbacks


def sources(*folders: str) -> list[str]:
    return [path.read_text(encoding="utf-8") for folder in folders for path in sorted((ROOT / "Sources" / folder).rglob("*.swift"))]


def sent_by_nodes() -> set[str]:
    found: set[str] = set()
    for path in sorted((ROOT / "Sources/Server/JourneyNodes").rglob("*.swift")):
        if "Scripts" not in path.parts:
            found |= set(re.findall(r'"([A-Z]\w+Callback)"', path.read_text(encoding="utf-8")))
    for names in ("BindingFormats/BindingNames.swift", "AppIntegrity/AppIntegrityNames.swift"):
        found |= set(re.findall(r'"([A-Z]\w+Callback)"', (ROOT / "Sources/Formats" / names).read_text(encoding="utf-8")))
    engine = "\n".join(sources("Server/JourneyEngine"))
    return found | set(re.findall(r'type: "([A-Z]\w+Callback)"', engine))


def sent_by_scripts() -> set[str]:
    text = (ROOT / "Sources/Server/JourneyNodes/Scripts/ScriptDecision.swift").read_text(encoding="utf-8")
    return set(re.findall(r'"([A-Z]\w+Callback)"', text))


def answered() -> dict[str, str]:
    """Type → module and class that the client registers for it."""
    text = "\n".join(sources("Client", "Formats/BindingFormats"))
    constants = dict(re.findall(r'static let (\w+)(?:: String)? = "(\w+Callback)"', text))
    constants |= {f"BindingCallbackType.{name}": value for name, value in re.findall(r'static let (bind|sign)\b.*= "(\w+)"', text)}
    constants |= {name: constants[value] for name, value in re.findall(r"static let (\w+): String = (BindingCallbackType\.\w+)", text)}
    found = {}
    for folder in sorted((ROOT / "Sources/Client").iterdir()):
        # The earlier SDK's names stand for the same callbacks.
        if folder.name.startswith("FR"):
            continue
        for name, kind in re.findall(r"\w+\.(\w+Callback)(?:,\s*callback)?: (\w+)\.self", "\n".join(sources(f"Client/{folder.name}"))):
            if name in constants:
                found[constants[name]] = f"`{kind}` ({folder.name})"
    # What only the earlier SDK has.
    if re.search(r"AppIntegrityField\.callbackType: FRAppIntegrityCallback\.self", text):
        found["AppIntegrityCallback"] = "`FRAppIntegrityCallback` (FRAuth)"
    return found


def callbacks() -> list[list[str]]:
    by_nodes, by_scripts, client = sent_by_nodes(), sent_by_scripts(), answered()
    rows = []
    for type in sorted(by_nodes | by_scripts | set(client)):
        sent = [word for word, types in (("nodes", by_nodes), ("scripts", by_scripts)) if type in types]
        if type.startswith("Fido"):
            sent = ["as MetadataCallback"]
        rows.append([f"`{type}`", ", ".join(sent) or "no", client.get(type, "as JSON: `UnknownCallback`")])
    return rows


# MARK: Modules


def modules() -> list[list[str]]:
    reasons, wrong = check_api.reasons_of(ROOT / "Tests/API/reasons.txt", ROOT)
    if wrong:
        raise SystemExit("\n".join(wrong))
    rows = []
    for path in sorted((ROOT / "Tests/API/facts").glob("*.txt")):
        count = len(check_api.facts_of(path))
        differing = reasons.get(path.stem, {})
        if "*  is absent" in differing and not (ROOT / f"Sources/Client/{path.stem}").is_dir():
            rows.append([path.stem, str(count), "absent", said(differing["*  is absent"])])
            continue
        absent = sorted({line.split("  ")[0] for line in differing if re.search(r"  is absent\b", line)})
        whole = [name for name in absent if not any(name.startswith(f"{other}.") for other in absent)]
        if whole or "*  is absent" in differing:
            why = sorted({said(reason) for line, reason in differing.items() if re.search(r"(^\*|  )\s*is absent\b", line)})
            rows.append([path.stem, str(count), "partial", "without " + ", ".join(f"`{name}`" for name in whole) + ": " + "; ".join(why)])
        else:
            off = {line.split("  ")[0] for line in differing if "off Apple is absent" in line}
            names = ", ".join(f"`{name}`" for name in sorted(off) if "." not in name or name.split(".")[0] not in off)
            rest = f"; on Apple's systems only: {names}" if names else ""
            remark = f"what differs: {len(differing)}, each [with its reason](public-api.md){rest}" if differing else ""
            rows.append([path.stem, str(count), "complete", remark])
    rows += [[name, "", "present", "not compared: its declarations are not known as a list"] for name in sorted(check_api.WITHOUT_FACTS)]
    return rows + [[name, "", "absent", reason] for name, reason in rows_of("modules.txt")]


def said(reason: str) -> str:
    """A reason's words, with a link to where they stand."""
    file, _, words = reason.partition(": ")
    return f"[{words.strip().rstrip('.')}]({Path(file).name})" if file.startswith("docs/") else words.strip()


def page() -> str:
    types, own = nodes()
    count = {state: sum(row[2] == state for row in types) for state in ("works", "simulated", "unknown")}
    lines = [
        "# Compatibility", "",
        "Made by `scripts/docs compatibility` from the node library, the sources and the [facts of the published API](../Tests/API/README.md);",
        "a test compares. Your own exports: `sealring journey check FOLDER` says what of them loads.", "",
        "## Node types", "",
        f"Of {len(types)} types of PingAM and Advanced Identity Cloud {count['works']} work, {count['simulated']} are simulated for tests, and",
        f"{count['unknown']} are unknown. A journey with an unknown type loads, and fails when it gets there. Types made in the node designer",
        "(`designer-…`) work when the export or a file beside it has them ([scripts](scripts.md)). *Simulated*: the service behind the node is",
        "another's; `--simulate` chooses its outcome for tests, and without it the node fails when it is reached.", "",
        *table(["Node", "Type", "Here", "Remarks"], types), "",
        "Types that only Sealring has:", "",
        *table(["Type", "What it does"], own), "",
        "## Callbacks", "",
        "*Sent*: by which part of the server. *Answered*: the class with which an app answers it.", "",
        *table(["Callback", "Sent by", "Answered by"], callbacks()), "",
        "`SamlCallback` of the published PingExternalIdP is absent: no declaration of it is known to us, and SAML itself is only simulated here. A client",
        "that is sent one keeps it as `UnknownCallback`.", "",
        "## Modules of the SDK", "",
        "*Declarations* counts what an app can call of the published module. *Complete*: everything that can be called is there.", "",
        *table(["Module", "Declarations", "Here", "Remarks"], modules()), "",
        "The earlier SDK's names are in `FRAuth` and `FRDeviceBinding` ([moving an app](migration.md)).",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
