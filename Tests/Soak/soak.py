#!/usr/bin/python3
"""Breaks what Sealring runs on while people use it, and says afterwards whether all that was acknowledged is there, once, and in its order.

Usage: soak.py run FAULT [FAULT ...] [options]   several faults are mixed at random
       soak.py list                              the faults
       soak.py check JOURNAL STATE               the checker alone, on files that a run has kept (--keep)
       soak.py race | guesses [--times N]        64 clients at once at three servers: one answer, one account
       soak.py clocks [--ahead SECONDS]          answers sent again after a clock was ahead
       soak.py listen [--devices N ...]          listening devices and idle connections, and a server that is killed
       soak.py refusals                          databases on which a server must not start
       soak.py interoperability                  Tests/Interoperability behind HAProxy, with PgBouncer and a standby

docs/reliability.md has what was found. Needs Python 3 with `cryptography`; faults say what else they need.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import checker
import faults
import history
import interoperability
import listeners
import memory
import network
import races
import refusals
from processes import HAProxy, environment
from workload import Prober, Workload, read_state
from world import World


def say(text):
    print(text, flush=True)


def needs_of(classes):
    needs = {}
    for each in classes:
        needs.update(each.needs)
    return needs


def missing(needs):
    """Why these needs cannot be had here; None when they can."""
    if needs.get("networked") and not network.is_possible():
        return "needs root and /dev/net/tun"
    if needs.get("small_disk") and os.geteuid() != 0:
        return "needs root, to mount a small disk"
    if needs.get("memory") and not memory.is_possible():
        return "needs root and a control group for memory"
    return None


def apart(arguments):
    """Starts this program anew in namespaces of its own, so that neither networks nor mounts are the machine's."""
    own = ["unshare", "--net", "--mount", "--propagation", "private", "--", "sh", "-c", 'ip link set lo up && exec "$@"', "sh",
           sys.executable, "-B", os.path.abspath(__file__), *arguments]
    sys.exit(subprocess.run(own, env={**os.environ, "SEALRING_SOAK_APART": "1"}).returncode)


class Soak:
    def __init__(self, options):
        self.options = options
        self.classes = [faults.BY_NAME[name] for name in options.faults]
        self.seed = options.seed if options.seed is not None else random.randrange(2**32)
        random.seed(self.seed)

    def run(self):
        needs = needs_of(self.classes)
        if needs.get("small_disk"):
            needs["small_disk"] = 300 if self.options.database == "postgres" else 24
        say(f"{' and '.join(each.name for each in self.classes)}: {self.options.times} times on {self.options.database}, "
            f"{self.options.servers} servers, seed {self.seed}")
        first = self.options.older if faults.Upgraded in self.classes else self.options.binary
        self.world = World(first, self.options.database, self.options.servers, **needs)
        try:
            return self.play()
        except BaseException:
            say(self.world.logs())
            raise
        finally:
            self.world.close(self.options.keep)
            if self.options.keep:
                say(f"kept: {self.world.folder}")

    def endpoints(self):
        """What people's requests go to: any of the servers, or the balancer that looks who is in good health."""
        if not self.options.balanced:
            return list(self.world.servers)
        proxy = HAProxy(self.world.folder, self.world.servers).start()
        self.world.programs.append(proxy)
        return [proxy]

    def play(self):
        path = os.path.join(self.world.folder, "journal.jsonl")
        journal = history.Journal(path)
        workload = Workload(self.endpoints(), journal, self.options.people, self.seed)
        prober = Prober(workload)
        workload.start()
        kinds = [each(self.world, self.options) for each in self.classes]
        began, outages = time.monotonic(), []
        for number in range(self.options.times):
            if self.options.minutes and time.monotonic() - began > self.options.minutes * 60:
                break
            time.sleep(random.uniform(*self.options.pause))
            fault = random.choice(kinds) if len(kinds) > 1 else kinds[0]
            struck = fault.strike()
            outages.append(prober.until_served(self.world.servers) - struck)
            if (number + 1) % 10 == 0 or self.options.verbose:
                say(f"  {number + 1}: {fault.name}, served again after {outages[-1]:.2f} s; {journal.snapshot()}")
        time.sleep(1)
        workload.finish()
        seconds = time.monotonic() - began
        for text, count in sorted(workload.troubles.items(), key=lambda item: -item[1])[:8] if self.options.verbose else []:
            say(f"  {count} × {text}")
        for text, count in sorted(workload.refusals.items(), key=lambda item: -item[1])[:8] if self.options.verbose else []:
            say(f"  refused {count} × {text}")
        # Nobody is cut off from what was acknowledged by a server that answers and knows nothing: it is asked of servers that have started anew.
        for server in self.world.servers:
            code = server.terminate()
            assert code == 0, f"{server.name} ended with {code} on SIGTERM"
            server.start()
        try:
            return self.judge(journal, workload, outages, seconds)
        finally:
            journal.close()

    def judge(self, journal, workload, outages, seconds):
        acts = history.acts_of(history.read(journal.path))
        state = read_state(workload, acts)
        with open(os.path.join(self.world.folder, "state.json"), "w") as file:
            json.dump(state, file)
        findings = judge(acts, state, any(each.disturbs_time for each in self.classes))
        for text in self.ledger_faults():
            findings.append(checker.Finding("lost", text))
        for finding in findings[:20]:
            say(f"  {finding}")
        counts = checker.summary(findings)
        for what, count in self.world.counts.items():
            say(f"  {count} {what}")
        outages.sort()
        result = {
            "faults": [each.name for each in self.classes], "database": self.options.database, "servers": self.options.servers,
            "times": len(outages), **self.world.counts, "minutes": round(seconds / 60, 1), **journal.snapshot(), **counts,
            "median": round(statistics.median(outages), 2), "longest": round(outages[-1], 2), "seed": self.seed}
        say(f"{result['times']} times in {result['minutes']} min: {result['ok']} acts acknowledged, {result['fail']} refused, {result['unknown']} "
            f"unknown; lost {counts['lost']}, doubled {counts['doubled']}, reordered {counts['reordered']}, undone {counts['undone']}, "
            f"invented {counts['invented']}; served again after {result['median']} s (median), {result['longest']} s (longest)")
        if self.options.results:
            with open(self.options.results, "a") as file:
                file.write(json.dumps(result) + "\n")
        return not findings

    def ledger_faults(self):
        """What `sealring audit verify` says of an export."""
        path = os.path.join(self.world.folder, "ledger.jsonl")
        place = ["--data", self.world.servers[0].data, *(["--database", self.world.address] if self.world.address else [])]
        faults_found = []
        for words in (["export", *place, path], ["verify", path]):
            done = subprocess.run([self.options.binary, "audit", *words], capture_output=True, text=True, env=environment(self.world.folder))
            if done.returncode != 0:
                faults_found.append(f"sealring audit {words[0]}: {done.stderr.strip()}")
                break
        return faults_found


