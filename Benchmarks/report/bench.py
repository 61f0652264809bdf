"""`scripts/bench` without the name of one benchmark: everything in one run, the bars, two commits side by side.

Usage: bench.py all [--lines FILE] [--from FILE] [--packaged FILE]
       bench.py bars [--packaged FILE]
       bench.py quick BEFORE [AFTER]
       bench.py start [--packaged FILE]
       bench.py slow-disk [MILLISECONDS]
       bench.py build-time [COMMIT] [--lines FILE]
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import performance
from plots import shown
from programs import ROOT, Postgres, Programs, allocations, derived, median, packaged, privacyidea, say, slow_disk, start

THRESHOLDS = json.loads((ROOT / "Benchmarks/thresholds.json").read_text())
PEERS = os.environ.get("SEALRING_PEERS", str(ROOT / "../shared/peers"))

#: Entries of the ledger that a sign-in is measured with.
LEDGER = 10_000_000

PRODUCTS = ["jws-bench", "webauthn-bench", "parts-bench", "signin-bench", "push-bench", "audit-bench", "script-bench", "tpm-bench",
            "sealring-server"]


def starts(programs, server):
    """Start and idle memory of the server as packages have it, and of a plain release build."""
    return {**start(server, "start-packaged"), **start(programs.folder / "sealring-server")}


def measure(programs, server, seconds, rounds, entries, growths, scripts):
    """All figures of one run. What cannot be measured here is said and left out."""
    found = {}

    def take(body):
        began = time.monotonic()
        try:
            found.update(body())
        except (RuntimeError, OSError, subprocess.SubprocessError) as error:
            say(f"left out: {error}")
        say(f"  {time.monotonic() - began:.0f} s")

    pace = ["--seconds", str(seconds), "--rounds", str(rounds)]
    take(lambda: programs.run("jws-bench"))
    take(lambda: programs.run("webauthn-bench"))
    take(lambda: starts(programs, server))
    take(lambda: programs.run("signin-bench", *pace))
    take(lambda: programs.run("signin-bench", "--half", *pace))
    take(lambda: programs.run("signin-bench", "--passwords", *pace))
    for others in growths:
        take(lambda: programs.run("signin-bench", "--others", str(others), *pace))
    take(lambda: programs.run("push-bench", "--seconds", str(seconds), "--rounds", str(rounds)))
    take(lambda: privacyidea(PEERS, found))
    take(lambda: programs.run("audit-bench", str(entries)))
    take(lambda: programs.run("tpm-bench"))

    def postgres(*more):
        with Postgres() as cluster:
            return programs.run("signin-bench", *cluster.arguments, *more, *pace)

    take(lambda: postgres("--bound-keys"))
    if scripts:
        take(lambda: programs.run("signin-bench", "--entries", str(LEDGER), *pace))
        take(lambda: postgres())
        take(lambda: programs.run("signin-bench", "--operations", *pace))
        take(lambda: programs.run("parts-bench"))
        take(lambda: allocations(programs))
        take(lambda: programs.run("script-bench"))
    return derived(found)


def machine():
    """What the run ran on."""
    model = next((line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), "unknown processor")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    return {"date": time.strftime("%Y-%m-%d"), "processors": os.cpu_count(), "model": model, "commit": commit,
            "load": round(os.getloadavg()[0], 1)}


def judged(found):
    """(bar, figure or None, whether it is reached, whether the goal is) of each bar."""
    rows = []
    for bar in THRESHOLDS["bars"]:
        value = found.get(bar["figure"], (None,))[0]
        if value is None:
            rows.append((bar, None, False, False))
        elif "least" in bar:
            rows.append((bar, value, value >= bar["least"], value >= bar["goal"]))
        else:
            rows.append((bar, value, value <= bar["most"], value <= bar["goal"]))
    return rows


def print_bars(found):
    for bar, value, reached, goal in judged(found):
        limit = f"≥ {bar['least']}" if "least" in bar else f"≤ {bar['most']}"
        verdict = "not measured" if value is None else "goal" if goal else "reached" if reached else "NOT REACHED"
        figure = "–" if value is None else f"{shown(value)} {bar['unit']}".strip()
        print(f"{verdict:12}  {figure:>10}  {limit:>7} (goal {bar['goal']:g})  {bar['measure']}")


def write_lines(found, path):
    with open(path, "w") as file:
        print(json.dumps({"machine": machine()}), file=file)
        for name, (value, unit) in found.items():
            print(json.dumps({"name": name, "value": round(value, 4), "unit": unit}), file=file)


def read_lines(path):
    found, about = {}, {}
    for line in pathlib.Path(path).read_text().splitlines():
        entry = json.loads(line)
        if "machine" in entry:
            about = entry["machine"]
        else:
            found[entry["name"]] = (entry["value"], entry["unit"])
    return found, about


def everything(options):
    if options.source:
        found, about = read_lines(options.source)
    else:
        programs, about = Programs(), machine()
        programs.build(PRODUCTS)
        server = options.packaged or packaged()
        began = time.monotonic()
        found = measure(programs, server, 4, 5, 1_000_000, [100_000, 1_000_000], scripts=True)
        say(f"measured for {(time.monotonic() - began) / 60:.0f} minutes")
        write_lines(found, options.lines)
    performance.write(found, about, judged(found))
    print_bars(found)


def bars(options):
    programs = Programs()
    programs.build(PRODUCTS)
    server = options.packaged or packaged()
    began = time.monotonic()
    found = measure(programs, server, 3, 5, 1_000_000, [1_000_000], scripts=False)
    say(f"measured for {(time.monotonic() - began) / 60:.1f} minutes")
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", prefix="sealring-bars-", delete=False) as file:
        path = file.name
    write_lines(found, path)
    print_bars(found)
    print(f"All figures are in {path}; `scripts/bench all --from {path}` writes docs/performance.md from them.")


def tree_of(commit):
    """A tree of the commit below .build, kept with its build for the next time."""
    name = subprocess.run(["git", "rev-parse", "--short=12", f"{commit}^{{commit}}"], cwd=ROOT, check=True, capture_output=True,
                          text=True).stdout.strip()
    place = ROOT / ".build/bench" / name
    if not place.exists():
        subprocess.run(["git", "worktree", "add", "--detach", str(place), name], cwd=ROOT, check=True, stdout=sys.stderr)
    return place


def quick_figures(programs):
    found = {}
    for product, arguments in [("jws-bench", []), ("parts-bench", []), ("signin-bench", ["--seconds", "2", "--rounds", "2"]),
                               ("push-bench", ["--devices", "32", "--seconds", "1", "--rounds", "1"])]:
        if (programs.folder / product).exists():
            found.update(programs.run(product, *arguments))
    if (programs.folder / "signin-bench").exists():
        found.update(slow_disk(programs))
    return derived(found)


def quick(options):
    """Both commits in turns, and what a change lost or won of each figure."""
    sides = [Programs(tree_of(options.before)), Programs(tree_of(options.after) if options.after else ROOT)]
    for side in sides:
        for product in ["jws-bench", "parts-bench", "signin-bench", "push-bench"]:
            try:
                side.build([product])
            except subprocess.CalledProcessError:
                say(f"{product} is not in {side.package}: left out")
    runs = ([], [])
    for turn in range(2):
        for index in (0, 1) if turn == 0 else (1, 0):
            runs[index].append(quick_figures(sides[index]))
    lost = False
    for name, rule in THRESHOLDS["quick"].items():
        values = [median([run[name][0] for run in side if name in run]) for side in runs]
        if any(value != value for value in values):
            continue
        ratio = values[1] / values[0] if rule["better"] == "higher" else values[0] / values[1]
        verdict = "ok" if ratio >= rule["least"] else "LOST"
        lost = lost or verdict == "LOST"
        print(f"{verdict:5} {ratio:6.2f} (at least {rule['least']})  {name}: {shown(values[0])} before, {shown(values[1])} after")
    sys.exit(1 if lost else 0)


def json_lines(found):
    return "".join(json.dumps({"name": name, "value": round(value, 3), "unit": unit}) + "\n" for name, (value, unit) in found.items())


def start_alone(options):
    programs = Programs()
    programs.build(["sealring-server"])
    print(json_lines(starts(programs, options.packaged or packaged())), end="")


def slow_disk_alone(options):
    programs = Programs()
    programs.build(["signin-bench"])
    print(json_lines(slow_disk(programs, options.milliseconds, ("--seconds", "5", "--rounds", "5"))), end="")


def build_time(options):
    """The first build of `sealring` in an empty folder, as this tree's `scripts/demo` makes it and then another commit's: seconds and processor time."""
    def clean(tree):
        with tempfile.TemporaryDirectory() as folder:
            # Packages are fetched before the clock starts.
            subprocess.run(["swift", "package", "--scratch-path", folder, "resolve"], cwd=tree, check=True, stdout=sys.stderr)
            before, began = os.times(), time.monotonic()
            subprocess.run(command(pathlib.Path(tree), folder), cwd=tree, check=True, stdout=sys.stderr)
            after = os.times()
            return time.monotonic() - began, sum(after[2:4]) - sum(before[2:4])

    def command(tree, folder):
        if (tree / "scripts/build-demo").exists():
            return ["scripts/build-demo", folder]
        # Earlier commits have the flags in `scripts/demo`.
        lines = (tree / "scripts/demo").read_text().splitlines()
        flags = next((line for line in lines if line.startswith("flags=(")), "flags=(--product sealring)")
        return ["swift", "build", "--scratch-path", folder, *flags.removeprefix("flags=(").rstrip(")").split()]

    found = {}

    def measured(name, tree):
        seconds, processor = clean(tree)
        found.update({name: (seconds, "s"), f"{name}-processor": (processor, "s")})
        return seconds

    now = measured("first-build", ROOT)
    if options.commit:
        found["first-build-of-before"] = (now / measured("first-build-before", tree_of(options.commit)), "ratio")
    lines = json_lines(found)
    print(lines, end="")
    if options.lines:
        with open(options.lines, "a") as file:
            file.write(lines)


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench")
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("all", help="everything in one run, and docs/performance.md from it")
    command.add_argument("--lines", default=str(ROOT / "Benchmarks/last-run.jsonl"), help="where the figures go")
    command.add_argument("--from", dest="source", help="writes the page from the figures of an earlier run")
    command.set_defaults(run=everything)
    with_server = [command]
    command = commands.add_parser("bars", help="the bars of docs/performance.md, in under 12 minutes")
    command.set_defaults(run=bars)
    with_server.append(command)
    command = commands.add_parser("quick", help="two commits side by side, two minutes each")
    command.add_argument("before")
    command.add_argument("after", nargs="?", help="this tree as it is, unless named")
    command.set_defaults(run=quick)
    command = commands.add_parser("start", help="cold start and idle memory")
    command.set_defaults(run=start_alone)
    with_server.append(command)
    for command in with_server:
        command.add_argument("--packaged", metavar="FILE",
                             help="the server that `scripts/package --programs` made, instead of making it")
    command = commands.add_parser("slow-disk", help="sign-ins while each flush to the disk takes longer")
    command.add_argument("milliseconds", nargs="?", type=int, default=5)
    command.set_defaults(run=slow_disk_alone)
    command = commands.add_parser("build-time", help="the first debug build, beside another commit's")
    command.add_argument("commit", nargs="?")
    command.add_argument("--lines", help="figures of a run that these are added to, for `all --from`")
    command.set_defaults(run=build_time)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
