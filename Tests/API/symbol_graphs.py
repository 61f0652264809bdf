"""Reads the symbol graphs of our modules (`swift symbolgraph-extract`) into the same facts as the lists in facts/."""

import json
import pathlib
import re

from swift_declarations import TYPES, Unreadable, declaration, literal, plain

ROOT = pathlib.Path(__file__).resolve().parents[2]
VALUE = re.compile(r"""^\s*(?::(?P<type>[^={]+?))?\s*=\s*(?P<value>"[^"]*"|[^\s,{}]+(?: [^\s,{}]+)*?)\s*(?:\{.*|//.*)?$""")


class Api:
    """What the modules declare, by name."""

    def __init__(self):
        self.members = {}  # module -> name -> [Fact]
        self.parents = {}  # module -> type's name -> names of what it conforms to and inherits from
        self.requirements = {}  # module -> protocol's name -> names of requirements that have no implementation of their own
        self.sources = {}

    def read(self, folder, module, root=ROOT):
        """Adds the graphs of `module` in `folder`: its own symbols, and its extensions of other modules' types."""
        own = self.members.setdefault(module, {})
        names, graphs = {}, []
        parents, requirements = self.parents.setdefault(module, {}), self.requirements.setdefault(module, {})
        for path in sorted(pathlib.Path(folder).glob(f"{module}.symbols.json")) + sorted(pathlib.Path(folder).glob(f"{module}@*.symbols.json")):
            graph = json.loads(path.read_text())
            graphs.append(graph)
            for symbol in graph["symbols"]:
                names[symbol["identifier"]["precise"]] = ".".join(symbol["pathComponents"])
                if fact := self.fact(symbol, root):
                    own.setdefault(fact.name, []).append(fact)
        required, implemented = {}, set()
        for relation in (relation for graph in graphs for relation in graph["relationships"]):
            source = names.get(relation["source"]) or names.get(relation["source"].split("::")[0])
            if relation["kind"] in ("conformsTo", "inheritsFrom"):
                target = names.get(relation["target"]) or relation.get("targetFallback", "").rpartition(".")[2] or shortened(relation["target"])
                parents.setdefault(source or relation.get("sourceFallback", "").partition(".")[2], set()).add(target)
            elif relation["kind"] == "requirementOf":
                required[relation["source"]] = source
            elif relation["kind"] in ("defaultImplementationOf", "optionalRequirementOf"):
                implemented.add(relation["target"])
        for precise, name in required.items():
            if precise not in implemented:
                requirements.setdefault(name.rpartition(".")[0], set()).add(name)

    def fact(self, symbol, root):
        """One symbol; None for what is not compared (operators of conformances, subscripts, macros)."""
        text = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
        kind = symbol["kind"]["identifier"]
        if kind in ("swift.subscript", "swift.type.subscript", "swift.deinit", "swift.macro"):
            return None
        try:
            [fact] = declaration(text, symbol["pathComponents"][:-1])
        except Unreadable as error:
            raise Unreadable(f"{'.'.join(symbol['pathComponents'])}: {error}") from error
        fact.name = ".".join(symbol["pathComponents"])
        if symbol["accessLevel"] == "open":
            fact.marks.add("open")
        if fact.kind in ("var", "static var", "case") and "location" in symbol:
            fact.value = self.value(symbol, fact, root)
        return fact

    def value(self, symbol, fact, root):
        """What the source gives a variable or a case to begin with; None when it does not show."""
        location = symbol["location"]
        path = root / ("Sources" + location["uri"].partition("/Sources")[2])
        if path not in self.sources:
            self.sources[path] = path.read_text().splitlines() if path.is_file() else []
        lines, number = self.sources[path], location["position"]["line"]
        if number >= len(lines):
            return None
        name = re.escape(fact.name.rpartition(".")[2].partition("(")[0])
        text = lines[number][location["position"]["character"]:]
        if text.rstrip().endswith(("=", ":")) and number + 1 < len(lines):
            text = text.rstrip() + " " + lines[number + 1].strip()
        if fact.kind == "case":
            match = re.search(rf"`?\b{name}\b`?\s*=\s*(\"[^\"]*\"|-?\d+)", lines[number])
            return match[1] if match else None
        match = re.search(rf"\b{name}\b`?(.*)$", text)
        found = VALUE.match(match[1]) if match else None
        return literal(found["value"]) or found["value"] if found else None

    def named(self, modules, base):
        """The functions of that path, whatever their labels."""
        return [fact for module in modules for name, found in self.members.get(module, {}).items() if name.partition("(")[0] == base for fact in found]

    def underscored(self, modules, member, root=ROOT):
        """Whether the sources declare a public `_name`: symbol graphs leave those out."""
        return any(
            re.search(rf"public [\w ]*(?:let|var|func) {re.escape(member.partition('(')[0])}\b", file.read_text())
            for module in modules for folder in root.glob(f"Sources/*/{module}") for file in folder.rglob("*.swift"))

    def ancestors(self, type, modules):
        """The names of all that a type conforms to or inherits from, nearest first. Two modules may have types of one name: those of `modules`
        go first."""
        found, waiting = [], [type]
        while waiting:
            name = waiting.pop(0)
            homes = [module for module in modules if name in self.parents.get(module, {})] or list(self.parents)
            for parent in sorted({parent for home in homes for parent in self.parents[home].get(name, ())}):
                if parent not in found:
                    found.append(parent)
                    waiting.append(parent)
        return found

    def candidates(self, modules, name):
        """The declarations of that name in the modules and in its type's ancestors, of whatever module."""
        found = [fact for module in modules for fact in self.members.get(module, {}).get(name, [])]
        owner, _, member = name.rpartition(".")
        for parent in self.ancestors(owner, modules) if owner else []:
            for homes in (modules, [home for home in self.members if home not in modules]):
                found += [fact for home in homes for fact in self.members.get(home, {}).get(f"{parent}.{member}", [])]
        return found


def shortened(precise):
    """A name out of a mangled one that no graph explains, such as c:objc(cs)NSObject."""
    known = {"s:SQ": "Equatable", "s:SH": "Hashable", "s:Se": "Decodable", "s:SE": "Encodable", "s:SL": "Comparable", "s:SY": "RawRepresentable"}
    return known.get(precise) or re.sub(r".*\)", "", precise)
