"""Reads one Swift declaration, as symbol graphs and lists of declarations print it, into what callers depend on.

A fact is one line: NAME  KIND  SHAPE, separated by two blanks or more. NAME is the path with the argument labels, SHAPE what is left when the
names that callers do not see are taken away:

    PushClient                         class   : Sendable
    PushClient.getCredentials()        func    () async throws -> [PushCredential]
    PushConfiguration.timeoutMs        var     Int get set = 15000
    PushPlatform.pingAM                case    = "pingam"
"""

import re
from dataclasses import dataclass, field

CLOSING = {")": "(", "]": "[", "}": "{", ">": "<"}
TYPES = ("class", "struct", "enum", "actor", "protocol", "extension")
# Words before the keyword that change nothing for a caller.
SILENT = {
    "public", "final", "override", "required", "convenience", "lazy", "weak", "nonisolated", "nonisolated(unsafe)", "nonisolated(nonsending)", "@objc", "@preconcurrency",
    "@objcMembers", "indirect", "nonmutating", "optional", "@nonobjc", "@frozen", "@inlinable", "unowned", "dynamic", "@ObservationIgnored"}


class Unreadable(Exception):
    """A declaration that this reader does not understand."""


@dataclass
class Fact:
    """What callers depend on in one declaration."""

    name: str
    kind: str
    # Types: their parents. Functions and cases: the parameters' types with defaults. Variables: one type.
    parents: list = field(default_factory=list)
    parameters: list = field(default_factory=list)  # (type, default or None)
    type: str = ""
    generics: list = field(default_factory=list)
    marks: set = field(default_factory=set)  # static open failable async throws mutating discardable main-actor set
    value: str = None

    def shape(self):
        """The third column of a line."""
        out = [mark for mark in ("open", "main-actor", "discardable", "mutating", "failable") if mark in self.marks]
        if self.generics:
            out.append("<" + ", ".join(self.generics) + ">")
        if self.kind in TYPES:
            if self.parents:
                out.append(": " + ", ".join(self.parents))
        elif self.kind in ("func", "static func", "init", "case"):
            parameters = ", ".join(type if default is None else f"{type} = {default}" for type, default in self.parameters)
            if self.kind != "case" or self.parameters:
                out.append(f"({parameters})")
            out += [mark for mark in ("async", "throws") if mark in self.marks]
            if self.kind in ("func", "static func"):
                out.append(f"-> {self.type}")
        elif self.type:
            out.append(self.type)
        if self.kind in ("var", "static var"):
            out.append("get" + "".join(f" {mark}" for mark in ("async", "throws", "set") if mark in self.marks))
        if self.value is not None:
            out.append(f"= {self.value}")
        return " ".join(out)

    def line(self):
        return f"{self.name}  {self.kind}  {self.shape()}".rstrip()


def scan(text):
    """The index of each character that stands in no string, with the brackets open after it. `<` opens after a name only: not in `0..<4`."""
    stack, index, quoted = [], 0, False
    while index < len(text):
        character = text[index]
        if character == '"' and (index == 0 or text[index - 1] != "\\"):
            quoted = not quoted
        elif not quoted:
            if text.startswith("->", index):
                yield index, len(stack)
                index += 2
                continue
            if character in "([{" or (character == "<" and re.match(r"[\w`]?$", text[index - 1:index])):
                stack.append(character)
            elif stack and CLOSING.get(character) == stack[-1]:
                stack.pop()
            yield index, len(stack)
        index += 1


def split(text, separator=","):
    """`text` cut at the separators that stand in no bracket and in no string."""
    parts, start = [], 0
    for index, depth in scan(text):
        if depth == 0 and index >= start and text.startswith(separator, index):
            parts.append(text[start:index].strip())
            start = index + len(separator)
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def bracket(text, start):
    """The index after the bracket that closes the one at `start`."""
    for index, depth in scan(text[start:]):
        if depth == 0:
            return start + index + 1
    raise Unreadable(f"no end of the bracket in: {text}")


def plain(type):
    """One spelling for the spellings of a type that mean the same."""
    type = re.sub(r"\s+", " ", type).strip()
    type = re.sub(r"\b(any|borrowing|__owned) (?=[A-Z@(])", "", type)
    type = re.sub(r"\b(Swift|Foundation|FoundationEssentials|FoundationNetworking)\.(?=[A-Z])", "", type)
    type = re.sub(r"\bSelf\.(?=[A-Z])", "", type)
    type = re.sub(r"\bOSStatus\b", "Int32", type)
    type = re.sub(r"\{\s*(.*?)\s*\}", r"{ \1 }", type)
    type = re.sub(r"\bKeyed(En|De)codingContainer<K>\.Key\b", "K", type)
    type = re.sub(r"\s*:\s*", ": ", type)
    type = re.sub(r"\s*&\s*", " & ", type)
    type = re.sub(r"\(\s+", "(", re.sub(r"\s+\)", ")", type))
    before = None
    while before != type:
        before = type
        type = re.sub(r"-> \(\)", "-> Void", type)
        type = re.sub(r"(^|[\s(\[<,])\(([\w.]+(?:<[\w., ]+>)?)\)(?!\s*(?:->|async|throws))", r"\1\2", type)
    if type == "()":
        type = "Void"
    return type.replace("`", "")


