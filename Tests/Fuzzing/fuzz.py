"""Builds the fuzzers and runs them; see scripts/fuzz.

    fuzz.py [TARGET|all] [SECONDS]               each target for so long, two at a time; standard: all, 60
    fuzz.py --long [TARGET|all] [EXECUTIONS]     each target so often (standard: 10 million), two at a time and without the address sanitizer;
                                                 then what it found runs with that sanitizer, is made small and kept in
                                                 Tests/Fuzzing/corpus, and a table of what was done is printed
    fuzz.py --list                               the targets
    fuzz.py --check                              type-checks the fuzzers' program with the debug build's modules, and runs nothing
"""

import base64
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(ROOT / "Tests/Manifest"), str(HERE)]
import manifest
import seeds

DEBUG = ROOT / ".build/debug"

#: BoringSSL compiled with optimization, if somebody has measured here. It is C: objects of another build have the same layout.
RELEASE, BORINGSSL = ROOT / "Benchmarks/.build/release", "CCryptoBoringSSL"

OUT = ROOT / ".build/fuzz"

#: The same without the address sanitizer.
PLAIN = OUT / "plain"

#: Of ours, but linked as `swift build` made them: what a target looks at in them is borrowed.
AS_BUILT = {"JourneyStore", "Operations", "PingJourneyPlugin", "ServerHTTP"}

#: Longest input that is tried, in bytes: above most limits of the readers.
LONGEST = 20_000

#: Long runs try inputs up to `KEPT_INPUT_BYTES` so often as asked, and then, for each of this many, one up to `LONGEST`.
LONG_INPUT_EVERY = 100

#: What libFuzzer exits with after Ctrl-C.
INTERRUPTED = 72

#: What is kept of a target's corpus.
KEPT_INPUTS, KEPT_INPUT_BYTES, KEPT_BYTES = 200, 4096, 24 << 10

#: Memory, branches, and what is compared with what.
EVERYTHING = ["-sanitize=fuzzer,address"]

#: Branches alone. Noting each comparison takes half of the time.
BRANCHES = ["-sanitize=fuzzer", "-sanitize-coverage=edge,inline-8bit-counters,pc-table"]

FLAGS = [
    "-parse-as-library", "-O", "-swift-version", "6", "-enable-testing",
    "-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature", "InternalImportsByDefault",
    "-enable-upcoming-feature", "MemberImportVisibility", "-package-name", "sealring",
    "-I", str(DEBUG / "Modules")]


def targets():
    return sorted(file.stem for file in (HERE / "Targets").glob("*.swift"))


def borrowed():
    lines = (HERE / "borrowed.txt").read_text().splitlines()
    return [ROOT / line for line in lines if line and not line.startswith("#")]


# Building


def run(command, **options):
    words = [str(word) for word in command]
    if subprocess.run(words, **options).returncode:
        raise SystemExit(f"scripts/fuzz: {words[0]} fails.")


def is_newer(file, others):
    """Whether `file` is there and newer than all `others`."""
    return file.exists() and all(other.stat().st_mtime <= file.stat().st_mtime for other in others)


def clang_flags(package):
    """Where the declarations of C libraries are: ours, and those of packages."""
    folders = package.all_headers()
    checkouts = ROOT / ".build/checkouts"
    folders += sorted(checkouts.glob("*/Sources/*/include"))
    folders += sorted(file.parent for file in checkouts.glob("*/Sources/*/module.modulemap"))
    flags = [f"-I{folder}" for folder in folders]
    maps = sorted(DEBUG.glob("*.build/module.modulemap"))
    flags += [f"-fmodule-map-file={file}" for file in maps]
    return [word for flag in flags for word in ("-Xcc", flag)]


def compile_module(target, flags, out):
    sources = sorted((ROOT / target.path).rglob("*.swift"))
    needed = [out / f"{name}.swiftmodule" for name in target.declared]
    result = out / f"{target.name}.o"
    if is_newer(result, sources + [file for file in needed if file.exists()]):
        return
    run(["swiftc", *flags, "-wmo", "-module-name", target.name, "-emit-module", "-emit-module-path",
         out / f"{target.name}.swiftmodule", "-c", "-o", result, *sources])
    # The compiler leaves an object alone that would not change.
    result.touch()


def others(own, is_fast):
    """Objects of everything that is not instrumented; BoringSSL's optimized, if that is wanted and they are there."""
    found = []
    for folder in sorted(DEBUG.glob("*.build")):
        if folder.stem in own or folder.stem.endswith(("Tests", "-tool")):
            continue
        optimized = sorted((RELEASE / folder.name).rglob("*.o")) if is_fast and folder.stem.startswith(BORINGSSL) else []
        found += optimized or made_of_sources(folder)
    return found


