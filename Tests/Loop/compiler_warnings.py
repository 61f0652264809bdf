"""Finds what the compiler has warned of in the last build, whoever built: it keeps the diagnostics of each file beside its object.

    compiler_warnings.py BUILD     prints each file of ours with its warnings; exit code 1 when there are any.
                                   BUILD is the folder of a debug build, such as .build/debug
"""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "Manifest"))

from manifest import Manifest

TEXT = re.compile(rb"[\x20-\x7e]{12,}")


def files_of(build, target):
    """The source files of a target that was built, each with the file of its diagnostics."""
    try:
        described = json.loads((build / f"{target}.build" / "output-file-map.json").read_text())
    except OSError:
        return
    for source, made in described.items():
        # A file that is gone leaves its diagnostics.
        if "diagnostics" in made and pathlib.Path(made["diagnostics"]).exists() and pathlib.Path(source).exists():
            yield source, pathlib.Path(made["diagnostics"])


def texts(bytes_):
    """What is readable in a file of diagnostics: messages and file names, each once."""
    return list(dict.fromkeys(text.decode("ascii").strip() for text in TEXT.findall(bytes_)))


def warned(build, targets):
    """The files with diagnostics of their own, each with what they say."""
    kept = [found for target in targets for found in files_of(build, target)]
    if not kept:
        raise SystemExit(f"scripts/check-warnings: no diagnostics in {build}. Run 'swift build --build-tests' first.")
    for source, path in kept:
        bytes_ = path.read_bytes()
        # A diagnostic names its file. What the compiler said of another one meanwhile, it says in that one's own, as long as it is true.
        if source.encode() in bytes_:
            yield source, [message for message in texts(bytes_) if not message.endswith(source)]


def main(arguments):
    build = pathlib.Path(arguments[0])
    manifest = Manifest.of_package()
    targets = [target.name for target in manifest.targets.values() if target.kind != "system"]
    found = list(warned(build, targets))
    for source, messages in found:
        print(f"{source}:\n  " + "\n  ".join(messages))
    if found:
        raise SystemExit(f"scripts/check-warnings: {len(found)} files with warnings.")
    print("No warnings in our files.")


if __name__ == "__main__":
    main(sys.argv[1:])
