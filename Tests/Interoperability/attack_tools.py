"""What attacks.py works with: a server process, HTTP from any loopback address, a bound key, a push device, a passkey.

Knows the wire formats and nothing of Sealring's code. Needs Python 3 and its `cryptography` package.
"""

import base64
import hashlib
import hmac
import http.client
import json
import os
import re
import select
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import urllib.parse
import uuid

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

ALPHA = "/am/json/realms/root/realms/alpha"
ROOT = "/am/json/realms/root"
ADMINISTRATOR = "harbour lantern 47 quiet"
PASSWORD = "seven grey herons wade"
APPLICATION = "com.sealring.cli"
TOKEN = "iPlanetDirectoryPro"


def b64u(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_b64(text):
    text = text.replace("-", "+").replace("_", "/").rstrip("=")
    return base64.b64decode(text + "=" * (-len(text) % 4))


SCENARIOS = []


def scenario(title):
    """Adds a function of a `World` to what attacks.py plays."""
    def add(function):
        SCENARIOS.append((title, function))
        return function
    return add


class Server:
    """`sealring serve` with a folder of its own; ended by close()."""

    def __init__(self, binary, *options, data=None):
        self.data = data or tempfile.mkdtemp(prefix="sealring-attack-")
        self.log_path = os.path.join(self.data, "serve.log")
        self.log = open(self.log_path, "ab")
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--data", os.path.join(self.data, "server"), *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log,
            env={**os.environ, "SEALRING_ADMIN_PASSWORD": ADMINISTRATOR})
        # Not select(), whose descriptors end at 1024: there are thousands of connections.
        waiting = select.poll()
        waiting.register(self.process.stdout, select.POLLIN)
        ready = waiting.poll(60_000)
        line = self.process.stdout.readline().decode() if ready else ""
        match = re.fullmatch(r"listening on (https?)://([^:]+):(\d+)/am\n", line)
        if not match:
            self.process.kill()
            raise SystemExit(f"The server did not start: {line!r} {open(self.log_path).read()}")
        self.host, self.port = match[2], int(match[3])

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()

    def log_text(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def events(self):
        with open(os.path.join(self.data, "server", "events.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def resident_mib(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) / 1024


class Client:
    """Speaks HTTP to a server from one loopback address, so that each party of a scenario has its own."""

    def __init__(self, server, address="127.0.0.1"):
        self.server, self.address = server, address

    def connect(self, timeout=60):
        return http.client.HTTPConnection(
            self.server.host, self.server.port, timeout=timeout, source_address=(self.address, 0))

    def raw(self, timeout=60):
        return socket.create_connection(
            (self.server.host, self.server.port), timeout=timeout, source_address=(self.address, 0))

    def send(self, method, path, body=None, token=None, headers=None, connection=None, **extra):
        """(status, JSON or None, headers). `body` is JSON unless it is bytes."""
        own = connection is None
        connection = connection or self.connect()
        sent = {"Accept-API-Version": "resource=2.1, protocol=1.0"}
        data = body
        if body is not None and not isinstance(body, bytes):
            data = json.dumps(body).encode()
        if method != "GET":
            sent["Content-Type"] = "application/json"
        if token:
            sent[TOKEN] = token
        for name, value in {**(headers or {}), **extra}.items():
            if value is None:
                sent.pop(name, None)
            else:
                sent[name] = value
        try:
            connection.request(method, path, body=data, headers=sent)
            response = connection.getresponse()
            text = response.read()
            answered = response.status, response.headers
        finally:
            if own:
                connection.close()
        try:
            answer = json.loads(text)
        except ValueError:
            answer = None
        return answered[0], answer, answered[1]

    # Journeys

    def start(self, journey, realm=ALPHA, **more):
        return self.send("POST", f"{realm}/authenticate?authIndexType=service&authIndexValue={journey}", {}, **more)[1]

    def reply(self, step, *values, realm=ALPHA, **more):
        """Fills the callbacks that take plain input, in their order, and posts the step."""
        values = list(values)
        for callback in step["callbacks"]:
            if callback["type"] in ("NameCallback", "PasswordCallback", "TextInputCallback", "StringAttributeInputCallback"):
                callback["input"][0]["value"] = values.pop(0)
        return self.send("POST", f"{realm}/authenticate", {"authId": step["authId"], "callbacks": step["callbacks"]}, **more)

    def answer(self, step, realm=ALPHA, connection=None, **values):
        """Fills inputs by the end of their names, as devices do."""
        for callback in step["callbacks"]:
            for entry in callback.get("input", []):
                name = re.sub(r"^IDToken\d+", "", entry["name"])
                if name in values:
                    entry["value"] = values[name]
        return self.send(
            "POST", f"{realm}/authenticate", {"authId": step["authId"], "callbacks": step["callbacks"]}, connection=connection)

    def password_sign_in(self, name, password, realm=ALPHA, **headers):
        status, answer, fields = self.send(
            "POST", f"{realm}/authenticate", {},
            headers={"X-OpenAM-Username": name, "X-OpenAM-Password": password, **headers})
        return (answer or {}).get("tokenId") if status == 200 else None

    def administrator(self):
        return self.password_sign_in("amAdmin", ADMINISTRATOR, realm=ROOT)

    def create(self, admin, name, password=PASSWORD):
        status, answer, _ = self.send(
            "POST", f"{ALPHA}/users?_action=create", {"username": name, "userpassword": password}, admin)
        assert status == 201, (status, answer)
        return name


def outputs(callback):
    return {entry["name"]: entry["value"] for entry in callback["output"]}


def callback(step, kind):
    return next(c for c in step["callbacks"] if c["type"] == kind)


class Key:
    """A device's ES256 key."""

    def __init__(self):
        self.kid = str(uuid.uuid4()).upper()
        self.private = ec.generate_private_key(ec.SECP256R1())
        numbers = self.private.public_key().public_numbers()
        self.jwk = {"kty": "EC", "crv": "P-256", "x": b64u(numbers.x.to_bytes(32, "big")),
                    "y": b64u(numbers.y.to_bytes(32, "big")), "use": "sig", "alg": "ES256", "kid": self.kid}

    def jws(self, sub, challenge, binds=False, **more):
        now = int(time.time())
        header = {"alg": "ES256", "typ": "JWS", "kid": self.kid, **({"jwk": self.jwk} if binds else {})}
        claims = {"sub": sub, "iss": APPLICATION, "challenge": challenge, "iat": now, "nbf": now, "exp": now + 60, **more}
        signed = b64u(json.dumps(header).encode()) + "." + b64u(json.dumps(claims).encode())
        r, s = decode_dss_signature(self.private.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        return signed + "." + b64u(r.to_bytes(32, "big") + s.to_bytes(32, "big"))

    def bind(self, client, name, password=PASSWORD, journey="BindDevice", realm=ALPHA, proving=None):
        """Binds the key, after the key `proving` that the account has already; the session that came of it."""
        step = client.start(journey, realm)
        while "DeviceBindingCallback" not in [c["type"] for c in step.get("callbacks", [])]:
            if proving and "DeviceSigningVerifierCallback" in [c["type"] for c in step["callbacks"]]:
                challenge = outputs(callback(step, "DeviceSigningVerifierCallback"))["challenge"]
                status, step, _ = client.answer(step, realm, jws=proving.jws(proving.sub, challenge), clientError="")
                assert status == 200, (status, step)
                continue
            typed = [name if c["type"] == "NameCallback" else password for c in step["callbacks"]
                     if c["type"] in ("NameCallback", "PasswordCallback")]
            status, step, _ = client.reply(step, *typed, realm=realm)
            assert status == 200, (status, step)
        asked = outputs(callback(step, "DeviceBindingCallback"))
        self.sub = asked["userId"]
        status, answer, _ = client.answer(
            step, realm, jws=self.jws(self.sub, asked["challenge"], binds=True), deviceName="Script", deviceId="0f" * 16,
            clientError="")
        assert status == 200, (status, answer)
        return answer.get("tokenId")

    def sign_in(self, client, connection=None):
        """Signs in with the key; the session, or None."""
        status, step, _ = client.send(
            "POST", f"{ALPHA}/authenticate?authIndexType=service&authIndexValue=SignIn", {}, connection=connection)
        if status != 200:
            return None
        challenge = outputs(callback(step, "DeviceSigningVerifierCallback"))["challenge"]
        status, answer, _ = client.answer(step, jws=self.jws(self.sub, challenge), clientError="", connection=connection)
        return answer.get("tokenId") if status == 200 else None


class Application:
    """A registered application that has payments approved."""

    def __init__(self, client, admin):
        status, made, _ = client.send("POST", f"{ALPHA}/applications?_action=create", {"name": uuid.uuid4().hex[:12]}, admin)
        assert status == 201, made
        self.client = client
        self.basic = {"Authorization": "Basic " + base64.b64encode(f"{made['_id']}:{made['secret']}".encode()).decode()}

    def create(self, name, **fields):
        status, made, _ = self.client.send(
            "POST", f"{ALPHA}/transactions?_action=create", {"username": name, "fields": fields}, headers=self.basic)
        assert status == 201, made
        return made["_id"]

    def read(self, number):
        return self.client.send("GET", f"{ALPHA}/transactions/{number}", headers=self.basic)[1]

    @staticmethod
    def offer(client, number):
        return client.send(
            "POST", f"{ALPHA}/authenticate?authIndexType=transaction&authIndexValue={number}", {})[1]


class PushDevice:
    """A device that is enrolled for push and polls."""

    def __init__(self, client, name, password=PASSWORD, journey="PushRegister"):
        self.client = client
        step = client.start(journey)
        status, step, _ = client.reply(step, name, password)
        uri = next(outputs(c)["value"] for c in step["callbacks"]
                   if c["type"] == "HiddenValueCallback" and "pushauth:" in str(outputs(c).get("value")))
        values = dict(urllib.parse.parse_qsl(urllib.parse.urlparse(uri).query))
        self.secret, self.uid = from_b64(values["s"]), str(uuid.uuid4()).upper()
        self.path = urllib.parse.urlparse(from_b64(values["r"]).decode()).path
        response = base64.b64encode(hmac.new(self.secret, from_b64(values["c"]), hashlib.sha256).digest()).decode()
        status, answer = self.post("register", {"messageId": values["m"], "jwt": self.jwt({
            "response": response, "mechanismUid": self.uid, "deviceId": "none", "deviceType": "linux",
            "communicationType": "poll", "deviceName": "Script"})})
        assert status == 200, answer

    def jwt(self, claims):
        signed = b64u(b'{"typ":"JWT","alg":"HS256"}') + "." + b64u(json.dumps(claims).encode())
        return signed + "." + b64u(hmac.new(self.secret, signed.encode(), hashlib.sha256).digest())

    def post(self, action, body):
        return self.client.send("POST", f"{self.path}?_action={action}", body)[:2]

    def poll(self):
        return self.post("poll", {"mechanismUid": self.uid, "jwt": self.jwt({"mechanismUid": self.uid, "iat": int(time.time())})})


class Passkey:
    """An authenticator with one key, whose browser can be told to be anywhere."""

    def __init__(self, relying_party):
        self.relying_party, self.id = relying_party, os.urandom(16)
        self.private = ec.generate_private_key(ec.SECP256R1())

    def client_data(self, kind, challenge, origin):
        return json.dumps({"type": kind, "challenge": b64u(from_b64(challenge)), "origin": origin, "crossOrigin": False})

    def data(self, flags):
        return hashlib.sha256(self.relying_party.encode()).digest() + struct.pack(">BI", flags, 0)

    @staticmethod
    def signed_bytes(data):
        return ",".join(str(b - 256 if b > 127 else b) for b in data)

    def register(self, challenge, origin):
        numbers = self.private.public_key().public_numbers()
        x, y = numbers.x.to_bytes(32, "big"), numbers.y.to_bytes(32, "big")
        cose = b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20" + x + b"\x22\x58\x20" + y
        data = self.data(0x45) + bytes(16) + struct.pack(">H", len(self.id)) + self.id + cose
        attestation = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58" + bytes([len(data)]) + data
        return "::".join([self.client_data("webauthn.create", challenge, origin), self.signed_bytes(attestation), b64u(self.id)])

    def assertion(self, challenge, origin, handle=None):
        text, data = self.client_data("webauthn.get", challenge, origin), self.data(0x05)
        signature = self.private.sign(data + hashlib.sha256(text.encode()).digest(), ec.ECDSA(hashes.SHA256()))
        parts = [text, self.signed_bytes(data), self.signed_bytes(signature), b64u(self.id)]
        return "::".join(parts + ([handle] if handle else []))


def at_once(works):
    """Runs all functions as nearly at once as threads allow; their results in order."""
    barrier, results = threading.Barrier(len(works)), [None] * len(works)

    def run(index):
        barrier.wait()
        try:
            results[index] = works[index]()
        except OSError as error:
            results[index] = error

    threads = [threading.Thread(target=run, args=(index,), daemon=True) for index in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    return results


class WellBehaved(threading.Thread):
    """A client that signs in with its bound key, five times a second, whatever happens around it."""

    def __init__(self, client, key):
        super().__init__(daemon=True)
        self.client, self.key = client, key
        self.seconds, self.failures, self.ending = [], 0, threading.Event()

    def run(self):
        while not self.ending.wait(0.2):
            begin = time.monotonic()
            try:
                token = self.key.sign_in(self.client)
            except OSError:
                token = None
            self.seconds.append(time.monotonic() - begin)
            self.failures += token is None

    def finish(self):
        self.ending.set()
        self.join(60)
        ordered = sorted(self.seconds)
        return {"sign-ins": len(ordered), "failures": self.failures,
                "p50": ordered[len(ordered) // 2], "p99": ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]}
