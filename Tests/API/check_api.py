#!/usr/bin/env python3
"""Compares our modules' symbol graphs with the facts of the published API. `scripts/check-api` calls it.

    check_api.py GRAPHS [--apple GRAPHS] [--module NAME ...] [--facts FOLDER] [--reasons FILE] [--root FOLDER]

GRAPHS are folders of symbol graphs; those of --apple come from the branches that only Apple's systems compile. Exits with 1 when something differs
that has no reason, or when a reason is no longer needed or names a sentence that is not in the documentation.
"""

import argparse
import dataclasses
import pathlib
import re
import sys

from swift_declarations import TYPES, read_line
from symbol_graphs import ROOT, Api

HERE = pathlib.Path(__file__).resolve().parent


def facts_of(path):
    return [read_line(line) for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]


def without(text, *words):
    for word in words:
        text = text.replace(word + " ", "")
    return text


def same_parameter(theirs, ours):
    """Whether what fits `theirs` fits `ours`: a closure may be asked to promise less, and `nil` may be allowed."""
    if ours in (theirs, theirs + "?"):
        return True
    fewer = all(ours.count(word) <= theirs.count(word) for word in ("@escaping", "@Sendable"))
    return fewer and without(theirs, "@escaping", "@Sendable") == without(ours, "@escaping", "@Sendable")


def same_value(theirs, ours):
    try:
        return float(theirs) == float(ours)
    except ValueError:
        return theirs == ours


def labels(name):
    return re.findall(r"(\w+):", name.rpartition("(")[2])


def wider(fact, candidates):
    """Those that can be called as `fact` is: what they take besides has defaults. Each as it looks to such a caller."""
    found = []
    for ours in candidates:
        wanted, kept = labels(fact.name), []
        for label, value in zip(labels(ours.name), ours.parameters):
            if wanted and wanted[0] == label:
                wanted.pop(0)
                kept.append(value)
            elif value[1] is None:
                break
        else:
            if not wanted:
                found.append(dataclasses.replace(ours, name=fact.name, parameters=kept))
    return found


def shorter(fact, candidates):
    """Whether another declaration can be called where `fact` is called without what has a default: in place of a default that a generic type or a
    platform does not allow."""
    wanted = [label for label, (_, default) in zip(labels(fact.name), fact.parameters) if default is None]
    return any(labels(ours.name) == wanted and ours.kind == fact.kind for ours in candidates)


