"""What breaks, and how it is put right again. Each fault says what it needs of the world, and answers how long nobody was served."""

import contextlib
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import time

from processes import environment, wait_until


class Fault:
    """`strike` breaks something, mends it, and answers the moment from which people wait to be served again."""

    name = title = ""
    # What of World it needs.
    databases, needs = ("sqlite", "postgres"), {}
    # Whether a session may end, or a transaction expire, without anybody's doing.
    disturbs_time = False

    def __init__(self, world, options):
        self.world, self.options = world, options

    def strike(self):
        raise NotImplementedError

    def a_server(self):
        return random.choice(self.world.servers)


class ServerKilled(Fault):
    name, title = "server-kill", "a server killed (`kill -9`) and started again"

    def strike(self):
        server = self.a_server()
        began = time.monotonic()
        server.kill()
        server.start()
        return began


class ServersRestarted(Fault):
    name, title = "rolling-restart", "all servers restarted in turn (SIGTERM)"

    def strike(self):
        began = time.monotonic()
        for server in self.world.servers:
            code = server.terminate()
            assert code == 0, f"{server.name} ended with {code} on SIGTERM"
            server.start()
        return began


class ServerFrozen(Fault):
    name, title = "server-freeze", "a server frozen (SIGSTOP) and woken"

    def strike(self):
        server = self.a_server()
        server.freeze()
        time.sleep(self.options.frozen)
        server.wake()
        return time.monotonic()


class DatabaseKilled(Fault):
    name, title, databases = "database-kill", "PostgreSQL killed (`kill -9`, all processes) and started again", ("postgres",)

    def strike(self):
        began = time.monotonic()
        self.world.postgres.kill()
        self.world.postgres.start()
        return began


class DatabaseFrozen(Fault):
    name, title, databases = "database-freeze", "PostgreSQL's processes frozen and woken", ("postgres",)

    def strike(self):
        pid = self.world.postgres.pid
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            backends = [int(word) for word in file.read().split()]
        tell(backends, signal.SIGSTOP)
        time.sleep(self.options.frozen)
        tell(backends, signal.SIGCONT)
        return time.monotonic()


def tell(processes, number):
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


class FailedOver(Fault):
    name, title = "failover", "the primary killed, its synchronous standby promoted"
    databases, needs = ("postgres",), {"standby": True}
    pending = False

    def strike(self):
        if self.pending:
            self.world.restore_standby()
        self.pending = True
        return self.world.fail_over()


class PoolerKilled(Fault):
    name, title, databases, needs = "pooler-kill", "PgBouncer killed and started again", ("postgres",), {"pooler": True}

    def strike(self):
        began = time.monotonic()
        self.world.pooler.kill()
        self.world.pooler.start()
        return began


class NetworkFault(Fault):
    databases, needs = ("postgres",), {"networked": True}

    def disturb(self):
        raise NotImplementedError

    def strike(self):
        self.disturb()
        time.sleep(self.options.cut)
        for link in self.world.links:
            link.mend()
        return time.monotonic()


class DatabaseCut(NetworkFault):
    name, title = "database-cut", "no packets between servers and database"

    def disturb(self):
        self.world.database_link.cut()


class QuestionsCut(NetworkFault):
    name, title = "questions-cut", "no packets from servers to database"

    def disturb(self):
        self.world.database_link.cut(to_left=False)


class AnswersCut(NetworkFault):
    name, title = "answers-cut", "no packets from database to servers"

    def disturb(self):
        self.world.database_link.cut(to_right=False)


class ClientsCut(NetworkFault):
    name, title = "clients-cut", "no packets from servers to clients"

    def disturb(self):
        self.world.clients_link.cut(to_right=False)


class RequestsCut(NetworkFault):
    name, title = "requests-cut", "no packets from clients to servers"

    def disturb(self):
        self.world.clients_link.cut(to_left=False)


class ClientsApart(NetworkFault):
    name, title = "clients-apart", "no packets between servers and clients"

    def disturb(self):
        self.world.clients_link.cut()


class DatabaseSlow(NetworkFault):
    name, title = "database-slow", "packets between servers and database 200 ± 100 ms late"

    def disturb(self):
        self.world.database_link.set({"delay": 0.2, "jitter": 0.1}, {"delay": 0.2, "jitter": 0.1})


