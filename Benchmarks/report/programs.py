"""Builds and runs the benchmark programs, and gathers the figures of their JSON lines."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]


def say(text):
    print(text, file=sys.stderr, flush=True)


class Programs:
    """The benchmark programs of one tree, in a release build."""

    def __init__(self, tree=ROOT):
        self.package = pathlib.Path(tree) / "Benchmarks"
        self.folder = None

    def build(self, products):
        for product in products:
            say(f"building {product}")
            subprocess.run(["swift", "build", "-c", "release", "--product", product], cwd=self.package, check=True,
                           stdout=sys.stderr)
        shown = subprocess.run(["swift", "build", "-c", "release", "--show-bin-path"], cwd=self.package, check=True,
                               capture_output=True, text=True)
        self.folder = pathlib.Path(shown.stdout.strip())

    def run(self, product, *arguments, timeout=900, environment=None):
        """The figures that the program prints, by name."""
        say("measuring: " + " ".join([product, *arguments]))
        done = subprocess.run([self.folder / product, *arguments], capture_output=True, text=True, timeout=timeout,
                              env={**os.environ, **(environment or {})})
        if done.returncode != 0:
            raise RuntimeError(f"{product} {' '.join(arguments)} failed:\n{done.stderr[:2000]}")
        return figures(done.stdout)


def preloaded(source, folder):
    """The library that is made of a C file, to stand before the C library's functions."""
    library = f"{folder}/{source.stem}.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


def allocations(programs):
    """Allocations of a sign-in, the bare program's and ours, in a run of its own: counting costs time."""
    with tempfile.TemporaryDirectory() as folder:
        library = preloaded(pathlib.Path(__file__).with_name("allocations.c"), folder)
        found = programs.run("signin-bench", "--seconds", "2", "--rounds", "1",
                             environment={"LD_PRELOAD": library, "SEALRING_BENCH_ALLOCATIONS": folder})
    return {name: figure for name, figure in found.items() if name.endswith("-allocations")}


def slow_disk(programs, milliseconds=5, arguments=("--seconds", "2", "--rounds", "2")):
    """Sign-ins while each flush to the disk takes so much longer: the disk of this machine may be faster than others."""
    with tempfile.TemporaryDirectory() as folder:
        library, state = preloaded(ROOT / "Tests/Soak/bad_disk.c", folder), pathlib.Path(folder) / "disk-is"
        state.write_text(f"slow {milliseconds}")
        found = programs.run("signin-bench", *arguments, environment={
            "LD_PRELOAD": library, "BAD_DISK_FOLDER": tempfile.gettempdir(), "BAD_DISK_FILE": str(state)})
    names = {"sign-in-sealring": "rate", "sign-in-sealring-p50": "p50", "sign-in-rate-of-bare": "rate-of-bare"}
    return {f"slow-disk-sign-in-{name}": found[figure] for figure, name in names.items()}


def figures(text):
    """`{"name", "value", "unit"}` lines; others are passed over."""
    found = {}
    for line in text.splitlines():
        if not line.startswith("{"):
            continue
        entry = json.loads(line)
        if "name" in entry and "value" in entry:
            found[entry["name"]] = (float(entry["value"]), entry.get("unit", ""))
    return found


def derived(found):
    """Figures that are put together from others, in the direction in which the bars read them."""
    def value(name):
        return found[name][0] if name in found else None

    more = {}
    if value("sign-in-server-cpu-bare-to-sealring"):
        more["sign-in-cpu-in-bare"] = (1 / value("sign-in-server-cpu-bare-to-sealring"), "ratio")
    if value("tpm-store-sign-of-bare"):
        more["tpm-sign-in-bare"] = (1 / value("tpm-store-sign-of-bare"), "ratio")
    if value("audit-verify") and value("p256-import-verify-all"):
        more["audit-verify-of-raw"] = (value("p256-import-verify-all") / value("audit-verify"), "ratio")
    return {**found, **more}