def differences(theirs, ours, api, modules, requirement=False):
    """What a caller of `theirs` stumbles over in `ours`, in words; `requirement` when conformers write it themselves."""
    found = []
    if theirs.kind in TYPES:
        if theirs.kind != ours.kind and "namespace" not in theirs.marks:
            found.append(f"is not a {theirs.kind}: {ours.kind}")
        if "open" in theirs.marks and "open" not in ours.marks:
            found.append("is not open")
        ancestors = set(api.ancestors(theirs.name, modules)) | {re.sub(r"<.*", "", parent) for parent in ours.parents}
        for parent in theirs.parents:
            raw = re.fullmatch(r"RawRepresentable<(\w+)>", parent)
            wanted = ["Decodable", "Encodable"] if parent == "Codable" else [re.sub(r"<.*", "", parent)]
            if not set(wanted) <= ancestors and not {"Decodable", "Encodable", "Codable"} & set(wanted) & ancestors:
                found.append(f"is no {parent}")
            elif raw:
                initialisers = [fact for module in modules for fact in api.members.get(module, {}).get(f"{theirs.name}.init(rawValue:)", [])]
                if initialisers and initialisers[0].parameters[0][0] != raw[1]:
                    found.append(f"has raw values of {initialisers[0].parameters[0][0]}")
        extra = set(ours.generics) - set(theirs.generics)
        if extra and theirs.kind != "extension":
            found.append(f"asks for {', '.join(sorted(extra))}")
        return found
    if theirs.kind != ours.kind:
        return [f"is not a {theirs.kind}: {ours.kind}"]
    if theirs.kind in ("typealias", "associatedtype"):
        if theirs.type != ours.type:
            found.append(f"is {ours.type}")
        return found
    for mark in ("open", "discardable", "failable"):
        if mark in theirs.marks and mark not in ours.marks:
            found.append(f"is not {mark}")
    for mark in ("async", "throws"):
        if (mark in theirs.marks) != (mark in ours.marks):
            found.append(f"{'is' if mark in ours.marks else 'is not'} {mark}".replace("is throws", "throws").replace("is not throws", "does not throw"))
    if "main-actor" in ours.marks and "main-actor" not in theirs.marks:
        found.append("is isolated to the main actor")
    if "failable" in ours.marks and "failable" not in theirs.marks:
        found.append("is failable")
    if len(theirs.parameters) != len(ours.parameters):
        found.append(f"takes {len(ours.parameters)} values")
    for (their_type, their_default), (our_type, our_default) in zip(theirs.parameters, ours.parameters):
        same = their_type == our_type if requirement else same_parameter(their_type, our_type)
        if not same:
            found.append(f"takes {our_type} for {their_type}")
        if their_default is not None and our_default is None:
            found.append(f"has no default for {their_type} = {their_default}")
        elif their_default is not None and their_default != re.sub(r"\b(?:Ping|FR)\w+\.(?=[A-Z])", "", our_default):
            found.append(f"defaults to {our_default} for {their_default}")
    if theirs.kind != "case" and theirs.type != ours.type:
        found.append(f"is {ours.type} for {theirs.type}" if "var" in theirs.kind else f"returns {ours.type} for {theirs.type}")
    if "set" in theirs.marks and "set" not in ours.marks:
        found.append("cannot be set")
    extra = set(ours.generics) - set(theirs.generics)
    if extra:
        found.append(f"asks for {', '.join(sorted(extra))}")
    value = constant(ours.value)
    if theirs.kind == "case" and theirs.value is not None and value is None and not theirs.parameters:
        value = f'"{theirs.name.rpartition(".")[2]}"'
    if theirs.value is not None and value is None:
        found.append(f"begins with a value that its declaration does not show, for {theirs.value}")
    elif theirs.value is not None and not same_value(theirs.value, value):
        found.append(f"begins with {value} for {theirs.value}")
    return found


def unqualified(fact, nested, aliases):
    """The fact with the nested types called as inside their owner, as the published declarations do, and ours of other names by their first."""
    def short(type):
        for alias, target in aliases.items():
            type = re.sub(rf"\b{alias}\b", target, type)
        for name in nested:
            type = re.sub(rf"\b{re.escape(name)}\b", name.rpartition(".")[2], type)
        return type
    return dataclasses.replace(fact, type=short(fact.type), parameters=[(short(type), default) for type, default in fact.parameters])


# What a conformance brings along without a declaration of its own.
SYNTHESISED = {
    "init(from:)": {"Decodable"}, "encode(to:)": {"Encodable"}, "==(_:_:)": {"Equatable"}, "<(_:_:)": {"Comparable"}, "hash(into:)": {"Hashable"}}


