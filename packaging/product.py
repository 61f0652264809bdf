"""What is packaged: the version, the date, and the two programs."""
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ("sealring", "sealring-server")


class PackagingError(Exception):
    """What is wrong with the input or the result, in a sentence for the person who packages."""


def version():
    """The one version number, from Core/ProductVersion."""
    source = (ROOT / "Sources/Core/ProductVersion/ProductVersion.swift").read_text()
    found = re.search(r'static let text = "([^"]+)"', source)
    if not found or not re.fullmatch(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?", found[1]):
        raise PackagingError("Sources/Core/ProductVersion has no semantic version.")
    return found[1]


def debian_version(text):
    """1.0.0-rc.1 sorts before 1.0.0 in Debian as `1.0.0~rc.1`."""
    return text.replace("-", "~", 1)


def epoch():
    """Seconds since 1970 that every file in a package has: SOURCE_DATE_EPOCH, else the last commit's time."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    return int(run("git", "-C", str(ROOT), "log", "-1", "--format=%ct"))


def run(*command, **options):
    """A program's standard output; raises with its words when it fails."""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    if result.returncode != 0:
        raise PackagingError(f"{' '.join(map(str, command[:3]))} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


class Programs:
    """The two binaries that go into packages, and the two that are asked for help and completions.

    They are the same in a release. The short tests pack small stand-ins and ask the debug build."""

    def __init__(self, payload, spoken_by=None):
        self.payload = {name: pathlib.Path(payload) / name for name in PROGRAMS}
        self.speakers = {name: pathlib.Path(spoken_by or payload) / name for name in PROGRAMS}
        for path in [*self.payload.values(), *self.speakers.values()]:
            if not path.is_file():
                raise PackagingError(f"{path} is missing. Build it, or name its folder with --binaries.")
        for name, path in self.speakers.items():
            said = run(str(path), "--version").strip()
            if said != f"{name} {version()}":
                raise PackagingError(f"{path} --version says '{said}', and the source is {version()}. Build again.")

    def needed(self, name):
        """Names of the shared libraries that a program is linked with itself."""
        return needed_libraries(self.payload[name])


def needed_libraries(path):
    return re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "--wide", "--dynamic", str(path)))


def has_full_relro(path):
    """Whether a program's tables of addresses are read-only once it has started."""
    text = run("readelf", "--wide", "--dynamic", "--segments", str(path))
    return "GNU_RELRO" in text and bool(re.search(r"\(FLAGS(_1)?\).*\b(BIND_NOW|NOW)\b", text))


def newest_glibc(path):
    """The newest version of glibc's symbols that a binary asks for, as numbers; (0,) without any."""
    text = run("readelf", "--wide", "--version-info", str(path))
    versions = re.findall(r"GLIBC_(\d+(?:\.\d+)+)", text)
    return max((tuple(map(int, v.split("."))) for v in versions), default=(0,))
