"""What is broken: servers, their database, and the network between them, in a folder that is removed afterwards."""

import collections
import glob
import json
import os
import shutil
import subprocess
import tempfile
import time

from memory import MemoryGroup
from network import Link, Namespace
from processes import PgBouncer, Postgres, Server, give_to_postgres
from relay import Relay
from silent_host import SilentHost

BAD_DISK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bad_disk.c")


def bad_disk_library(folder):
    """The library that makes a disk bad, compiled into `folder`."""
    compiler = next((name for name in ("cc", "gcc", "clang") if shutil.which(name)), None)
    if not compiler:
        raise SystemExit("no C compiler: a bad disk is made by one")
    library = os.path.join(folder, "bad_disk.so")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, BAD_DISK, "-ldl"], check=True)
    return library


def own_binding(folder):
    """`--journeys` with OwnBinding: the bundled BindDevice without the journey that asks for a factor which the account has already."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../journeys/BindDevice.journey.json")) as file:
        journey = json.load(file)
    places = journey["tree"]["nodes"]
    name = next(name for name, node in journey["nodes"].items() if node.get("tree") == "ProveStrongestFactor")
    follows = places.pop(name)["connections"]["true"]
    del journey["nodes"][name]
    journey["nodes"][follows]["requiresStrongestFactor"] = False
    for place in places.values():
        place["connections"] = {way: follows if to == name else to for way, to in place["connections"].items()}
    journey["tree"]["_id"] = "OwnBinding"
    os.makedirs(os.path.join(folder, "alpha"), exist_ok=True)
    with open(os.path.join(folder, "alpha/OwnBinding.journey.json"), "w") as file:
        json.dump(journey, file)
    return folder


class World:
    """
    - database: `sqlite` or `postgres`
    - servers: how many
    - standby: with a synchronous standby, which can be promoted
    - pooler: with PgBouncer in between
    - networked: servers and database in network namespaces, with links that can be cut (needs root)
    - small_disk: MiB of a file system of its own for the database (needs root)
    - clock: each server sees a clock that can be stepped, by libfaketime
    - bad_disk: the database's disk can be made slow or failing
    - memory: the memory of each server can be limited (needs root and control groups)
    - relay: a relay between servers and database that can swallow an answer
    - silent_host: before the database, the servers' address names a host that accepts and never answers
    """

    def __init__(self, binary, database="sqlite", servers=1, standby=False, pooler=False, networked=False, small_disk=None, clock=False,
                 bad_disk=False, memory=False, relay=False, silent_host=False, options=()):
        self.binary, self.database, self.folder = binary, database, tempfile.mkdtemp(prefix="sealring-soak-")
        os.chmod(self.folder, 0o755)
        self.programs, self.namespaces, self.links, self.mounts, self.groups = [], [], [], [], []
        self.postgres = self.standby = self.pooler = self.relay = self.silent_host = None
        self.counts = collections.Counter()
        self.clients_link = self.database_link = None
        self.variables = {}
        self.disk_file = os.path.join(self.folder, "disk-is")
        if clock:
            self.prepare_clock()
        if bad_disk:
            self.prepare_bad_disk()
        self.disk = None
        if small_disk:
            self.disk = self.mount_disk(small_disk)
        server_network = database_network = None
        if networked:
            here = Here()
            server_network, database_network = self.namespace("servers"), self.namespace("database")
            self.clients_link = self.link(here, server_network, 1)
            self.database_link = self.link(server_network, database_network, 2)
        address = None
        if database == "postgres":
            place = os.path.join(self.folder, "postgres")
            data = os.path.join(self.disk, "data") if self.disk else None
            reached_at = self.database_link.right_address if networked else None
            self.postgres = Postgres(place, "one", database_network, reached_at, self.variables if bad_disk else None, data).create()
            self.programs.append(self.postgres)
            address = f"postgres://postgres@/soak?host={self.postgres.sockets}"
            if networked:
                # As docs/operations.md advises: a connection that is dead is found out within seconds.
                address = (f"postgres://postgres@{reached_at}/soak?connect_timeout=3&keepalives_idle=2&keepalives_interval=1"
                           "&keepalives_count=3&tcp_user_timeout=5000")
            if standby:
                self.standby = Postgres(place, "two")
                self.standby.follow(self.postgres)
                self.programs.append(self.standby)
                address = f"postgres://postgres@/soak?host={self.postgres.sockets},{self.standby.sockets}&target_session_attrs=read-write"
            if pooler:
                self.pooler = PgBouncer(place, self.postgres).start()
                self.programs.append(self.pooler)
                address = self.pooler.address
            if relay:
                self.relay = Relay(os.path.join(self.folder, "relay"), os.path.join(self.postgres.sockets, ".s.PGSQL.5432"))
                address = f"postgres://postgres@/soak?host={os.path.dirname(self.relay.path)}"
            if silent_host:
                self.silent_host = SilentHost(os.path.join(self.folder, "silent"))
                address = (f"postgres://postgres@/soak?host={self.silent_host.folder},{self.postgres.sockets}"
                           "&target_session_attrs=read-write")
        host = self.clients_link.right_address if networked else "127.0.0.1"
        self.address, self.servers = address, []
        if "--journeys" not in options:
            options = [*options, "--journeys", own_binding(os.path.join(self.folder, "journeys"))]
        for number in range(servers):
            name = f"server{number + 1}"
            variables = {**self.variables, **({"FAKETIME_TIMESTAMP_FILE": self.clock_file(name)} if clock else {})}
            server = Server(binary, self.folder, name, address, host, server_network, options, variables)
            if memory:
                self.groups.append(MemoryGroup(f"{os.path.basename(self.folder)}-{name}"))
                server.memory = self.groups[-1]
            if clock:
                self.step_clock(0, server)
            if self.servers and database == "postgres":
                self.share_key(server)
            elif self.servers:
                server.data = self.servers[0].data
                server.options[server.options.index("--data") + 1] = server.data
                server.options += ["--events", os.path.join(self.folder, f"events{number + 1}.jsonl")]
            elif self.disk and database == "sqlite":
                server.data = os.path.join(self.disk, "data")
                server.options[server.options.index("--data") + 1] = server.data
                server.options += ["--events", os.path.join(self.folder, "events.jsonl")]
            self.programs.append(server.start())
            self.servers.append(server)

    def share_key(self, server):
        """Servers of one database share the key of its secrets."""
        os.makedirs(server.data, mode=0o700, exist_ok=True)
        shutil.copy(os.path.join(self.servers[0].data, "server.key"), server.data)

    def count(self, what):
        """Counts what a fault came to, for the figures of a run."""
        self.counts[what] += 1

    def namespace(self, name):
        self.namespaces.append(Namespace(name))
        return self.namespaces[-1]

    def link(self, left, right, number):
        self.links.append(Link(left, right, number))
        return self.links[-1]

    def mount_disk(self, mebibytes):
        path = os.path.join(self.folder, "disk")
        os.makedirs(path)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m,mode=755", "sealring-soak", path], check=True)
        self.mounts.append(path)
        if self.database == "postgres":
            give_to_postgres(path)
        return path

    def prepare_clock(self):
        found = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
        if not found:
            raise SystemExit("libfaketime is missing: apt-get install faketime")
        self.variables.update({"LD_PRELOAD": found[0], "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"})

    def clock_file(self, name):
        return os.path.join(self.folder, f"clock-of-{name}")

    def step_clock(self, seconds, server=None):
        """How far the server's clock, or that of all, is ahead of the true time."""
        for each in [server] if server else self.servers:
            path = self.clock_file(each.name)
            with open(path + ".new", "w") as file:
                file.write(f"{seconds:+d}s\n")
            os.replace(path + ".new", path)

    def prepare_bad_disk(self):
        below = os.path.join(self.folder, "postgres" if self.database == "postgres" else "server1")
        self.variables.update({"LD_PRELOAD": bad_disk_library(self.folder), "BAD_DISK_FILE": self.disk_file, "BAD_DISK_FOLDER": below})

    def spoil_disk(self, state):
        """`slow 300`: each flush is 300 ms late; `failing 50`: half of what is written fails with EIO; None: it is good again."""
        if state:
            with open(self.disk_file + ".new", "w") as file:
                file.write(state)
            os.chmod(self.disk_file + ".new", 0o644)
            os.replace(self.disk_file + ".new", self.disk_file)
        elif os.path.exists(self.disk_file):
            os.unlink(self.disk_file)

    def fail_over(self):
        """The primary dies with all its processes, the standby is promoted, and the old one's place is taken by a new standby.

        Answers when the promotion began; the new standby is made by `restore_standby`."""
        began = time.monotonic()
        self.postgres.kill()
        self.standby.promote()
        self.postgres, self.standby = self.standby, self.postgres
        return began

    def restore_standby(self):
        self.standby.follow(self.postgres)

    def logs(self):
        return "\n".join(f"--- {program.name}\n{program.log()[-3000:]}" for program in self.programs)

    def close(self, keep=False):
        for program in reversed(self.programs):
            program.kill()
        if self.relay:
            self.relay.close()
        if self.silent_host:
            self.silent_host.close()
        for link in self.links:
            link.close()
        for namespace in self.namespaces:
            namespace.close()
        for group in self.groups:
            group.close()
        for path in self.mounts:
            subprocess.run(["umount", "-l", path], check=False)
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)


class Here:
    """The network namespace of this program, which is one of its own: soak.py starts itself anew with `unshare --net`."""

    path = "/proc/self/ns/net"

    @staticmethod
    def run(*words):
        subprocess.run(words, check=True)