class PacketsLost(NetworkFault):
    name, title = "packets-lost", "a tenth of all packets lost"

    def disturb(self):
        for link in self.world.links:
            link.set({"loss": 0.1}, {"loss": 0.1})


class PacketsReordered(NetworkFault):
    name, title = "packets-reordered", "a third of the packets overtake the others by 20 ms"

    def disturb(self):
        for link in self.world.links:
            link.set(*[{"delay": 0.02, "jitter": 0.01, "reorder": 0.3}] * 2)


class DiskFull(Fault):
    name, title, needs = "disk-full", "the database's disk full, then free again", {"small_disk": True}

    def strike(self):
        path = os.path.join(self.world.disk, "ballast")
        with open(path, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(65536))
            except OSError:
                pass
        time.sleep(self.options.cut)
        os.unlink(path)
        began = time.monotonic()
        if self.world.postgres and not self.world.postgres.is_running():
            self.world.postgres.start()
        return began


class NoDescriptors(Fault):
    name, title = "descriptors", "no file descriptors left for a server"

    def strike(self):
        server = self.a_server()
        before = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (len(os.listdir(f"/proc/{server.pid}/fd")), before[1]))
        time.sleep(self.options.cut)
        if server.is_running():
            resource.prlimit(server.pid, resource.RLIMIT_NOFILE, before)
        began = time.monotonic()
        if not server.is_running():
            # libdispatch ends a process when it cannot open a file of /proc (docs/reliability.md).
            self.world.count("servers that had ended")
            server.start()
        return began


class ClockStepped(Fault):
    name, title, needs, disturbs_time = "clock", "the servers' clock stepped by ±1 hour or ±1 day, and back", {"clock": True}, True
    steps = [3600, -3600, 86400, -86400]
    number = 0

    def strike(self):
        self.world.step_clock(self.steps[self.number % 4])
        self.number += 1
        time.sleep(self.options.cut)
        self.world.step_clock(0)
        return time.monotonic()


class ClocksDiffer(Fault):
    """Each server has a clock of its own, within `--apart` seconds of the true one, which devices and applications have.

    Within a proof's skew (a minute) nobody may be refused for it, and nothing may count twice."""

    name, title, needs = "clocks-differ", "the servers' clocks set apart, each by another difference", {"clock": True}

    def strike(self):
        for server in self.world.servers:
            self.world.step_clock(random.randint(-self.options.apart, self.options.apart), server)
        time.sleep(self.options.cut)
        if self.options.apart > 60:
            self.world.step_clock(0)
        return time.monotonic()


class BadDisk(Fault):
    needs = {"bad_disk": True}

    def state(self):
        raise NotImplementedError

    def strike(self):
        self.world.spoil_disk(self.state())
        time.sleep(self.options.cut)
        self.world.spoil_disk(None)
        began = time.monotonic()
        if self.world.postgres:
            wait_until(self.recovered, "PostgreSQL's recovery")
        for server in self.world.servers:
            if not server.is_running():
                self.world.count("servers that had ended")
                server.start()
        return began

    def recovered(self):
        """It ends when it cannot write its log, which may take a moment; then somebody has to start it."""
        if not self.world.postgres.is_running():
            self.world.count("times that PostgreSQL had ended")
            self.world.postgres.start()
        return self.world.postgres.answers()


class SlowDisk(BadDisk):
    name, title = "slow-disk", "each flush to disk 300 ms late"

    def state(self):
        return "slow 300"


class FailingDisk(BadDisk):
    name, title = "failing-disk", "the database's disk failing: all, or a third of, writes and flushes end with EIO"

    def state(self):
        return random.choice(["failing 100", "failing 33"])


