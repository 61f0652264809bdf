#!/usr/bin/env python3
"""check_guides.py FOLDER [--blocks FILE] [--swift 6]: type-checks the code of the published guides in FOLDER as it is printed.

`scripts/check-guides` calls it. The guides are not part of this repository; blocks.txt says where their code is, in which context of contexts/ it
stands, and what is expected of it. Exits with 1 when a block does better or worse than expected, or when a guide has changed.

A line of blocks.txt:   GUIDE  LINES:CONTEXT[,LINES:CONTEXT]  HASH  here|apple|no  [words of the error]
"""

import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "Tests/Manifest"))
import manifest

MODULES = ROOT / ".build/debug/Modules"
APPLE = ROOT / ".build/apple-modules"
SQLITE = ROOT / ".build/checkouts/GRDB.swift/Sources/GRDBSQLite"
HEADERS = manifest.Manifest.of_package(ROOT).all_headers()
STUBS = ROOT / "Tests/AppleStubs"
# Contexts that are another one with one thing put in place of another.
VARIANTS = {
    "signing": ("binding", "DeviceBindingCallback", "DeviceSigningVerifierCallback"),
    "legacy-signing": ("legacy-binding", "DeviceBindingCallback", "DeviceSigningVerifierCallback"),
    "push-answer": ("push", ") async throws {\n  // block", ") async throws -> Bool {\n  // block"),
}


def text_of(lines, span):
    """The lines FIRST-LAST of a guide; a fence around them is no code, and an import may stand anywhere."""
    first, _, last = span.partition("-")
    return [line for line in lines[int(first) - 1:int(last or first)] if not line.startswith("```")]


def source(lines, context):
    """The context with the block in it, and its imports above."""
    imports = [line.strip() for line in lines if re.match(r"\s*import \w+\s*$", line)]
    code = [line for line in lines if not re.match(r"\s*import \w+\s*$", line)]
    name, old, new = VARIANTS.get(context, (context, "", ""))
    text = (HERE / "contexts" / f"{name}.swift").read_text().replace(old, new)
    assert text.count("// block") == 1, context
    return "\n".join(imports) + "\n" + text.replace("// block", "\n".join(code))


def compiles(file, paths, version):
    """None when the file can be compiled; else its first error."""
    # @main stands in a file of a library here, so that there need be no program around it.
    command = ["swiftc", "-emit-sil", "-o", "/dev/null", "-module-name", "Block", "-parse-as-library", "-swift-version", version,
               *(f"-I{path}" for path in paths), str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        return None
    errors = [line.partition("error: ")[2] for line in done.stderr.splitlines() if "error: " in line and not line.startswith(" ")]
    return errors[0] if errors else done.stderr.strip().splitlines()[-1]


def stubs(folder, names, search):
    """Compiles stub modules into `folder`."""
    for name in names:
        sources = folder / f"{name}-stubs"
        sources.mkdir()
        shared = "".join(file.read_text() for file in (STUBS / name).glob("*.swift"))
        for file in (file for home in (STUBS, HERE / "stubs") for file in (home / name).glob("*.swift")):
            # A type of our own in a file of its name is left out as soon as the shared stubs have it.
            if re.search(rf"class {file.stem}\b", shared) and file.is_relative_to(HERE):
                continue
            # Apple's classes come from Objective-C: Swift 5 does not enforce their isolation.
            text = re.sub(r"^@MainActor (?=(?:open|public) )", "@preconcurrency @MainActor ", file.read_text(), flags=re.M)
            (sources / file.name).write_text(text)
        subprocess.run(
            ["swiftc", "-emit-module", "-module-name", name, "-emit-module-path", folder / f"{name}.swiftmodule", "-parse-as-library", "-wmo",
             "-swift-version", "6", "-suppress-warnings", f"-I{folder}", *(f"-I{path}" for path in search),
             *sorted(str(file) for file in sources.glob("*.swift"))], check=True)


def check(block, guides, folder, number, version):
    """The outcome of a block: `here`, `apple` or `no`, with the first error on Linux, and the hash of its text."""
    guide, spans = block[0], block[1]
    [path] = guides.glob(f"{guide}*.txt")
    lines = path.read_text().splitlines()
    parts = [(text_of(lines, span), context) for span, _, context in (part.partition(":") for part in spans.split(","))]
    digest = hashlib.sha256("\n".join("\n".join(code) for code, _ in parts).encode()).hexdigest()[:12]
    outcome, error = "here", None
    for index, (code, context) in enumerate(parts):
        file = folder / f"block{number}-{index}.swift"
        file.write_text(source(code, context))
        found = compiles(file, [MODULES, SQLITE, *HEADERS, folder / "linux"], version)
        if found:
            error = error or found
            on_apple = compiles(file, [folder / "apple", APPLE, MODULES, *HEADERS], version)
            outcome = "no" if on_apple or outcome == "no" else "apple"
    return digest, outcome, error


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("guides", type=pathlib.Path)
    parser.add_argument("--blocks", type=pathlib.Path, default=HERE / "blocks.txt")
    parser.add_argument("--swift", default="5")
    parser.add_argument("--only", help="the blocks of one guide")
    options = parser.parse_args()
    blocks = [re.split(r"\s{2,}", line.strip(), maxsplit=4) for line in options.blocks.read_text().splitlines()
              if line.strip() and not line.startswith("#") and (not options.only or line.startswith(options.only))]
    counts, wrong = {"here": 0, "apple": 0, "no": 0}, 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "linux").mkdir()
        (folder / "apple").mkdir()
        stubs(folder / "linux", ["UIKit", "SwiftUI"], [])
        stubs(folder / "apple", ["UIKit", "SwiftUI"], [APPLE])
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(
                lambda pair: check(pair[1], options.guides, folder, pair[0], options.swift), enumerate(blocks)))
    for block, (digest, outcome, error) in zip(blocks, results):
        guide, spans, expected_digest, expected = block[:4]
        words = block[4] if len(block) > 4 else ""
        counts[outcome] += 1
        notes = []
        if digest != expected_digest:
            notes.append(f"its text has changed ({digest})")
        if options.swift == "5" and outcome != expected:
            notes.append(f"{expected} was expected")
        if options.swift == "5" and words and words not in (error or ""):
            notes.append(f"the error was to be: {words}")
        wrong += bool(notes)
        print(f"{guide}  {spans.split(':')[0]:<9} {outcome:<5} {error or ''}{'  <- ' + '; '.join(notes) if notes else ''}".rstrip())
    print(f"{len(blocks)} blocks in Swift {options.swift}: {counts['here']} compile here, {counts['apple']} more on Apple's systems, {counts['no']} nowhere.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
