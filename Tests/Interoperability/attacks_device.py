"""Attacks against the device's side that can be played with the command line: proxies, strangers on this machine's ports, settings from elsewhere,
servers that answer without end. attacks.py plays them with its own."""

import datetime
import http.server
import ipaddress
import json
import os
import select
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from attack_tools import ADMINISTRATOR, TOKEN, scenario

#: A user of this machine who is neither root nor the client's.
STRANGER = 65534


#: Says where it listens, then what it is sent.
LISTENER = """
import socket
with socket.create_server(("127.0.0.1", 0)) as listener:
    print(listener.getsockname()[1], flush=True)
    while True:
        connection, _ = listener.accept()
        print(connection.recv(4096), flush=True)
        connection.close()
"""


class Device:
    """The command line with a home of its own, without the variables of whoever runs this."""

    def __init__(self, world):
        self.binary, self.folder = world.binary, tempfile.mkdtemp(prefix="sealring-device-")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def environment(self, **more):
        kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "TMPDIR", "LANG") if name in os.environ}
        return {**kept, "HOME": self.folder, "SEALRING_HOME": os.path.join(self.folder, "home"),
                "SEALRING_ADMIN_PASSWORD": ADMINISTRATOR, **more}

    def run(self, *arguments, limit=120, **environment):
        """(exit code, all that was written, the most memory in MiB, seconds)."""
        start = time.monotonic()
        with tempfile.TemporaryFile() as written:
            process = subprocess.Popen(
                [self.binary, *arguments], stdin=subprocess.DEVNULL, stdout=written, stderr=written,
                env=self.environment(**environment))
            timer = threading.Timer(limit, process.kill)
            timer.start()
            _, status, usage = os.wait4(process.pid, 0)
            timer.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            written.seek(0)
            text = written.read().decode(errors="replace")
        return process.returncode, text, usage.ru_maxrss / 1024, time.monotonic() - start