def made_of_sources(folder):
    """A target's objects, in a Swift module without those that sources left behind which are gone."""
    made = folder / "output-file-map.json"
    if not made.exists():
        return sorted(folder.rglob("*.o"))
    names = {pathlib.Path(file["object"]).name for file in json.loads(made.read_text()).values() if "object" in file}
    return [file for file in sorted(folder.rglob("*.o")) if file.name in names]


def program():
    """The sources of the fuzzers' own module."""
    return sorted(HERE.glob("Program/*.swift")) + sorted(HERE.glob("Targets/*.swift")) + borrowed()


def check():
    """Type-checks the fuzzers' program. A borrowed file that needs a new file beside it fails here, long before the fuzzers are built."""
    # `swift build` names the package after its folder.
    name = re.search(r'"-module-name","Bytes",.*"-package-name","([^"]+)"', (ROOT / ".build/debug.yaml").read_text())
    flags = [*FLAGS, *clang_flags(manifest.Manifest.of_package(ROOT)), "-package-name", name[1]]
    run(["swiftc", "-typecheck", "-suppress-warnings", *flags, "-module-name", "Fuzzers", *program()])


def build(out=OUT):
    """Compiles what the targets read with, instrumented, each module once and below those that need it; then one program for all of them."""
    out.mkdir(parents=True, exist_ok=True)
    package = manifest.Manifest.of_package(ROOT)
    sources = program()
    names = {name for file in sources for name in manifest.imported(file.read_text())}
    modules = [target for target in package.order(sorted(names - AS_BUILT)) if target.name not in AS_BUILT]
    flags = [*(BRANCHES if out == PLAIN else EVERYTHING), "-I", str(out), *FLAGS, *clang_flags(package)]

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        started = {}

        def after(target):
            for name in target.declared:
                if name in started:
                    started[name].result()
            compile_module(target, flags, out)

        for target in modules:
            started[target.name] = pool.submit(after, target)
        for future in started.values():
            future.result()

    objects = [out / f"{target.name}.o" for target in modules]
    result, fuzzers = out / "Fuzzers.o", out / "fuzzers"
    as_built = [DEBUG / f"Modules/{name}.swiftmodule" for name in AS_BUILT]
    if not is_newer(result, sources + objects + as_built):
        run(["swiftc", *flags, "-wmo", "-module-name", "Fuzzers", "-c", "-o", result, *sources])
        result.touch()
    if not is_newer(fuzzers, [result, *objects]):
        # Programs have a beginning of their own.
        programs = {target.name.replace("-", "_") for target in package.targets.values() if target.kind == "executable"}
        files = others({target.name for target in modules} | programs, out == PLAIN)
        archive = out / "others.a"
        archive.unlink(missing_ok=True)
        listing = out / "others.txt"
        listing.write_text("\n".join(f'"{file}"' for file in files))
        run(["ar", "rcS", "--thin", archive, f"@{listing}"])
        run(["swiftc", *flags, "-use-ld=lld", "-o", fuzzers, result, *objects, archive, "-lstdc++", "-lm", "-lz", "-lsqlite3"])
    for name in targets():
        link = out / f"{name}-fuzzer"
        link.unlink(missing_ok=True)
        link.symlink_to(fuzzers)


# Running


def environment(**more):
    # What the address sanitizer calls leaks at the end belongs to the runtime, and a crash needs no trace of Swift's own.
    return os.environ | {"ASAN_OPTIONS": "detect_leaks=0", "SWIFT_BACKTRACE": "enable=no"} | more


def prepare(name):
    """The folder that a target works in, with everything that it starts from."""
    folder = OUT / name
    folder.mkdir(exist_ok=True)
    seeds.write(name, folder)
    run([OUT / f"{name}-fuzzer"], env=environment(FUZZ_SEEDS=str(folder)))
    kept = HERE / f"corpus/{name}.txt"
    for number, line in enumerate(kept.read_text().splitlines() if kept.exists() else []):
        (folder / f"kept-{number}").write_bytes(base64.b64decode(line))
    return folder


def fuzzer(name, folder, *options, out=OUT, longest=LONGEST):
    words = HERE / f"dictionaries/{name}.dict"
    return [
        out / f"{name}-fuzzer", f"-max_len={longest}", "-timeout=20", "-rss_limit_mb=2048",
        f"-artifact_prefix={OUT}/{name}-failure-", *([f"-dict={words}"] if words.exists() else []), *options, folder]


