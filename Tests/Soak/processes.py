"""Real processes: sealring servers, PostgreSQL with a standby, PgBouncer, HAProxy. Each in a folder of its own, ended with this program.

Processes are started from the main thread only: the kernel ends them when the thread that started them does.
"""

import glob
import http.client
import os
import pwd
import re
import select
import shutil
import signal
import socket
import subprocess
import time

ADMINISTRATOR = "harbour lantern 47 quiet"


def environment(home, **more):
    """Nothing of the user's own settings of Sealring and PostgreSQL."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("SEALRING_", "XDG_", "PG"))}
    return {**own, "HOME": home, **more}


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def wait_until(condition, what, seconds=600, pause=0.05):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(pause)
    raise SystemExit(f"{what} did not happen within {seconds} seconds")


def give_to_postgres(path):
    if os.geteuid() == 0:
        user = pwd.getpwnam("postgres")
        os.chown(path, user.pw_uid, user.pw_gid)


def as_postgres(words):
    """PostgreSQL and PgBouncer do not run as root."""
    if os.geteuid() != 0:
        return ["setpriv", "--pdeathsig", "KILL", "--", *words]
    return ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups", "--pdeathsig", "KILL", "--", *words]


def postgres_program(name):
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), key=lambda path: int(path.split("/")[4]))
    path = found[-1] if found else shutil.which(name)
    if not path:
        raise SystemExit(f"{name} is missing: scripts/bootstrap --test installs it")
    return path


class Program:
    """A process with a log, which can be killed, frozen and started again. `network` is one of network.py's namespaces, `memory` a group of memory.py."""

    def __init__(self, folder, name, network=None):
        self.folder, self.name, self.network = folder, name, network
        self.process = self.memory = None
        os.makedirs(folder, exist_ok=True)
        self.log_path = os.path.join(folder, f"{name}.log")

    def launch(self, words, variables=None, **options):
        if self.network:
            words = [*self.network.enter, *words]
        if self.memory:
            words = [*self.memory.enter, *words]
        self.forget()
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stderr=log, env=environment(self.folder, **(variables or {})),
                **{"stdout": log, **options})

    def forget(self):
        """Closes what leads to the process that has ended."""
        if self.process and self.process.stdout:
            self.process.stdout.close()

    @property
    def pid(self):
        return self.process.pid

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        """As a crash does: kill -9."""
        if self.is_running():
            self.process.kill()
        if self.process:
            self.process.wait()
            self.forget()

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def wake(self):
        self.process.send_signal(signal.SIGCONT)

    def log(self):
        try:
            with open(self.log_path, encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""


class Server(Program):
    """`sealring serve`. Its port stays the same when it is started again."""

    def __init__(self, binary, folder, name, database=None, host="127.0.0.1", network=None, options=(), variables=None):
        super().__init__(folder, name, network)
        self.binary, self.host, self.port = binary, host, 0
        self.data = os.path.join(folder, name)
        self.options = ["--host", host, "--data", self.data, "--bundled-journeys", "all", *options]
        if host != "127.0.0.1":
            self.options.append("--insecure-http")
            if "--factor-changes" not in self.options:
                self.options += ["--factor-changes", "any"]
        if database:
            self.options += ["--database", database]
        self.variables = {"SEALRING_ADMIN_PASSWORD": ADMINISTRATOR, **(variables or {})}

    def begin(self):
        """Starts the process and does not wait; `finish_start` does."""
        words = ["setpriv", "--pdeathsig", "KILL", "--", self.binary, "serve", "--port", str(self.port), *self.options]
        self.launch(words, self.variables, stdout=subprocess.PIPE)

    def finish_start(self, seconds=300):
        """Whether it listens."""
        waiting = select.poll()
        waiting.register(self.process.stdout, select.POLLIN)
        line = self.process.stdout.readline().decode() if waiting.poll(seconds * 1000) else ""
        match = re.fullmatch(r"listening on https?://[^:]+:(\d+)/am\n", line)
        if match:
            self.port = int(match[1])
        else:
            self.kill()
        return bool(match)

    def start(self, seconds=600):
        """Starts it, again and again while its database is away, as a service manager does."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.begin()
            if self.finish_start():
                return self
            time.sleep(0.1)
        raise SystemExit(f"{self.name} did not start: {self.log()[-2000:]}")

    def terminate(self, seconds=300):
        """SIGTERM; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def answers(self):
        """Whether it answers anybody."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=5)
        try:
            connection.request("GET", "/health/live")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def resident_mib(self):
        with open(f"/proc/{self.pid}/status") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) / 1024


class Postgres(Program):
    """A cluster of its own, reached by a socket in its folder, or by an address in a network of its own."""

    SETTINGS = {"max_connections": "200", "shared_buffers": "64MB", "wal_level": "replica", "hot_standby": "on", "max_wal_senders": "4",
                "wal_keep_size": "64MB", "max_wal_size": "256MB", "fsync": "on", "wal_sender_timeout": "5s"}

    def __init__(self, folder, name, network=None, address=None, variables=None, data=None):
        super().__init__(folder, name, network)
        give_to_postgres(folder)
        self.address, self.variables = address, variables
        self.data, self.sockets = data or os.path.join(folder, f"{name}-data"), os.path.join(folder, f"{name}-socket")
        os.makedirs(self.sockets, exist_ok=True)
        give_to_postgres(self.sockets)

    def run(self, words, check=True):
        done = subprocess.run(as_postgres(words), stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd="/", env=environment(self.folder))
        if check and done.returncode != 0:
            raise SystemExit(f"{words[0]} failed: {done.stderr}")
        return done

    def create(self):
        self.run([postgres_program("initdb"), "-D", self.data, "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C"])
        if self.address:
            with open(os.path.join(self.data, "pg_hba.conf"), "a") as file:
                file.write("host all all samenet trust\n")
        self.start()
        self.psql("CREATE DATABASE soak", "postgres")
        return self

    def follow(self, primary):
        """Becomes the synchronous standby of `primary`."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.run([postgres_program("pg_basebackup"), "-h", primary.sockets, "-U", "postgres", "-D", self.data, "-R", "-X", "stream", "-c", "fast"])
        # When it is promoted it has no standby yet, and must not wait for one.
        own = os.path.join(self.data, "postgresql.auto.conf")
        with open(own) as file:
            lines = [line for line in file if not line.startswith("synchronous_standby_names")]
        with open(own, "w") as file:
            file.writelines(lines)
        self.start()
        primary.psql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.psql("SELECT pg_reload_conf()")
        synchronous = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'"
        wait_until(lambda: primary.psql(synchronous).strip() == "1", "a synchronous standby")

    def begin(self):
        settings = {**self.SETTINGS, "listen_addresses": self.address or "", "unix_socket_directories": self.sockets}
        words = [postgres_program("postgres"), "-D", self.data]
        for name, value in settings.items():
            words += ["-c", f"{name}={value}"]
        self.launch(as_postgres(words), self.variables, cwd="/")

    def start(self, seconds=600):
        end = time.monotonic() + seconds
        self.begin()
        while time.monotonic() < end:
            if not self.is_running():
                # Backends of the one before may still hold its memory.
                time.sleep(0.2)
                self.begin()
            if self.answers():
                return self
            time.sleep(0.05)
        raise SystemExit(f"PostgreSQL did not start: {self.log()[-2000:]}")

    def answers(self):
        return self.run(["psql", "-X", "-q", "-U", "postgres", "-h", self.sockets, "-d", "postgres", "-c", "SELECT 1"], check=False).returncode == 0

    def psql(self, statement, database="soak"):
        return self.run(
            ["psql", "-X", "-q", "-A", "-t", "-U", "postgres", "-h", self.sockets, "-d", database, "-v", "ON_ERROR_STOP=1", "-c", statement]).stdout

    def kill(self):
        """Every process of it, at once."""
        if self.is_running():
            with open(f"/proc/{self.pid}/task/{self.pid}/children") as file:
                children = [int(word) for word in file.read().split()]
            self.process.kill()
            for child in children:
                try:
                    os.kill(child, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        if self.process:
            self.process.wait()

    def promote(self):
        self.run([postgres_program("pg_ctl"), "promote", "-w", "-D", self.data])


class PgBouncer(Program):
    """Transaction mode in front of a PostgreSQL, few connections for all."""

    def __init__(self, folder, postgres, connections=8):
        super().__init__(os.path.join(folder, "pooler"), "pgbouncer")
        give_to_postgres(self.folder)
        self.settings = os.path.join(self.folder, "pgbouncer.ini")
        with open(self.settings, "w") as file:
            file.write(f"""[databases]
* = host={postgres.sockets} user=postgres
[pgbouncer]
pool_mode = transaction
auth_type = any
unix_socket_dir = {self.folder}
listen_port = 6432
default_pool_size = {connections}
max_client_conn = 500
server_login_retry = 1
""")
        self.address = f"postgres://postgres@/soak?host={self.folder}&port=6432"

    def start(self):
        stale = os.path.join(self.folder, ".s.PGSQL.6432")
        if os.path.exists(stale):
            os.unlink(stale)
        self.launch(as_postgres([shutil.which("pgbouncer", path="/usr/sbin:/usr/bin"), self.settings]))
        wait_until(lambda: os.path.exists(stale), "PgBouncer's start")
        return self


class HAProxy(Program):
    """Sends each request to one of the servers at random, and looks every 200 ms who is in good health."""

    def __init__(self, folder, servers, port=None):
        super().__init__(os.path.join(folder, "haproxy"), "haproxy")
        self.host, self.port = "127.0.0.1", port or free_port()
        self.settings = os.path.join(self.folder, "haproxy.cfg")
        lines = "\n".join(f"  server {server.name} {server.host}:{server.port}" for server in servers)
        with open(self.settings, "w") as file:
            file.write(f"""global
  maxconn 4000
defaults
  mode http
  timeout connect 2s
  timeout client 100s
  timeout server 100s
  option forwardfor
  option http-server-close
  option redispatch 1
  retries 3
  retry-on conn-failure
  option httpchk GET /health
  default-server check inter 200ms fall 1 rise 1
frontend clients
  bind {self.host}:{self.port}
  http-request del-header Forwarded
  http-request set-header X-Forwarded-Proto http
  http-request set-header X-Forwarded-Host %[req.hdr(host)]
  default_backend servers
backend servers
  balance random
{lines}
""")

    def start(self):
        program = shutil.which("haproxy", path="/usr/sbin:/usr/bin")
        if not program:
            raise SystemExit("haproxy is missing: apt-get install haproxy")
        self.launch(["setpriv", "--pdeathsig", "KILL", "--", program, "-db", "-f", self.settings])

        def connects():
            try:
                socket.create_connection((self.host, self.port), timeout=1).close()
                return True
            except OSError:
                return False

        wait_until(connects, "HAProxy's start")
        return self