def constraints(generics, where):
    """`<T: A & B>` and `where T: C` as sorted `T: A`, ..., with Codable as its two parts."""
    found = []
    for part in split(generics) + split(where):
        name, colon, rest = part.partition(":")
        if not colon:
            found.append(plain(part))
            continue
        for protocol in rest.split("&"):
            protocol = plain(protocol)
            for single in ("Decodable", "Encodable") if protocol == "Codable" else (protocol,):
                found.append(f"{name.strip()}: {single}")
    # A parameter's bare name says nothing more than the types that it stands in.
    return sorted({entry for entry in found if not re.fullmatch(r"\w+", entry)})


def inferred(value):
    """The type of `let x = value`, where the value shows it."""
    if value.startswith('"'):
        return "String"
    if re.fullmatch(r"-?\d+", value):
        return "Int"
    if re.fullmatch(r"-?\d+\.\d+", value):
        return "Double"
    if value in ("true", "false"):
        return "Bool"
    # `Name(...)` and `[Element]()` are of the type that they call.
    if match := re.match(r"([A-Z][\w.]*(?:<[\w, ]+>)?)\(", value):
        return match[1]
    if value.startswith("[") and value.endswith("]()"):
        return plain(value[:-2])
    raise Unreadable(f"no type in: {value}")


def literal(value):
    """The value if it is one that two declarations can be compared by, else None."""
    value = re.sub(r"\s+", " ", value).strip()
    simple = r'"[^"\\]*"|-?[\d._]+|true|false|nil|\[:?\]|\.\w+(\(\))?|[A-Z]\w*\.\w+'
    return value.replace("_", "") if re.fullmatch(r"-?[\d._]+", value) else value if re.fullmatch(simple, value) else None


def parameter(text):
    """Label, type and default of one parameter."""
    name, _, rest = text.partition(":")
    pieces = split(rest, " = ")
    type, default = pieces[0], " = ".join(pieces[1:]) or None
    return name.split()[0].strip("`"), plain(type), plain(default) if default else None


def words_before(text):
    """The modifiers in front of a declaration, and the rest."""
    words = []
    while match := re.match(r"(@\w+(?:\([^)]*\))?|[a-z]+\((?:set|unsafe|nonsending)\)|[a-z]+)\s+", text):
        word = match[1]
        if word == "init":
            break
        following = text[match.end():]
        if word in TYPES[:-1] and re.match(r"(func|var|let)\b", following):
            word = "static"  # class func
        elif word in TYPES + ("func", "var", "let", "case", "typealias", "associatedtype"):
            break
        words.append(word)
        text = following
    return words, text


def declaration(text, path=()):
    """The facts of one declaration; a `case` may have several."""
    original = text
    text = re.sub(r"\s+", " ", text).strip()
    words, text = words_before(text)
    marks = set()
    for word in words:
        if word in ("static", "open", "mutating"):
            marks.add(word)
        elif word == "@discardableResult":
            marks.add("discardable")
        elif word == "@MainActor":
            marks.add("main-actor")
        elif word.endswith("(set)"):
            marks.add("read-only")
        elif word not in SILENT and not word.startswith("@"):
            raise Unreadable(f"{word} in: {original}")
    prefix = ".".join(path) + "." if path else ""
    if match := re.match(rf"({'|'.join(TYPES)}) ([\w.`]+)", text):
        return [type_fact(match, text, prefix, marks)]
    if match := re.match(r"(typealias|associatedtype) (\w+)(.*)", text):
        rest = match[3].strip()
        kind = match[1]
        if kind == "typealias":
            return [Fact(prefix + match[2], kind, type=plain(rest.lstrip("= ")))]
        return [Fact(prefix + match[2], kind, generics=constraints(match[2] + rest if rest else "", ""))]
    if text.startswith("case "):
        return [case_fact(entry, prefix) for entry in split(text[5:])]
    if match := re.match(r"(?:func |(?=init|subscript))(`?\w+`?|[=<>!+\-]+)\s*([?!]?)\s*", text):
        return [function_fact(match, text, prefix, marks)]
    if match := re.match(r"(var|let) (`?\w+`?)\s*", text):
        return [variable_fact(match, text, prefix, marks)]
    raise Unreadable(original)


def type_fact(match, text, prefix, marks):
    rest, generics, where = text[match.end():].rstrip("{ "), "", ""
    if rest.startswith("<"):
        end = bracket(rest, 0)
        generics, rest = rest[1:end - 1], rest[end:]
    if " where " in f" {rest}":
        rest, _, where = f" {rest}".partition(" where ")
    parents = [plain(re.sub(r"@\w+ ", "", parent)) for parent in split(rest.strip().lstrip(":"))]
    if match[1] == "protocol":
        generics = ""  # primary associated types are checked as associated types
    return Fact(
        prefix + match[2].strip("`"), match[1], parents=parents, generics=constraints(generics, where), marks=marks & {"open", "main-actor"})