def judge(acts, state, time_was_disturbed=False):
    if time_was_disturbed:
        # By a clock of tomorrow sessions have ended and transactions are over, and nothing was lost.
        state = {**state, "sessions": {}}
        state["transactions"] = {number: value for number, value in state["transactions"].items() if value == "approved"}
        late = {act.id for act in acts if act.kind == "order" and act["number"] not in state["transactions"]}
        approved = {act["number"] for act in acts if act.kind == "approve" and act.outcome == "ok"}
        acts = [act for act in acts if act.id not in late or act["number"] in approved]
    return checker.check(acts, state)


def race(options):
    with a_world(options, 3) as world:
        wrong, codes = races.one_winner(world.servers, options.times, say=say)
    say(f"{sum(codes.values()) // 64} times 64 clients with one answer at three servers: {len(wrong)} times not exactly one was signed in; answers {dict(codes)}")
    return not wrong


def guesses(options):
    with a_world(options, 3) as world:
        events = [os.path.join(server.data, "events.jsonl") for server in world.servers]
        wrong, most = races.guesses(world.servers, events, options.times, say=say)
    say(f"{options.times} accounts, each guessed at by 64 clients at three servers: at most {most} guesses were judged; {len(wrong)} broke the rule")
    return not wrong


def clocks(options):
    good = True
    for database, servers in (("sqlite", 1), ("postgres", 2)):
        with a_world(options, servers, database, clock=True) as world:
            good = not races.replays(world, options.ahead, say=say) and good
    return good


def listen(options):
    folder = tempfile.mkdtemp(prefix="sealring-journeys-")
    most = str(listeners.raise_limit() - 200)
    try:
        settings = ["--journeys", listeners.journeys(folder), "--max-connections", most, "--max-connections-per-address", most]
        with a_world(options, options.servers, options=settings) as world:
            for number in range(options.times):
                listeners.listen(world.servers, options.devices, options.streams, options.idle, graceful=number % 2 == 1, say=say)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return True