def compare(facts, api, modules):
    """The differences of one module as `NAME  WHAT` lines."""
    lines, types, protocols, actors = [], {}, set(), set()
    nested = {fact.name for fact in facts if fact.kind in TYPES and "." in fact.name}
    for fact in facts:
        if fact.kind in TYPES and fact.kind != "extension":
            types[fact.name] = fact
        if fact.kind == "protocol":
            protocols.add(fact.name)
        if fact.kind == "actor":
            actors.add(fact.name)
        # What has nothing but static members may be any kind of type: nobody makes one.
        members = [other for other in facts if other.name.startswith(fact.name + ".")]
        if fact.kind in ("struct", "enum") and members and all(other.kind.startswith("static") for other in members):
            fact.marks.add("namespace")
    # What is declared in a type of the main actor is the main actor's.
    isolated = {fact.name for fact in types.values() if "main-actor" in fact.marks}
    published = set(re.findall(r"\w+", " ".join(fact.line() for fact in facts)))
    aliases = {name: found[0].type for module in modules for name, found in api.members.get(module, {}).items()
               if found[0].kind == "typealias" and "." not in name and name not in published and re.fullmatch(r"\w+", found[0].type)}
    for fact in facts:
        owner, _, member = fact.name.rpartition(".")
        if fact.kind == "extension":
            ancestors = set(api.ancestors(fact.name, modules))
            lines += [f"{fact.name}  is no {parent}" for parent in fact.parents if parent not in ancestors]
            continue
        needed = SYNTHESISED.get(member)
        if needed and needed <= set(api.ancestors(owner, modules)):
            continue
        candidates = api.candidates(modules, fact.name)
        if not candidates and fact.kind in ("func", "static func", "init") and owner not in protocols:
            candidates = wider(fact, api.named(modules, fact.name.partition("(")[0]))
        if not candidates and member.startswith("_") and api.underscored(modules, member):
            continue
        if not candidates:
            lines.append(f"{fact.name}  is absent: {fact.kind} {fact.shape()}".rstrip())
            continue
        candidates = [unqualified(candidate, nested, aliases) for candidate in candidates]
        best = min((differences(fact, candidate, api, modules, owner in protocols) for candidate in candidates), key=len)
        if all(difference.startswith("has no default") for difference in best) and shorter(fact, api.named(modules, fact.name.partition("(")[0])):
            best = []
        if owner in isolated:
            best = [difference for difference in best if difference != "is isolated to the main actor"]
        # Who calls an actor waits, whatever it declares.
        lines += [f"{fact.name}  {difference}" for difference in best if owner not in actors or difference not in ("is async", "is not async")]
    for name, fact in types.items():
        if fact.kind == "enum":
            known = {other.name for other in facts if other.kind == "case" and other.name.rpartition(".")[0] == name}
            ours = {case.name for module in modules for found in api.members.get(module, {}).values() for case in found
                    if case.kind == "case" and case.name.rpartition(".")[0] == name}
            lines += [f"{case}  is a case more: a switch over the published ones does not compile" for case in sorted(ours - known) if known]
        if fact.kind == "protocol":
            known = {other.name for other in facts}
            lines += [f"{requirement}  is a requirement more: what conforms to the published protocol does not compile"
                      for module in modules for requirement in sorted(api.requirements.get(module, {}).get(name, set()) - known)]
    return list(dict.fromkeys(lines))


