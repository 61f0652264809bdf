"""Reads Package.swift as Swift sees it: what each target declares, and in which order the targets are built.

    manifest.py check             compares what targets declare with what their files import, and with the layers
    manifest.py order WHAT...     prints the folders of our targets that WHAT is made of, each below those it needs. WHAT is a
                                  target, a Swift file (the targets it imports), or `apple` (the client's libraries)
    manifest.py headers           prints the folders of our C targets' headers, for compilers that are not run by SwiftPM
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

#: From the bottom to the top. Those in one row do not know each other.
LAYERS = (("System",), ("Core",), ("Formats",), ("Device",), ("Client", "Server"), ("Tools",))

#: The most lines of a file in `Sources`.
LONGEST = 400

IMPORT = re.compile(
    r"\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?"
    r"import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)")


class Target:
    """One target of the manifest. `declared` maps the name of each dependency to whether it is there on Linux only."""

    def __init__(self, described):
        self.name = described["name"]
        self.kind = described["type"]
        self.path = described["path"]
        self.declared = {}
        self.others = set()
        for dependency in described["dependencies"]:
            for kind, value in dependency.items():
                self.declared[value[0]] = bool((value[-1] or {}).get("platformNames"))
                if kind == "product":
                    self.others.add(value[0])

    @property
    def layer(self):
        """The folder of `Sources`; `Tests` or `Examples` for what stands there."""
        parts = pathlib.Path(self.path).parts
        return parts[1] if parts[0] == "Sources" else parts[0]

    @property
    def subject_layer(self):
        """The folder within `Sources` or `Tests`: the layer that tests are about."""
        return pathlib.Path(self.path).parts[1]


class Manifest:
    def __init__(self, described, root="."):
        self.root = pathlib.Path(root)
        self.targets = {target["name"]: Target(target) for target in described["targets"]}
        self.others = {name for target in self.targets.values() for name in target.others}
        self.libraries = [
            name for product in described["products"] if "library" in product["type"] for name in product["targets"]]

    @classmethod
    def of_package(cls, root="."):
        """The manifest as Swift reads it, which takes a second: kept in `.build` for as long as Package.swift is the same."""
        digest = hashlib.sha256((pathlib.Path(root) / "Package.swift").read_bytes()).hexdigest()
        kept = pathlib.Path(root) / ".build" / "manifest.json"
        try:
            found = json.loads(kept.read_text())
            if found["digest"] == digest:
                return cls(found["manifest"], root)
        except (OSError, ValueError, KeyError, TypeError):
            pass
        # Of everything, whatever `scripts/check` has chosen.
        environment = {name: value for name, value in os.environ.items() if name != "SEALRING_TESTS"}
        described = json.loads(subprocess.check_output(["swift", "package", "dump-package"], cwd=root, env=environment))
        kept.parent.mkdir(exist_ok=True)
        part = kept.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps({"digest": digest, "manifest": described}))
        part.replace(kept)
        return cls(described, root)

    def target_of(self, file):
        """The target that `file`, named from the root, belongs to; `None` when it is in none."""
        parts = pathlib.Path(file).parts
        fitting = [
            target for target in self.targets.values()
            if parts[:len(pathlib.Path(target.path).parts)] == pathlib.Path(target.path).parts]
        return max(fitting, key=lambda target: len(target.path), default=None)

    def imports(self, target):
        """The names that a target's files import, of those the manifest knows, each with one of the files."""
        found = {}
        for file in sorted((self.root / target.path).rglob("*.swift")):
            for name in imported(file.read_text()):
                if name in self.targets or name in self.others:
                    found.setdefault(name, file.relative_to(self.root))
        return found

    def faults(self):
        """What to change in Package.swift, or in the files, in sentences; empty when all is as it should be."""
        tests = [target for target in self.targets.values() if target.kind == "test"]
        # What every test target has comes from the manifest's function for tests, wanted or not.
        common = set.intersection(*[{test.name.removesuffix("Tests"), *test.declared} for test in tests]) if tests else set()
        for file in sorted((self.root / "Sources").rglob("*.swift")):
            if (count := file.read_text().count("\n")) > LONGEST:
                yield f"{file.relative_to(self.root)} has {count} lines, more than {LONGEST}: one idea a file."
        for target in self.targets.values():
            if target.kind == "system":
                continue
            imports = self.imports(target)
            for name, file in imports.items():
                if name not in target.declared and name != target.name:
                    yield f"{target.name} imports {name} in {file}: declare it in Package.swift."
            for name in target.declared:
                if name not in imports and not (target.kind == "test" and name in common):
                    yield f"{target.name} declares {name}, and none of its files imports it: take it out of Package.swift."
            if target.layer == "Examples":
                yield from self.hidden(target)
            elif target.layer != "Tests":
                yield from self.upward(target)

    def hidden(self, target):
        for name in target.declared:
            if name in self.targets and name not in self.libraries:
                yield f"{target.name} (Examples) needs {name}, which is not a library of this package: an app cannot have it."

    def upward(self, target):
        own = height(target.layer)
        for name in target.declared:
            if name not in self.targets:
                continue
            other = self.targets[name].layer
            if other == "Tests" or height(other) > own or (height(other) == own and other != target.layer):
                yield f"{target.name} ({target.layer}) needs {name} ({other}): a target may only use its own layer and the ones below it."

    def headers(self, name):
        """The folder of a C target's headers, with its module map if that is written by hand; `None` for a target in Swift."""
        target = self.targets[name]
        folder = self.root / target.path
        if target.kind == "system":
            return folder
        return folder / "include" if (folder / "include").is_dir() else None

    def all_headers(self):
        return [folder for name in self.targets if (folder := self.headers(name))]

    def order(self, names):
        """The targets in Swift that `names` are made of, those at the bottom first."""
        done = {}

        def visit(name):
            if name in done or name not in self.targets or self.headers(name):
                return
            for other in self.targets[name].declared:
                visit(other)
            done[name] = self.targets[name]

        for name in names:
            visit(name)
        return list(done.values())

    def apple(self):
        """The client's libraries that Apple's systems can have: those that are not made of a library that is there on Linux only."""
        return [
            name for name in self.libraries if self.targets[name].layer == "Client"
            and not any(
                linux and self.targets[other].kind == "system" for target in self.order([name])
                for other, linux in target.declared.items() if other in self.targets)]

    def named(self, what):
        """The targets that an argument of `order` stands for."""
        if what == "apple":
            return self.apple()
        if what.endswith(".swift"):
            return [name for name in imported((self.root / what).read_text()) if name in self.targets]
        if what not in self.targets:
            raise SystemExit(f"manifest.py: Package.swift has no target '{what}'.")
        return [what]


def height(layer):
    for number, row in enumerate(LAYERS):
        if layer in row:
            return number
    raise SystemExit(f"manifest.py: Sources/{layer} is not a layer; the layers are {', '.join(name for row in LAYERS for name in row)}.")


def imported(text):
    """The modules that Swift code imports, in order; what stands in texts of several lines does not count."""
    found, within = [], False
    for line in text.splitlines():
        if not within and (match := IMPORT.match(line)):
            found.append(match[1])
        within ^= line.count('"""') % 2 == 1
    return list(dict.fromkeys(found))


def main(arguments):
    if not arguments or arguments[0] not in ("check", "order", "headers"):
        raise SystemExit(__doc__.strip())
    manifest = Manifest.of_package()
    if arguments[0] == "order":
        for target in manifest.order([name for what in arguments[1:] for name in manifest.named(what)]):
            print(target.path)
        return
    if arguments[0] == "headers":
        for folder in manifest.all_headers():
            print(folder.relative_to(manifest.root))
        return
    if faults := list(manifest.faults()):
        raise SystemExit("\n".join(["scripts/check-modules:", *faults]))
    print(f"{len(manifest.targets)} targets declare what they import, and need lower layers only.")


if __name__ == "__main__":
    main(sys.argv[1:])