class NoMemory(Fault):
    """A server is started anew and may have 8 MiB more than it has then. The first password that it hashes needs more, so the kernel ends it.

    (One that has hashed passwords keeps the memory for the next, and goes on with 2 MiB more.)"""

    name, title, needs = "memory", "too little memory for a server, which the kernel ends, and started again each time", {"memory": True}

    def strike(self):
        server = self.a_server()
        end = time.monotonic() + self.options.cut
        server.kill()
        while time.monotonic() < end:
            if not server.is_running():
                server.memory.limit(None)
                server.start()
                server.memory.limit(server.memory.anonymous_mib() + 8)
            time.sleep(0.02)
            if not server.is_running():
                self.world.count("times that the kernel ended a server")
        began = time.monotonic()
        server.memory.limit(None)
        # The kernel may have been ending it just then: only an answer shows that it goes on.
        while server.is_running() and not server.answers():
            time.sleep(0.02)
        if not server.is_running():
            server.start()
        return began


class KeyRotated(Fault):
    """As docs/keys.md tells operators to. Every other time the command is killed on its way, and run again."""

    name, title = "key-rotation", "the server key rotated, and the earlier one retired"
    number = 0

    def strike(self):
        self.number += 1
        self.earlier = [entry["id"] for entry in self.key("list", "--json") if entry["state"] != "retired"]
        folders = self.folders()
        if len(folders) > 1:
            # Servers with folders of their own are given the new key's file before it is used.
            self.rotate("--announce")
            self.give_keys(folders)
        self.rotate()
        for each in self.earlier:
            self.key("retire", each, "--wait", "60")
        return time.monotonic()

    def folders(self):
        return sorted({server.data for server in self.world.servers})

    def give_keys(self, folders):
        """Copies the keys of the first server's folder, where the commands make them."""
        first = self.world.servers[0].data
        for name in os.listdir(first):
            for folder in folders:
                if name.endswith(".key") and not os.path.exists(os.path.join(folder, name)):
                    shutil.copy(os.path.join(first, name), os.path.join(folder, name + ".new"))
                    os.rename(os.path.join(folder, name + ".new"), os.path.join(folder, name))

    def rotate(self, *options):
        if self.number % 2 == 0:
            command = self.begin("rotate", *options)
            time.sleep(random.uniform(0, 3))
            command.kill()
            command.communicate()
            self.world.count("rotations killed on their way")
            if self.active() not in self.earlier:
                # The new key is in use already: another rotation would make yet another one.
                return self.key("reencrypt", "--wait", "60")
        self.key("rotate", *options, "--wait", "60", "--json")

    def active(self):
        return next(entry["id"] for entry in self.key("list", "--json") if entry["state"] == "active")

    def begin(self, *words):
        place = ["--data", self.world.servers[0].data, *(["--database", self.world.address] if self.world.address else [])]
        return subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "--", self.options.binary, "key", *words, *place], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(self.world.folder))

    def key(self, *words):
        command = self.begin(*words)
        text, trouble = command.communicate(timeout=180)
        if command.returncode != 0:
            raise SystemExit(f"sealring key {' '.join(words)}: {trouble}")
        return json.loads(text) if "--json" in words else None


class KeyMissed(KeyRotated):
    """The server is frozen over all of it: it is announced, rotated and retired when the server has not been heard of for half a minute.

    People have been writing to it all the while, and it goes on with that as it wakes. Every other time it gets the new key's file only
    later: until then it must answer errors, and must not spoil what the others write."""

    name, title = "key-missed", "a server frozen (SIGSTOP) while the server key is announced, rotated and retired, then woken"

    def strike(self):
        self.number += 1
        self.earlier = [entry["id"] for entry in self.key("list", "--json") if entry["state"] != "retired"]
        server = self.a_server()
        server.freeze()
        try:
            while self.is_writing(server):
                # SQLite has one writer: while that is frozen nobody else can write, so it cannot miss anything.
                self.world.count("times that the server was frozen while it wrote")
                server.wake()
                time.sleep(random.uniform(0.1, 1))
                server.freeze()
            self.go_through(server)
        finally:
            server.wake()
        if len(self.folders()) > 1 and self.number % 2 == 0:
            time.sleep(4)
            self.world.count("times that a server woke without the key in use")
        self.give_keys(self.folders())
        return time.monotonic()

    def is_writing(self, frozen):
        """Whether the frozen server holds SQLite's lock."""
        if self.world.address:
            return False
        with contextlib.closing(sqlite3.connect(os.path.join(frozen.data, "sealring.sqlite"), timeout=0.2, isolation_level=None)) as database:
            try:
                database.execute("BEGIN IMMEDIATE")
                database.execute("ROLLBACK")
                return False
            except sqlite3.OperationalError:
                return True

    def go_through(self, frozen):
        self.key("rotate", "--announce", "--wait", "60")
        late = len(self.folders()) > 1 and self.number % 2 == 0
        self.give_keys([folder for folder in self.folders() if not late or folder != frozen.data])
        self.key("rotate", "--wait", "60", "--json")
        for each in self.earlier:
            self.key("retire", each, "--wait", "60")


