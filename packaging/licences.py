"""The licences of what is linked into the programs, and of the shared libraries that are put beside them."""
import json
import pathlib
import re
import subprocess

import product

#: Resolved for building only: nothing of it is in a program.
BUILD_ONLY = {"swift-docc-plugin", "swift-docc-symbolkit"}


def linked_packages():
    """Names of the Swift packages whose code is in the programs, as Package.resolved has them."""
    resolved = json.loads((product.ROOT / "Package.resolved").read_text())
    return sorted({pin["identity"] for pin in resolved["pins"]} - BUILD_ONLY, key=str.lower)


def unnamed(notice=None):
    """Linked packages that docs/NOTICE.md does not name."""
    text = notice if notice is not None else (product.ROOT / "docs/NOTICE.md").read_text()
    named = {name.lower() for name in re.findall(r"\| \[([^\]]+)\]", text)}
    return [name for name in linked_packages() if name.lower() not in named]


def texts():
    """File name to text: the licence and notice files of everything that is linked statically."""
    if missing := unnamed():
        raise product.PackagingError(f"docs/NOTICE.md does not name {', '.join(missing)}, which the programs contain.")
    found = {}
    for folder in sorted((product.ROOT / ".build/checkouts").iterdir()):
        if folder.name in BUILD_ONLY:
            continue
        # Works of others inside a package have their licence beside their sources.
        files = [f for place in (folder.glob("*"), folder.glob("Sources/**/LICENSE*")) for f in sorted(place)
                 if re.match(r"(?i)(licen[cs]e|notice|copying)", f.name) and f.is_file()]
        if not any(re.match(r"(?i)(licen[cs]e|copying)", f.name) for f in files):
            raise product.PackagingError(f"{folder} has no licence file.")
        for file in files:
            found["-".join([folder.name, *file.relative_to(folder).with_suffix("").parts]) + ".txt"] = file.read_text()
    found["swift-runtime-LICENSE.txt"] = toolchain_licence()
    return found


def toolchain_licence():
    swift = pathlib.Path(product.run("sh", "-c", 'readlink -f "$(command -v swift)"').strip())
    return (swift.parent.parent / "share/swift/LICENSE.txt").read_text()


def of_libraries(paths):
    """Debian package to its copyright file, for shared libraries of this machine."""
    found = {}
    for path in paths:
        owner = None
        # Debian's packages know files by the place before or after /usr was merged.
        for candidate in (path, pathlib.Path(str(path).removeprefix("/usr")), pathlib.Path("/usr" + str(path))):
            result = subprocess.run(["dpkg-query", "-S", str(candidate)], capture_output=True, text=True)
            if result.returncode == 0:
                owner = result.stdout.split(":")[0]
                break
        if owner is None:
            raise product.PackagingError(f"No package owns {path}, so its licence is not known.")
        found[owner] = pathlib.Path(f"/usr/share/doc/{owner}/copyright").read_text()
    return found