def refuse(options):
    folder, good = tempfile.mkdtemp(prefix="sealring-soak-"), True
    os.chmod(folder, 0o755)
    try:
        for database, cases in (("sqlite", refusals.sqlite_cases), ("postgres", refusals.postgres_cases)):
            place = os.path.join(folder, database)
            os.makedirs(place)
            for title, refused in cases(options.binary, place):
                held = refused is not None and refused[0] == 1 and refusals.WORDS[title] in refused[1]
                good = good and held
                say(f"  {'held ' if held else 'BROKE'} {database}, {title}: " + (refused[1].strip().split("\n")[-1] if refused else "it started"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return good


def interoperate(options):
    folder = tempfile.mkdtemp(prefix="sealring-soak-")
    try:
        failed = interoperability.all_scripts(options.binary, os.path.join(folder, "journeys"), say)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for name, text in failed.items():
        say(f"{name}\n{text}")
    return not failed


@contextlib.contextmanager
def a_world(arguments, servers, database="postgres", **needs):
    world = World(arguments.binary, database, servers, **needs)
    try:
        yield world
    finally:
        world.close()


def check_kept(options):
    with open(options.state) as file:
        findings = judge(history.acts_of(history.read(options.journal)), json.load(file))
    for finding in findings:
        say(str(finding))
    say("explained" if not findings else f"{len(findings)} findings")
    return not findings


def list_faults(_):
    for each in faults.ALL:
        say(f"{each.name:18} {each.title}; {' or '.join(each.databases)}")
    return True


def run(options):
    classes = [faults.BY_NAME[name] for name in options.faults]
    for each in classes:
        if options.database not in each.databases:
            raise SystemExit(f"{each.name} is for {' and '.join(each.databases)}")
    if faults.Upgraded in classes and not options.older:
        raise SystemExit("rolling-upgrade needs --from BINARY, the other version")
    needs = needs_of(classes)
    reason = missing(needs)
    if reason:
        say(f"skipped: {' and '.join(options.faults)} {reason}")
        return True
    if (needs.get("networked") or needs.get("small_disk")) and not os.environ.get("SEALRING_SOAK_APART"):
        apart(sys.argv[1:])
    return Soak(options).run()


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="scripts/soak", description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name, function, text):
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(function=function)
        added.add_argument("--binary", default=os.environ.get("SEALRING_BINARY", ".build/debug/sealring"), help=argparse.SUPPRESS)
        return added

    command("list", list_faults, "the faults")
    check = command("check", check_kept, "judge a history and a state that were kept")
    check.add_argument("journal")
    check.add_argument("state")
    command("race", race, "one answer sent by 64 clients at once").add_argument("--times", type=int, default=10_000)
    command("guesses", guesses, "one account guessed at by 64 clients at once").add_argument("--times", type=int, default=100)
    ahead = command("clocks", clocks, "answers sent again after a clock was ahead")
    ahead.add_argument("--ahead", type=int, default=7200, metavar="SECONDS")
    command("refusals", refuse, "databases on which a server must not start")
    command("interoperability", interoperate, "Tests/Interoperability behind HAProxy")
    listening = command("listen", listen, "listening devices and idle connections, and a server that is killed")
    listening.add_argument("--devices", type=int, default=100)
    listening.add_argument("--streams", type=int, default=3, help="of each device")
    listening.add_argument("--idle", type=int, default=1000, help="connections that ask for nothing")
    listening.add_argument("--servers", type=int, default=3)
    listening.add_argument("--times", type=int, default=1, help="killed the first time, told to end (SIGTERM) the second, and so on")
    running = command("run", run, "break things while people work")
    running.add_argument("faults", nargs="+", choices=sorted(faults.BY_NAME), metavar="FAULT")
    running.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    running.add_argument("--servers", type=int, default=1)
    running.add_argument("--times", type=int, default=10)
    running.add_argument("--minutes", type=float, help="no more faults after these, however many are left")
    running.add_argument("--people", type=int, default=6)
    running.add_argument("--pause", type=float, nargs=2, default=[0.5, 2.0], metavar="SECONDS", help="between two faults, at random between these")
    running.add_argument("--frozen", type=float, default=12, metavar="SECONDS", help="how long a frozen process is frozen")
    running.add_argument("--cut", type=float, default=6, metavar="SECONDS", help="how long other faults last")
    running.add_argument("--apart", type=int, default=30, metavar="SECONDS", help="how far clocks that differ are from the true time")
    running.add_argument("--balanced", action="store_true", help="requests go through HAProxy, which takes a server that answers")
    running.add_argument("--from", dest="older", metavar="BINARY", help="the other version of a rolling upgrade, which begins")
    running.add_argument("--seed", type=int)
    running.add_argument("--results", metavar="FILE", help="append the figures to a file, as a line of JSON")
    running.add_argument("--keep", action="store_true", help="keep the folder with journal, state and logs")
    running.add_argument("--verbose", action="store_true")
    options = parser.parse_args(arguments)
    options.binary = os.path.abspath(options.binary)
    if not shutil.which("setpriv"):
        raise SystemExit("setpriv is missing: apt-get install util-linux")
    return options.function(options)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