class StandIn:
    """An HTTP server that keeps what it is sent. `answer` gets a request's path and returns the body of an answer of 200."""

    def __init__(self, answer, tls=None):
        stand_in = self
        self.received = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def reply(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                stand_in.received.append(f"{self.requestline}\n{self.headers}\n{body.decode(errors='replace')}")
                content = answer(self.path)
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = do_DELETE = do_CONNECT = reply

            def log_message(self, *_):
                pass

        class Quiet(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Quiet(("127.0.0.1", 0), Handler)
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def nothing(path):
    return b"{}"


@scenario("A proxy from the environment reads what is for this machine")
def proxied_loopback(world):
    own = f"http://{world.server.host}:{world.server.port}/am"
    with Device(world) as device, StandIn(nothing) as proxy:
        address = f"http://127.0.0.1:{proxy.port}"
        for variable in ("http_proxy", "ALL_PROXY"):
            code, text, _, _ = device.run("user", "list", "--server", own, **{variable: address})
            world.check(code == 0 and not proxy.received, f"with {variable} an administrator's password goes to the server alone")
        code, text, _, _ = device.run(
            "user", "list", "--server", "http://192.0.2.1:8080/am", "--allow-http", http_proxy=address)
        world.check(
            code == 1 and "no_proxy" in text and not proxy.received,
            "what is not encrypted goes through no proxy, be it allowed to go without TLS")


@scenario("A user of this machine listens where the server was")
def squatted_port(world):
    if os.geteuid() != 0:
        print("  -     needs root, to be another user")
        return
    program = subprocess.Popen(
        [sys.executable, "-c", LISTENER], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, user=STRANGER, group=STRANGER,
        extra_groups=[], cwd="/")
    try:
        port = int(program.stdout.readline())
        with Device(world) as device:
            for host in ("127.0.0.1", "localhost"):
                code, text, _, _ = device.run("user", "list", "--server", f"http://{host}:{port}/am")
                received = select.select([program.stdout], [], [], 0)[0]
                world.check(
                    code == 1 and f"uid {STRANGER}" in text and not received,
                    f"a stranger's program at {host} is sent nothing, and the person is told whose it is")
    finally:
        program.kill()
        program.wait()
        program.stdout.close()


@scenario("A settings file from elsewhere names a chip that is a program")
def command_for_chip(world):
    with Device(world) as device:
        mark = os.path.join(device.folder, "ran")
        settings = os.path.join(device.folder, "settings.toml")
        names = [f"cmd:touch {mark}", f"libtss2-tcti-cmd.so.0:touch {mark}", "/tmp/evil.so"]
        for name in names[:1] if world.short else names:
            with open(settings, "w", encoding="utf-8") as file:
                file.write(f"tcti = {json.dumps(name)}\n")
            for door, arguments, variables in (
                    ("the settings", (), {"SEALRING_CONFIG": settings}), ("the environment", (), {"SEALRING_TCTI": name}),
                    ("an option", ("--tcti", name), {})):
                code, text, _, _ = device.run("keys", "list", *arguments, **variables)
                world.check(
                    code == 1 and "does not name a TPM" in text and not os.path.exists(mark),
                    f"{name.split(':')[0]} from {door} is no chip")


@scenario("A server answers a step with JSON that is dear to read")
def dear_step(world):
    step = b'{"authId":"x","callbacks":[' + b"[]," * ((16 << 20) // 3 - 64) + b"[]]}"
    with Device(world) as device, StandIn(lambda path: step if "authenticate" in path else b'{"cookieName":"c"}') as server:
        code, _, memory, seconds = device.run("journey", "run", "Login", "--server", f"http://127.0.0.1:{server.port}/am")
        world.check(
            code != 0 and memory < 250 and seconds < 40, f"16 MiB end after {seconds:.1f} s and {memory:.0f} MiB")


@scenario("A server's list of accounts never ends")
def endless_accounts(world):
    def answer(path):
        if "/users?" in path:
            return b'{"result":[{"username":"mira"}],"pagedResultsCookie":"a&_queryFilter=false"}'
        return json.dumps({"cookieName": TOKEN, "tokenId": "t", "result": "Successfully logged out"}).encode()

    with Device(world) as device, StandIn(answer) as server:
        code, text, _, _ = device.run("user", "list", "--server", f"http://127.0.0.1:{server.port}/am", limit=60)
        pages = [request for request in server.received if "/users?" in request]
        world.check(code == 1 and len(pages) == 2, f"it ends at the page that was there before ({len(pages)} were asked for)")
        world.check(
            all("&_queryFilter=false" not in request.split("\n")[0] for request in pages),
            "a page's name adds no parameter to the next request")


@scenario("Somebody else answers with a certificate of their own")
def other_certificate(world):
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(
        x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(
            now + datetime.timedelta(days=1)).add_extension(x509.SubjectAlternativeName([
                x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False).sign(key, hashes.SHA256())
    with Device(world) as device:
        file = os.path.join(device.folder, "server.pem")
        with open(file, "wb") as pem:
            pem.write(key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
            pem.write(certificate.public_bytes(serialization.Encoding.PEM))
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(file)
        with StandIn(nothing, tls) as server:
            code, text, _, _ = device.run("user", "list", "--server", f"https://localhost:{server.port}/am")
            world.check(
                code == 1 and "certificate is not trusted" in text and "does not use TLS" not in text and not server.received,
                "the person is told of the certificate, not to go on without TLS")


@scenario("Another program of the user looks into a command's memory")
def command_memory(world):
    with Device(world) as device:
        process = subprocess.Popen(
            [world.binary, "session", "login", "--username", "mira", "--password-stdin", "--server",
             f"http://{world.server.host}:{world.server.port}/am"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=device.environment())
        try:
            held, end = False, time.monotonic() + 20
            while not held and time.monotonic() < end and process.poll() is None:
                with open(f"/proc/{process.pid}/limits", encoding="ascii") as limits:
                    held = any(line.split()[:6] == ["Max", "core", "file", "size", "0", "0"] for line in limits)
                time.sleep(0.05)
            world.check(held, "a command that waits for a password leaves no core dump")
        finally:
            process.kill()
            process.wait()
            process.stdin.close()
