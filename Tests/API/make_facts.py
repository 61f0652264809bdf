#!/usr/bin/env python3
"""make_facts.py FOLDER: writes facts/MODULE.txt from lists of declarations, one MODULE.md each with a ```swift block.

The facts in this folder were made with it once, from lists of the published SDK's declarations that are not part of this repository. What the
lists leave open is decided here, so that it can be read: see SETTABLE, and what `settable` assumes.
"""

import pathlib
import re
import sys

from swift_declarations import TYPES, Fact, Unreadable, declaration, split

HERE = pathlib.Path(__file__).parent
# Whose extensions are public although no list declares them.
OUTSIDE = {
    "Int", "Int8", "String", "Data", "Array", "Dictionary", "Locale", "Decodable", "Encodable", "KeyedDecodingContainer",
    "UnkeyedDecodingContainer", "KeyedEncodingContainer", "UnkeyedEncodingContainer", "UInt64", "CLLocationManager", "HTTPCookie"}
# Extensions of another name of a type.
ALIASES = {"Journey": "Workflow"}
# Stored variables that apps set and whose list does not show it.
SETTABLE = {f"{kind}Device.deviceName" for kind in ("Bound", "Oath", "Push", "WebAuthn", "Profile")}
# Computed ones whose text a list shows as if they could be set.
READ_ONLY = {"PushError.errorDescription"}


def block(path):
    return re.search(r"```swift\n(.*?)```", path.read_text(), re.S)[1].splitlines()


def declared_types(lines):
    return {match[1] for line in lines if (match := re.match(r"(?:@\S+ )?(?:public |open )(?:\w+ )*?(?:class|struct|enum|actor|protocol) (\w+)", line))}


def settable(fact, owner, initialised):
    """Whether a variable of the list `var x: T`, without a value and accessors, can be set: one that an initialiser takes, and an optional of
    a class (a delegate, a configuration). The others may be computed, and are only asked to be readable."""
    name = fact.name.rpartition(".")[2]
    if fact.name in SETTABLE:
        return True
    texts = name in ("errorDescription", "failureReason", "recoverySuggestion", "description", "errorMessage")
    return not texts and owner.kind != "enum" and (name in initialised or (owner.kind == "class" and fact.type.endswith("?")))


def facts_of(lines, known):
    """The facts of a list, and the names that are left out because no list declares them public."""
    facts, dropped, owner, skip = [], [], None, False
    for line in lines:
        if not line.strip() or line.strip() == "}":
            continue
        if not line.startswith(" "):
            [owner] = declaration(re.sub(r"\bclass (?=func)", "static ", line.rstrip("{ ")))
            if owner.kind == "extension":
                owner.name = ALIASES.get(owner.name, owner.name)
            root = owner.name.split(".")[0]
            skip = owner.kind == "extension" and root not in known | OUTSIDE
            if skip:
                dropped.append(owner.name)
            elif owner.kind in TYPES and owner.kind != "extension" or owner.kind == "typealias":
                facts.append(owner)
            elif owner.parents:
                facts.append(Fact(owner.name, "extension", parents=[parent for parent in owner.parents if parent not in dropped]))
            nested = set()
            continue
        if skip:
            continue
        path, text = owner.name.split("."), line.strip()
        while match := re.match(r"(\w+) › ", text):
            path, text = path + ([match[1]] if path[-1] != match[1] else []), text[match.end():]
        # A case of a nested type that the list does not declare: the type is not public.
        if text.startswith("case ") and len(path) > 1 and path[-1] not in nested:
            if ".".join(path) not in dropped:
                dropped.append(".".join(path))
            continue
        for fact in declaration(text, path):
            fact.owner = owner
            if fact.kind in TYPES:
                nested.add(fact.name.rpartition(".")[2])
            facts.append(fact)
    facts = [fact for fact in facts if fact.kind != "extension" or fact.parents]
    # What an actor computes waits and fails as its protocol says: the lists show accessors of protocols only.
    asked = {fact.name: fact.marks & {"async", "throws"} for fact in facts if fact.kind == "var" and fact.owner.kind == "protocol"}
    for fact in facts:
        if fact.kind == "var" and fact.owner.kind == "actor":
            for parent in fact.owner.parents:
                fact.marks |= asked.get(f"{parent}.{fact.name.rpartition('.')[2]}", set())
    initialised = {}
    for fact in facts:
        if fact.kind == "init":
            initialised.setdefault(fact.name.rpartition(".init")[0], set()).update(re.findall(r"(\w+):", fact.name))
    for fact in facts:
        if fact.kind in ("var", "static var") and (not fact.sure and not settable(fact, fact.owner, initialised.get(
                fact.name.rpartition(".")[0], set())) or fact.name in READ_ONLY):
            fact.marks.discard("set")
        owner, _, name = fact.name.rpartition(".")
        if fact.kind == "case" and fact.value is None and owner == fact.owner.name and "String" in fact.owner.parents:
            fact.value = f'"{name}"'
    for fact in facts:
        if fact.kind == "enum":
            # A raw type is not a protocol.
            fact.parents = [f"RawRepresentable<{parent}>" if parent in ("String", "Int") else parent for parent in fact.parents]
    return facts, dropped


def main():
    lists = sorted(pathlib.Path(sys.argv[1]).glob("*.md"))
    known = set().union(*(declared_types(block(path)) for path in lists))
    known |= {"SharedContext.Keys"}
    for path in lists:
        facts, dropped = facts_of(block(path), known)
        unique = {fact.line(): fact for fact in facts}
        width = min(64, max(len(fact.name) for fact in unique.values()))
        kinds = max(len(fact.kind) for fact in unique.values())
        with open(HERE / "facts" / f"{path.stem}.txt", "w") as file:
            file.write(f"# What apps can call of the published {path.stem} 2.0.0: name, kind, shape. README.md says how to read it.\n")
            if dropped:
                file.write(f"# Not public there, and left out: {', '.join(dropped)}.\n")
            for fact in unique.values():
                file.write(f"{fact.name:<{width}}  {fact.kind:<{kinds}}  {fact.shape()}".rstrip() + "\n")


if __name__ == "__main__":
    main()
