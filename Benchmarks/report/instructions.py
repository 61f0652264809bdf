"""What a benchmark's server computes for each operation, as instructions counted by valgrind's callgrind.

Usage: python3 Benchmarks/report/instructions.py PROGRAM ROLE [ARGUMENT…]
  such as `instructions.py Benchmarks/.build/release/signin-bench sealring-server --connections 8`
  SEALRING_COUNTED=NAME  the function whose calls are the operations; standard: ECDSA_do_verify, one for each proof

The same program gives nearly the same count whatever else the machine does, so it can be compared on one that is busy. It is not time: the
kernel's work is left out, and arithmetic such as P-256 takes far fewer cycles for each instruction than reference counting does. Needs
valgrind, a C compiler, binutils and `swift demangle`.

A line is a function of the program with what it spends itself and in the libraries below it (Swift's runtime, the C library, SQLite),
shared among their callers by the number of calls.
"""
import collections
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from programs import say

#: Seconds of load before it is counted, and for how long it is. The server runs fifty times slower than by itself.
SETTLE, COUNT = 5, 40

#: Sockets of a server under load; one without has two or three.
CONNECTED = 8

#: Libdispatch's main thread waits in a system call that valgrind does not survive.
SHIM = """#include <signal.h>
#include <unistd.h>
int sigsuspend(const sigset_t *mask) { (void)mask; for (;;) sleep(1000); }
"""

#: Functions of Swift's library that were compiled into the program: they count for whoever calls them.
OF_LIBRARIES = re.compile(r"__swift_|\$sS|\$ss|0x")


def measure(program, role, arguments, folder):
    """Callgrind's file of the server that runs in `role`."""
    copy, shim = folder / "program", folder / "shim.so"
    # Valgrind does not read all debugging information that Swift writes.
    subprocess.run(["strip", "--strip-debug", "-o", copy, program], check=True)
    (folder / "shim.c").write_text(SHIM)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", shim, folder / "shim.c"], check=True)
    start = folder / "start"
    start.write_text(f"""#!/bin/bash
echo $$ >> {folder}/processes
[[ $1 == {role} ]] || exec {copy} "$@"
echo $$ > {folder}/server
exec env LD_PRELOAD={shim} valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file={folder}/out {copy} "$@" 2> {folder}/log
""")
    start.chmod(0o755)
    runtime = pathlib.Path(shutil.which("swiftc")).resolve().parents[1] / "lib/swift/linux"
    environment = os.environ | {"LD_LIBRARY_PATH": str(runtime)}
    # The program starts its servers by its own name.
    bench = subprocess.Popen([start, "--seconds", "60", "--rounds", "1", *arguments], executable=copy, env=environment,
                             stdout=subprocess.DEVNULL)
    try:
        server = loaded(folder / "server", bench)
        for act, seconds in (["-i", "on"], COUNT), (["-d"], 5):
            subprocess.run(["callgrind_control", *act, server], check=True, stdout=sys.stderr)
            time.sleep(seconds)
    finally:
        for process in [bench.pid, *map(int, (folder / "processes").read_text().split())]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        bench.wait()
    return folder / "out.1", copy.name


def loaded(file, bench):
    """The server's process, once devices have been connected to it for a while."""
    since, process = time.monotonic(), None
    while bench.poll() is None:
        time.sleep(1)
        found = file.read_text().strip() if file.exists() else None
        if found != process or sockets(found) < CONNECTED:
            since, process = time.monotonic(), found
        elif time.monotonic() - since > SETTLE:
            return process
    raise SystemExit("instructions.py: the benchmark ended before its server was under load.")


def sockets(process):
    count = 0
    with contextlib.suppress(OSError):
        for descriptor in pathlib.Path(f"/proc/{process}/fd").iterdir():
            with contextlib.suppress(OSError):
                count += os.readlink(descriptor).startswith("socket:")
    return count


def read(path):
    """(instructions of each function, calls of each by each); a function is its library and its name."""
    own, calls = collections.Counter(), collections.defaultdict(collections.Counter)
    tables = {"fn": {}, "ob": {}}
    library = function = callee_library = callee = None
    is_call = False
    for line in path.read_text(errors="replace").splitlines():
        key, _, value = line.partition("=")
        if key in ("fn", "cfn", "ob", "cob"):
            match = re.match(r"(\(\d+\))(?: (.*))?$", value)
            table = tables[key[-2:]]
            name = table.setdefault(match[1], match[2]) if match else value
            if key == "ob":
                library = name
            elif key == "cob":
                callee_library = name
            elif key == "fn":
                # Recursion is a function of its own to callgrind.
                function, callee_library = (library, re.sub(r"'\d+$", "", name)), None
            else:
                callee = (callee_library or library, re.sub(r"'\d+$", "", name))
        elif key == "calls":
            calls[function][callee] += int(value.split()[0])
            is_call = True
        elif line[:1].isdigit() or line[:1] in "+-*":
            words = line.split()
            if is_call:
                is_call, callee_library = False, None
            elif len(words) > 1:
                own[function] += int(words[1])
    return own, calls


def spent(own, calls, program):
    """(what each function of the program spends, with the libraries below it; how often each is called)."""
    def is_below(function):
        return program != pathlib.Path(function[0] or "").name or bool(OF_LIBRARIES.match(function[1]))

    called = collections.Counter()
    for caller, callees in calls.items():
        for callee, times in callees.items():
            if caller != callee:
                called[callee] += times
    everything = set(own) | set(calls) | set(called)
    below = {function: own[function] for function in everything if is_below(function)}

    def passed_on(function, cost):
        return sum(cost[callee] * times / called[callee] for callee, times in calls.get(function, {}).items()
                   if callee in cost and callee != function)

    # What calls what has circles, so it is followed until nothing changes much.
    cost = dict(below)
    for _ in range(60):
        cost = {function: own[function] + passed_on(function, cost) for function in below}
    return {function: own[function] + passed_on(function, cost) for function in everything - set(below)}, called


def module(name):
    match = re.match(r"\$s(\d+)(.*)", name)
    if match:
        return match[2][:int(match[1])]
    return "BoringSSL" if "BoringSSL" in name or re.match(r"_*ec", name) else "other"


def main(program, role, *arguments):
    counted = os.environ.get("SEALRING_COUNTED", "ECDSA_do_verify")
    with tempfile.TemporaryDirectory() as folder:
        say("starting, which takes a minute")
        path, name = measure(program, role, arguments, pathlib.Path(folder))
        own, calls = read(path)
    costs, called = spent(own, calls, name)
    operations = max((times for function, times in called.items() if counted in function[1]), default=0)
    if not operations:
        raise SystemExit(f"instructions.py: {counted} was never called.")
    total = sum(own.values())
    print(f"{operations} operations, {total / operations:,.0f} instructions each\n")
    modules = collections.Counter()
    for function, cost in costs.items():
        modules[module(function[1])] += cost
    for name, cost in modules.most_common(20):
        print(f"{cost / operations:12,.0f} {cost / total:6.1%}  {name}")
    lines = [f"{cost / operations:12,.0f} {cost / total:6.1%} {called[function] / operations:8.1f} times  {function[1]}"
             for function, cost in sorted(costs.items(), key=lambda item: -item[1])[:100]]
    shown = subprocess.run(["swift", "demangle", "--simplified"], input="\n".join(lines), capture_output=True, text=True, check=True)
    print("\n" + shown.stdout)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