def case_fact(entry, prefix):
    name = re.match(r"`?(\w+)`?", entry)
    rest = entry[name.end():].strip()
    labels, parameters = "", []
    if rest.startswith("("):
        end = bracket(rest, 0)
        for part in split(rest[1:end - 1]):
            label = re.match(r"(\w+)\s*:", part)
            pieces = split(part[label.end():] if label else part, " = ")
            parameters.append((plain(pieces[0]), plain(pieces[1]) if len(pieces) > 1 else None))
            labels += f"{label[1] if label else '_'}:"
        labels, rest = f"({labels})", rest[end:].strip()
    value = rest.lstrip("= ") or None
    return Fact(prefix + name[1] + labels, "case", parameters=parameters, value=value)


def function_fact(match, text, prefix, marks):
    name, rest, generics, where = match[1].strip("`"), text[match.end():], "", ""
    if match[2]:
        marks = marks | {"failable"}
    if rest.startswith("<"):
        end = bracket(rest, 0)
        generics, rest = rest[1:end - 1], rest[end:].strip()
    end = bracket(rest, 0)
    parameters = [parameter(part) for part in split(rest[1:end - 1])]
    rest = rest[end:].strip()
    rest = re.sub(r"\s*\{.*$", "", rest) if " -> " not in f" {rest}" else rest
    rest, _, where = rest.partition(" where ")
    effects, arrow, result = f" {rest} ".partition("-> ")
    marks |= {word for word in ("async", "throws") if re.search(rf"\b{word}\b", effects)}
    kind = "init" if name == "init" else "static func" if "static" in marks else "func"
    labels = "".join(f"{label if name[0].isalpha() or name[0] == '_' else '_'}:" for label, _, _ in parameters)
    return Fact(
        f"{prefix}{name}({labels})", kind, parameters=[(type, default) for _, type, default in parameters],
        type=plain(result) if arrow else "Void", generics=constraints(generics, where), marks=marks - {"static", "read-only"})


def variable_fact(match, text, prefix, marks):
    rest = text[match.end():].strip()
    accessors = re.search(r"\{([^{}]*)\}\s*$", rest)
    if accessors and re.fullmatch(r"\s*(nonmutating |mutating )?(get|set)( async)?( throws)?( (nonmutating )?set)?\s*", accessors[1]):
        rest = rest[:accessors.start()].strip()
    else:
        accessors = None
    type, _, value = rest.partition("=")
    if not rest.startswith(":"):
        type = ":" + inferred(value.strip())
    else:
        pieces = split(rest, "=")
        type, value = pieces[0], "=".join(pieces[1:])
    kind = "static var" if "static" in marks else "var"
    words = accessors[1].split() if accessors else []
    settable = match[1] == "var" and "read-only" not in marks and (not accessors or "set" in words)
    found = marks & {"open", "main-actor"} | ({"set"} if settable else set()) | {word for word in ("async", "throws") if word in words}
    fact = Fact(prefix + match[2].strip("`"), kind, type=plain(type.lstrip(": ")), marks=found)
    fact.value = literal(value) if value.strip() else None
    # For the reader of lists, which do not say of every variable whether it can be set.
    fact.sure = match[1] == "let" or bool(accessors) or "read-only" in marks or bool(value.strip())
    return fact


def read_line(line):
    """A line of a facts file."""
    columns = re.split(r"\s{2,}", line.strip(), maxsplit=2)
    name, kind = columns[0], columns[1]
    shape = columns[2] if len(columns) > 2 else ""
    fact = Fact(name, kind)
    while match := re.match(r"(open|main-actor|discardable|mutating|failable)\b\s*", shape):
        fact.marks.add(match[1])
        shape = shape[match.end():]
    if shape.startswith("<"):
        end = bracket(shape, 0)
        fact.generics, shape = split(shape[1:end - 1]), shape[end:].strip()
    if kind in TYPES:
        fact.parents = split(shape.lstrip(": "))
        return fact
    if kind in ("func", "static func", "init", "case"):
        if shape.startswith("("):
            end = bracket(shape, 0)
            for part in split(shape[1:end - 1]):
                pieces = split(part, " = ")
                fact.parameters.append((pieces[0], " = ".join(pieces[1:]) or None))
            shape = shape[end:].strip()
        if kind == "case":
            fact.value = shape.lstrip("= ") or None
            return fact
        effects, arrow, result = f"{shape} ".partition("-> ")
        fact.marks |= {word for word in ("async", "throws") if word in effects.split()}
        fact.type = result.strip() if arrow else "Void"
        return fact
    if kind in ("var", "static var"):
        pieces = split(shape, " = ")
        fact.value = " = ".join(pieces[1:]) or None
        match = re.fullmatch(r"(.*) get((?: async| throws| set)*)", pieces[0])
        fact.type = match[1]
        fact.marks |= set(match[2].split())
        return fact
    fact.type = shape
    if kind == "associatedtype":
        fact.type = ""
    return fact