def run_short(name, seconds):
    # A few seconds play the same inputs each time, so that what scripts/test says depends on the code alone; longer runs explore.
    repeated = ["-seed=1"] if int(seconds) < 5 else []
    command = fuzzer(name, prepare(name), f"-max_total_time={seconds}", *repeated)
    done = subprocess.run([str(word) for word in command], env=environment(), capture_output=True, text=True, errors="replace")
    executions = re.search(r"Done (\d+) runs", done.stderr)
    print(f"{name}: {executions[1] if executions else 'not all'} executions")
    if done.returncode:
        print("\n".join(done.stderr.splitlines()[-30:]), file=sys.stderr)
        print(f"scripts/fuzz: {name} fails; the input lies in {OUT}/{name}-failure-*.", file=sys.stderr)
    sys.stdout.flush()
    return done.returncode == 0


def run_long(name, executions):
    """As often as asked, without the address sanitizer; what that found then runs with it. Prints a row of a table."""
    folder = prepare(name)
    begun = time.monotonic()
    code = explore(name, folder, executions, KEPT_INPUT_BYTES, "w")
    if code == 0:
        code = explore(name, folder, executions // LONG_INPUT_EVERY, LONGEST, "a")
    seconds = time.monotonic() - begun
    text = (OUT / f"{name}.log").read_text(errors="replace")
    executions = sum(map(int, re.findall(r"stat::number_of_executed_units:\s*(\d+)", text)))
    found = re.findall(r"cov: (\d+) ft: (\d+)", text)
    has_failed = code not in (0, INTERRUPTED) or not passes(name, folder)
    if not has_failed:
        keep(name, folder)
    edges, features = found[-1] if found else (0, 0)
    print(f"| `{name}` | {executions:,} | {executions / max(seconds, 1):,.0f} | {int(edges):,} | {int(features):,} | {int(has_failed)} |", flush=True)
    return not has_failed


def explore(name, folder, executions, longest, mode):
    """What the fuzzer without the address sanitizer ends with."""
    with open(OUT / f"{name}.log", mode) as log:
        command = fuzzer(name, folder, f"-runs={executions}", "-print_final_stats=1", out=PLAIN, longest=longest)
        return subprocess.run([str(word) for word in command], env=environment(), stderr=log, stdout=log).returncode


def passes(name, folder):
    """Whether every input of the folder passes with the address sanitizer."""
    with open(OUT / f"{name}.log", "a") as log:
        command = fuzzer(name, folder, "-runs=0")
        return subprocess.run([str(word) for word in command], env=environment(), stderr=log, stdout=log).returncode == 0


def keep(name, folder):
    """Writes the inputs that reach everything the others reach into Tests/Fuzzing/corpus; of too many, some of each length."""
    small = OUT / f"{name}.small"
    shutil.rmtree(small, ignore_errors=True)
    small.mkdir()
    command = [OUT / f"{name}-fuzzer", "-merge=1", f"-max_len={KEPT_INPUT_BYTES}", small, folder]
    run(command, env=environment(), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    chosen = some(sorted((file.read_bytes() for file in small.iterdir()), key=lambda content: (len(content), content)))
    lines = [base64.b64encode(content).decode() + "\n" for content in chosen]
    (HERE / "corpus").mkdir(exist_ok=True)
    (HERE / f"corpus/{name}.txt").write_text("".join(lines))


def some(inputs):
    """As many of them, in even steps, as may be kept."""
    step = 1
    while len(inputs[::step]) > KEPT_INPUTS or sum(map(len, inputs[::step])) > KEPT_BYTES:
        step += 1
    return inputs[::step]


def main(arguments):
    if arguments == ["--list"]:
        print("\n".join(targets()))
        return
    is_check, is_long = arguments == ["--check"], arguments[:1] == ["--long"]
    arguments = arguments[is_check or is_long:]
    wanted, amount = (arguments + ["all", ""][len(arguments):])[:2]
    if len(arguments) > 2 or wanted not in ["all", *targets()] or not (amount or "1").isdecimal():
        print(f"scripts/fuzz: use one of these targets, or all: {', '.join(targets())}.", file=sys.stderr)
        raise SystemExit(64)
    names = targets() if wanted == "all" else [wanted]
    if not (DEBUG / "Modules/Crypto.swiftmodule").exists():
        raise SystemExit("scripts/fuzz: there is no debug build. Run 'swift build' first.")
    if is_check:
        return check()
    begun = time.monotonic()
    build()
    if is_long:
        build(PLAIN)
    print(f"Built in {time.monotonic() - begun:.0f} s.")
    if is_long:
        print("| Target | Executions | A second | Edges | Features | Findings |\n|---|--:|--:|--:|--:|--:|", flush=True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        each = (lambda name: run_long(name, int(amount or 10_000_000))) if is_long else (lambda name: run_short(name, int(amount or 60)))
        results = list(pool.map(each, names))
    raise SystemExit(0 if all(results) else f"scripts/fuzz: the inputs that fail lie in {OUT}/*-failure-*.")


if __name__ == "__main__":
    main(sys.argv[1:])