def constant(value):
    """What a value is that names a constant of the formats, `Type.member`: names on the wire are spelled there, once."""
    named = re.fullmatch(r"([A-Z]\w+)\.(\w+)", value or "")
    if named:
        for path in sorted(ROOT.glob("Sources/Formats/*/*.swift")):
            body = re.search(rf"\benum {named[1]}\b[^{{]*\{{(.*?)^\}}", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
            found = body and re.search(rf'\bstatic let {named[2]}(?:: String)? = ("[^"]*")', body[1])
            if found:
                return found[1]
    return value


def reasons_of(path, root):
    """The reasons: {module: {line: sentence}}, and what is wrong with the file itself. A reason begins with `@ FILE: words of that file`; the
    lines below are those that it is for, as they are printed: `MODULE  NAME  WHAT`, or `MODULE  *  is absent` for all that a module lacks."""
    reasons, wrong, sentence = {}, [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.rstrip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("@ "):
            file, _, words = line[2:].partition(": ")
            sentence, page = line[2:], root / file
            # Without blanks: a formatter may break the line.
            text = re.sub(r"\s+", "", page.read_text()) if page.is_file() else ""
            if re.sub(r"\s+", "", words) not in text or len(words.strip()) < 12:
                wrong.append(f"{path.name}:{number}: {file} does not say: {words.strip()}")
            continue
        module, _, rest = line.partition("  ")
        if sentence is None or not rest:
            wrong.append(f"{path.name}:{number}: a line of the form MODULE  NAME  WHAT, below a line that begins with @, is expected")
        elif rest.strip() in reasons.setdefault(module, {}):
            wrong.append(f"{path.name}:{number}: is there twice")
        else:
            reasons[module][rest.strip()] = sentence
    return reasons, wrong


# Published modules whose declarations are not known as a list: the earlier SDK's, and PingExternalIdP's.
WITHOUT_FACTS = {"FRAuth", "FRDeviceBinding", "PingExternalIdP"}


def published(root):
    """The products that Package.swift calls the published modules."""
    manifest = root / "Package.swift"
    found = manifest.is_file() and re.search(r"// The published modules\.\n((?:\s*\"[^\n]*\n)+)", manifest.read_text(encoding="utf-8"))
    return re.findall(r'"(\w+)"', found[1]) if found else []


def exported(module, root):
    """The module, and those that it exports as its own."""
    found = [module]
    for folder in root.glob(f"Sources/*/{module}"):
        for file in sorted(folder.rglob("*.swift")):
            found += re.findall(r"^@_exported (?:public )?import (\w+)", file.read_text(), re.M)
    return found


def check(facts_folder, graphs, apple, reasons_file, root, only=None):
    """Prints what differs, and returns the exit code."""
    api, on_apple = Api(), Api()
    for found, folder in ((api, graphs), (on_apple, apple)):
        for path in sorted(pathlib.Path(folder).glob("*.symbols.json")) if folder else []:
            if "@" not in path.name:
                found.read(folder, path.name.partition(".")[0], root)
    reasons, failures = reasons_of(reasons_file, root)
    for message in failures:
        print(message)
    checked = differing = 0
    modules = [path for path in sorted(facts_folder.glob("*.txt")) if not only or path.stem in only]
    for path in modules:
        module, facts = path.stem, facts_of(path)
        known = reasons.pop(module, {})
        if module not in api.members:
            lines = [f"*  is absent: {len(facts)} declarations"]
            excused = lines if "*  is absent" in known else []
            unused = [line for line in known if line != "*  is absent"]
        else:
            checked += len(facts)
            names = exported(module, root)
            lines = compare(facts, api, names)
            if apple and module in on_apple.members:
                there = compare(facts, on_apple, names)
                # What holds on Apple's systems alone is a difference all the same, but another one.
                lines = ["  on Apple ".join(line.split("  ", 1)) for line in there if line not in lines] + [
                    line if line in there else "  off Apple ".join(line.split("  ", 1)) for line in lines]
            # A module that is not there as a whole may have begun.
            partly = [line for line in lines if " is absent" in line] if "*  is absent" in known else []
            excused = [line for line in lines if line in known or line in partly]
            unused = [line for line in known if line not in lines and not (line == "*  is absent" and partly)]
        left = [line for line in lines if line not in excused]
        differing += len(left)
        if left or unused:
            print(f"\n{module}: {len(left)} of {len(facts)} differ without a reason, {len(excused)} with one")
            print("\n".join(f"  {module}  {line}" for line in left))
        for line in unused:
            failures.append(line)
            print(f"  no longer needed: {module}  {line}")
    if not only:
        for module in published(root):
            if module not in WITHOUT_FACTS and not (facts_folder / f"{module}.txt").is_file():
                failures.append(module)
                print(f"\n{module} is a published module and has no facts in {facts_folder.name}/.")
        for module in reasons:
            failures.append(module)
            print(f"\n{reasons_file.name} has reasons for {module}, of which facts/ knows nothing.")
    print(f"\n{checked} declarations in {len(modules)} modules: {differing} differ without a reason, {len(failures)} reasons are wrong.")
    return 1 if differing or failures else 0


def main(arguments=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("graphs", type=pathlib.Path)
    parser.add_argument("--apple", type=pathlib.Path)
    parser.add_argument("--module", action="append")
    parser.add_argument("--facts", type=pathlib.Path, default=HERE / "facts")
    parser.add_argument("--reasons", type=pathlib.Path, default=HERE / "reasons.txt")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    options = parser.parse_args(arguments)
    return check(options.facts, options.graphs, options.apple, options.reasons, options.root, options.module)


if __name__ == "__main__":
    sys.exit(main())
