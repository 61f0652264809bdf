"""What breaks, and how it is put right again. Each fault says what it needs of the world, and answers how long nobody was served."""

import os
import random
import resource
import signal
import time


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
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, before)
        return time.monotonic()


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


class SlowDisk(Fault):
    name, title, needs = "slow-disk", "each flush to disk 300 ms late", {"slow_disk": True}

    def strike(self):
        self.world.slow_down(300)
        time.sleep(self.options.cut)
        self.world.slow_down(0)
        return time.monotonic()


ALL = [ServerKilled, ServersRestarted, ServerFrozen, DatabaseKilled, DatabaseFrozen, FailedOver, PoolerKilled, DatabaseCut, QuestionsCut,
       AnswersCut, ClientsCut, DatabaseSlow, PacketsLost, PacketsReordered, DiskFull, NoDescriptors, ClockStepped, SlowDisk]
BY_NAME = {fault.name: fault for fault in ALL}