class Postgres:
    """A PostgreSQL cluster in a new folder, with fsync on, that ends with the block. PostgreSQL does not run as root."""

    def __enter__(self):
        versions = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        if not versions:
            raise RuntimeError("PostgreSQL is not installed; scripts/bootstrap --test installs it.")
        self.programs = versions[-1]
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.user = []
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
            self.user = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
        self._run("initdb", "-D", "data", "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C")
        options = (f"-c listen_addresses= -c unix_socket_directories={self.folder} -c max_connections=200 "
                   "-c shared_buffers=256MB")
        self._run("pg_ctl", "-D", "data", "-l", str(self.folder / "log"), "-w", "start", "-o", options)
        return self

    def _run(self, program, *arguments):
        subprocess.run([*self.user, self.programs / program, *arguments], cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL)

    @property
    def arguments(self):
        return ["--cluster", str(self.folder), "--programs", str(self.programs)]

    def __exit__(self, *_):
        subprocess.run([*self.user, self.programs / "pg_ctl", "-D", "data", "-m", "immediate", "stop"],
                       cwd=self.folder, stdout=subprocess.DEVNULL)
        shutil.rmtree(self.folder, ignore_errors=True)


def packaged():
    """`sealring-server` as packages have it: with Swift's runtime in it, and laid out for its start."""
    folder = ROOT / ".build/programs"
    say("building the programs of the packages")
    subprocess.run([ROOT / "scripts/package", "--programs", folder], check=True, stdout=sys.stderr)
    return folder / "sealring-server"


def start(binary, name="start", starts=9):
    """How long `serve` takes on a folder that it knows until it answers, and its memory then. Medians."""
    seconds, memory = [], []
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "SEALRING_ADMIN_PASSWORD": "a benchmark's administrator"}
        for number in range(starts + 1):
            began = time.monotonic()
            server = subprocess.Popen([binary, "serve", "--port", "0", "--data", folder], env=environment, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            try:
                line = server.stdout.readline()
                address = line.removeprefix("listening on ").strip()
                url = address.removesuffix("/am") + "/health"
                urllib.request.urlopen(url, timeout=10).read()
                took = time.monotonic() - began
                # Idle, after what a start leaves to do.
                time.sleep(1)
                resident = resident_megabytes(server.pid)
            finally:
                server.terminate()
                server.wait()
            # The first start makes keys and tables.
            if number:
                seconds.append(took)
                memory.append(resident)
    return {f"{name}-first-answer": (median(seconds), "s"), f"{name}-idle-memory": (median(memory), "MB")}


def resident_megabytes(process):
    for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    return float("nan")


def privacyidea(peers, push):
    """Our approvals at 16 at a time in those of the peer; nothing without the peer's script."""
    script = pathlib.Path(peers) / "bench_privacyidea.sh"
    if not os.access(script, os.X_OK):
        say(f"no {script}: left out")
        return {}
    say("measuring: privacyIDEA")
    done = subprocess.run([script, "sqlite", "stock"], capture_output=True, text=True, timeout=900,
                          env={**os.environ, "SECONDS_EACH": "3", "REPEATS": "1", "CONCURRENCY": "16"})
    if done.returncode != 0:
        say(f"the peer could not be measured:\n{done.stderr[-1000:]}")
        return {}
    rates = [value for name, (value, _) in figures(done.stdout).items()
             if ".approval." in name and name.endswith(".c16.rate")]
    if not rates or "push-16-at-a-time" not in push:
        return {}
    # Its approvals are started in two ways; the faster one counts.
    return {"privacyidea-16-at-a-time": (max(rates), "approvals/s"),
            "push-16-of-privacyidea": (push["push-16-at-a-time"][0] / max(rates), "ratio")}


def median(values):
    ordered = sorted(values)
    count = len(ordered)
    return (ordered[(count - 1) // 2] + ordered[count // 2]) / 2 if count else float("nan")