class Upgraded(Fault):
    """With `--from`, servers of another version begin; they are replaced by those of this one, and next time these by the first."""

    name, title = "rolling-upgrade", "all servers replaced in turn by those of another version (SIGTERM), and back the next time"
    number = 0

    def strike(self):
        self.number += 1
        began = time.monotonic()
        for server in self.world.servers:
            code = server.terminate()
            assert code == 0, f"{server.name} ended with {code} on SIGTERM"
            server.binary = self.options.binary if self.number % 2 else self.options.older
            server.start()
            # Both versions serve for a while.
            time.sleep(random.uniform(0, 2))
        return began


class FirstHostSilent(Fault):
    """Of two hosts of the address, the first accepts and never answers. Each time all connections end, and one server starts anew."""

    name, title = "first-host-silent", "the first of two hosts accepts and never answers, all connections ended and a server started anew"
    databases, needs = ("postgres",), {"silent_host": True}

    def strike(self):
        before = self.world.silent_host.taken
        server = self.a_server()
        server.kill()
        self.world.postgres.psql(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = 'soak' AND pid <> pg_backend_pid()")
        began = time.monotonic()
        server.start()
        assert self.world.silent_host.taken > before, "nobody tried the first host"
        return began


class ColumnAdded(Fault):
    """What the next version's migration does: tables get a column, while statements that were prepared without it are in use."""

    name, title, databases = "column-added", "what every sign-in reads, and six other tables, given a column by the next version", ("postgres",)

    def strike(self):
        postgres, column = self.world.postgres, f"next_{random.randrange(2**32):08x}"
        tables = postgres.psql("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1").split()
        for table in ["users", "sessions", *random.sample(tables, 6)]:
            # As migrations do: nobody is kept waiting for long.
            change = f"SET lock_timeout = '3s'; ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {column} text NOT NULL DEFAULT 'new'"
            wait_until(lambda: self.is_done(change), f"a column of {table}")
        return time.monotonic()

    def is_done(self, change):
        try:
            self.world.postgres.psql(change)
            return True
        except SystemExit as error:
            if "lock timeout" not in str(error):
                raise
            return False


class TableLocked(Fault):
    """Somebody holds a table that every sign-in needs, some of the time for longer than servers wait for it."""

    name, title, databases = "table-locked", "a table locked by somebody else", ("postgres",)
    tables = ["sessions", "users", "consumed", "evidence_ledger", "lockouts"]
    number = 0

    def strike(self):
        table = self.tables[self.number % len(self.tables)]
        self.number += 1
        self.world.postgres.psql(f"BEGIN; LOCK TABLE {table}; SELECT pg_sleep({self.options.cut}); COMMIT")
        began = time.monotonic()
        # What was given up has ended there, too.
        left = f"""SELECT count(*) FROM pg_stat_activity WHERE datname = 'soak' AND state = 'active' AND pid <> pg_backend_pid()
                   AND query_start < now() - interval '{self.options.cut} seconds'"""
        wait_until(lambda: self.world.postgres.psql(left).strip() == "0", "the end of statements that were given up")
        return began


ALL = [ServerKilled, ServersRestarted, Upgraded, ServerFrozen, DatabaseKilled, DatabaseFrozen, FailedOver, PoolerKilled, DatabaseCut,
       QuestionsCut, AnswersCut, ClientsCut, RequestsCut, ClientsApart, DatabaseSlow, PacketsLost, PacketsReordered, DiskFull, SlowDisk,
       FailingDisk, NoDescriptors, NoMemory, ClockStepped, ClocksDiffer, KeyRotated, KeyMissed, FirstHostSilent,
       ColumnAdded, TableLocked]
BY_NAME = {fault.name: fault for fault in ALL}
