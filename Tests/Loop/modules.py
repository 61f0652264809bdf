"""Which tests belong to which module and file, for `scripts/check`.

    modules.py [--dependents] [NAME…]     prints the test targets to build on the first line, then what they leave out, in sentences.
                                          NAME is a module, a test target or a file; without one, the files that differ from main
    modules.py --touched                  prints those files that are still there
"""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "Manifest"))

from manifest import Manifest

#: What `scripts/test` runs and a target of tests does not.
ELSEWHERE = "lint of the rest, and the modules' layers: scripts/test. Documents, guides, API, fuzzing, soak: scripts/test --all."


class Unknown(Exception):
    """A name that is neither a module nor a file of this package."""


def started(text):
    """The programs that each test target starts, from `started` in Package.swift, which Swift does not tell of."""
    table = re.search(r"^let started = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    rows = re.findall(r'"(\w+)": \[(.*?)\]', table[1]) if table else []
    return {test: re.findall(r'"([\w-]+)"', programs) for test, programs in rows}


class Choice:
    """The test targets for some modules and files. `programs` are those that tests start, by test target."""

    def __init__(self, manifest, programs=None):
        self.manifest = manifest
        self.programs = programs or {}
        self.chosen = []
        self.modules = []
        #: Files that no target has.
        self.outside = []

    @property
    def tests(self):
        return [target for target in self.manifest.targets.values() if target.kind == "test"]

    def parts(self, test):
        """The names of all targets that a test target is made of, or starts."""
        return {part.name for part in self.manifest.order([test, *self.programs.get(test, [])])}

    def add(self, name):
        """Takes the tests of a module, a test target or a file."""
        if name in self.manifest.targets:
            target = self.manifest.targets[name]
        elif (self.manifest.root / name).exists() or "/" in name:
            target = self.manifest.target_of(name)
            if target is None:
                if name not in self.outside:
                    self.outside.append(name)
                return
        else:
            near = [other for other in self.manifest.targets if name.lower() in other.lower()]
            hint = f" Near it: {', '.join(near[:5])}." if near else ""
            raise Unknown(f"Package.swift has no module '{name}', and there is no such file.{hint}")
        if target.kind == "test":
            self.take(target.name)
        elif target.name not in self.modules:
            self.modules.append(target.name)
            for test in self.tests_of(target.name):
                self.take(test)

    def add_dependents(self):
        """Takes the tests of each module that imports one of those chosen, and the test targets that do."""
        for module in list(self.modules):
            for target in self.manifest.targets.values():
                if module not in target.declared:
                    continue
                if target.kind == "test":
                    self.take(target.name)
                else:
                    for test in self.tests_of(target.name):
                        self.take(test)

    def take(self, name):
        if name not in self.chosen:
            self.chosen.append(name)

    def tests_of(self, module):
        """The target that is called as the module; else those that declare it, of its layer where there are some; else the smallest that is
        made of it."""
        if f"{module}Tests" in self.manifest.targets:
            return [f"{module}Tests"]
        declaring = [test for test in self.tests if module in test.declared]
        layer = self.manifest.targets[module].layer
        same = [test for test in declaring if test.subject_layer == layer]
        # What a fixture is made for shows in all its users.
        if layer == "Tests" or not (same or declaring):
            made = [test.name for test in self.tests if module in self.parts(test.name)]
            if layer == "Tests":
                return [test.name for test in declaring] or made
            return [min(made, key=lambda test: len(self.parts(test)))] if made else []
        return [test.name for test in same or declaring]

    def left_out(self):
        """What these tests do not show, in sentences."""
        for module in self.modules:
            if not self.tests_of(module):
                yield f"No test is made of {module}."
        others = {
            test.name for test in self.tests if test.name not in self.chosen
            and any(module in self.parts(test.name) for module in self.modules)}
        if others:
            yield f"Not run: {len(others)} test targets that are made of {', '.join(self.modules)}: scripts/check --dependents takes the nearest."
        if self.outside:
            more = f" and {len(self.outside) - 4} more" if len(self.outside) > 4 else ""
            yield f"In no target: {', '.join(self.outside[:4])}{more}."
        yield f"Not run: {ELSEWHERE}"


def touched(root="."):
    """The files that differ from main: committed, changed or new."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True).stdout.split("\0")

    def commit(*arguments):
        return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True).stdout.strip()

    # On main itself, what was not pushed yet.
    main = "main" if commit("rev-parse", "HEAD") != commit("rev-parse", "main") else "origin/main"
    base = commit("merge-base", "HEAD", main) or "HEAD"
    changed = git("diff", "--name-only", "-z", base) + git("ls-files", "--others", "--exclude-standard", "-z")
    return sorted({file for file in changed if file})


def main(arguments):
    if arguments == ["--touched"]:
        print("\n".join(file for file in touched() if pathlib.Path(file).exists()))
        return
    dependents = "--dependents" in arguments
    names = [argument for argument in arguments if argument != "--dependents"]
    choice = Choice(Manifest.of_package(), started(pathlib.Path("Package.swift").read_text()))
    try:
        for name in names or touched():
            choice.add(name)
    except Unknown as error:
        raise SystemExit(f"scripts/check: {error}")
    if dependents:
        choice.add_dependents()
    print(" ".join(choice.chosen))
    for sentence in choice.left_out():
        print(sentence)


if __name__ == "__main__":
    main(sys.argv[1:])
