#!/usr/bin/python3
"""Measures for how long one request can keep one of the server's threads, and prints the longest times.

Usage: thread_time.py BINARY

Plays the dearest requests that the limits let through, one after the other, and reads from the kernel how long each thread of the server ran
while one was answered (/proc/PID/task/*/schedstat, in nanoseconds): other programs on the machine do not count. A thread that works for several
requests, or in several pieces, is counted as if it had been kept all the while. Hashing passwords has threads of its own, so the threads of a
request that hashes one are not looked at here. Exit code 1 when a request kept a thread for more than 50 ms.
"""

import base64
import datetime
import glob
import os
import shutil
import sys
import tempfile

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from attack_tools import ALPHA, PASSWORD, Application, Client, Key, Passkey, Server, callback, outputs

LIMIT = 50.0
ROUNDS = 10


class Chain:
    """Ten certificates with large keys, each signed by the next, as a device may send them; and their root in a file."""

    def __init__(self, folder, length=10, bits=8192):
        self.private = rsa.generate_private_key(public_exponent=65537, key_size=bits)
        self.file = os.path.join(folder, "root.pem")
        root = self.certificate("Root", "Root", None)
        with open(self.file, "wb") as file:
            file.write(root.public_bytes(serialization.Encoding.PEM))
        names = ["Root"] + [f"Authority {number}" for number in range(length - 1)]
        self.above = [self.certificate(name, issuer, None) for issuer, name in zip(names, names[1:])]
        self.last = names[-1]

    def certificate(self, name, issuer, key):
        now = datetime.datetime.now(datetime.timezone.utc)
        common = x509.oid.NameOID.COMMON_NAME
        builder = (
            x509.CertificateBuilder().subject_name(x509.Name([x509.NameAttribute(common, name)]))
            .issuer_name(x509.Name([x509.NameAttribute(common, issuer)])).public_key(key or self.private.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=30))
            .add_extension(x509.BasicConstraints(ca=key is None, path_length=None), critical=True))
        return builder.sign(self.private, hashes.SHA256())

    def of(self, key):
        leaf = self.certificate("Key", self.last, key)
        chain = [leaf] + self.above[::-1]
        return [base64.b64encode(each.public_bytes(serialization.Encoding.DER)).decode() for each in chain]


class Stopwatch:
    """How long each thread of a process has run, in milliseconds."""

    def __init__(self, server):
        self.folder = f"/proc/{server.process.pid}/task"

    def read(self):
        times = {}
        for path in glob.glob(self.folder + "/*/schedstat"):
            try:
                with open(path) as file:
                    times[path] = int(file.read().split()[0]) / 1e6
            except FileNotFoundError:
                pass
        return times

    def longest(self, work):
        before = self.read()
        status = work()
        after = self.read()
        return status, max(after[path] - before.get(path, 0) for path in after)


class Requests:
    def __init__(self, binary):
        self.folder = tempfile.mkdtemp(prefix="sealring-times-")
        self.chain = Chain(self.folder)
        self.server = Server(binary, "--android-roots", self.chain.file)
        self.watch = Stopwatch(self.server)
        self.client, admin = Client(self.server, "127.0.0.20"), Client(self.server, "127.0.0.5")
        self.admin, self.administrator = admin, admin.administrator()
        self.results = []

    def measure(self, title, make, expected, rounds=ROUNDS):
        """`make` prepares one request and returns the function that sends it."""
        longest = 0.0
        for _ in range(rounds):
            status, time = self.watch.longest(make())
            assert status in expected, (title, status)
            longest = max(longest, time)
        self.results.append((longest, title))
        print(f"  {longest:6.1f} ms  {title} ({status})", flush=True)

    def play(self):
        name = self.admin.create(self.administrator, "largest")
        key = Key()
        key.bind(self.client, name)
        self.measure("an attested binding with ten certificates of 8192 bits", self.attested_binding, [401])
        self.measure("a passkey whose attestation has certificates of 64 KiB", self.passkey, [401])
        self.measure("a step of 230 KiB", self.largest_step, [200])
        self.measure("a step with 30,000 empty callbacks", lambda: self.many_callbacks(30_000), [400])
        self.measure("attributes of 32 KiB, 100 of them", lambda: self.attributes(name), [200])
        self.measure("attributes as a list of 10,000 members", lambda: self.members(name), [200])
        self.measure("a QR code of 1,500 bytes", self.drawing, [200])
        for number in range(200):
            self.admin.create(self.administrator, f"heavy{number}")
            assert self.attributes(f"heavy{number}")() == 200
        self.measure("a page of 200 accounts with 32 KiB each", lambda: lambda: self.get("/users?_queryFilter=true"), [200])
        for _ in range(202):
            assert self.sign_in(key, 3900)() == 200
        self.measure("a sign-in whose proof has 6 KiB", lambda: self.sign_in(key, 3900), [200])
        self.measure(
            "a page of 200 entries of evidence, 6 KiB each",
            lambda: lambda: self.get("/audit/evidence?_queryFilter=true&_pageSize=200"), [200])
        for _ in range(99):
            session = Key().bind(self.client, name, journey="BindDevice", proving=key)
        self.measure(
            "a list of 100 devices",
            lambda: lambda: self.get(f"/users/{name}/devices/2fa/binding?_queryFilter=true", session), [200])
        application = Application(self.client, self.administrator)
        self.measure("a transaction with the most that it may show", lambda: self.transaction(application, name), [201])

    def get(self, path, session=None):
        return self.admin.send("GET", ALPHA + path, token=session or self.administrator)[0]

    def attested_binding(self):
        name = self.admin.create(self.administrator, "attested-" + os.urandom(4).hex())
        key = Key()
        step = self.client.start("BindDeviceAttested")
        while "DeviceBindingCallback" not in [each["type"] for each in step.get("callbacks", [])]:
            typed = [name if each["type"] == "NameCallback" else PASSWORD for each in step["callbacks"]
                     if each["type"] in ("NameCallback", "PasswordCallback")]
            status, step, _ = self.client.reply(step, *typed)
            assert status == 200, (status, step)
        asked = outputs(callback(step, "DeviceBindingCallback"))
        key.jwk["x5c"] = self.chain.of(key.private.public_key())
        jws = key.jws(asked["userId"], asked["challenge"], binds=True)
        return lambda: self.client.answer(step, jws=jws, deviceName="Script", deviceId="0f" * 16, clientError="")[0]

    def passkey(self):
        name = self.admin.create(self.administrator, "passkey-" + os.urandom(4).hex())
        step = self.client.start("WebAuthnRegister")
        _, step, _ = self.client.reply(step, name, PASSWORD)
        data = next(outputs(each)["data"] for each in step["callbacks"]
                    if each["type"] == "MetadataCallback" and "challenge" in outputs(each).get("data", {}))
        passkey = Passkey("localhost")
        answer = passkey.register(data["challenge"], f"http://localhost:{self.server.port}")
        client_data, attestation, identifier = answer.split("::")
        raw = bytes(int(number) % 256 for number in attestation.split(","))
        certificates = [base64.b64decode(each) for each in self.chain.of(passkey.private.public_key())]
        items = b"".join(b"\x59" + len(each).to_bytes(2, "big") + each for each in certificates)
        statement = (b"\xa3\x63alg\x26\x63sig\x58\x48" + bytes(72) + b"\x63x5c" + bytes([0x80 + len(certificates)]) + items)
        raw = raw.replace(b"\x63fmt\x64none\x67attStmt\xa0", b"\x63fmt\x66packed\x67attStmt" + statement)
        answer = "::".join([client_data, Passkey.signed_bytes(raw), identifier])
        for each in step["callbacks"]:
            if each["type"] == "HiddenValueCallback":
                each["input"][0]["value"] = answer[:65_536]
        return lambda: self.client.send("POST", f"{ALPHA}/authenticate", step)[0]

    def largest_step(self):
        step = self.client.start("Login")
        for each in step["callbacks"]:
            each["input"][0]["value"] = "x" * 65_000
        step["more"] = [[1] * 50 for _ in range(500)]
        return lambda: self.client.send("POST", f"{ALPHA}/authenticate", step)[0]

    def many_callbacks(self, count):
        step = self.client.start("Login")
        step["callbacks"] = [{}] * count
        return lambda: self.client.send("POST", f"{ALPHA}/authenticate", step)[0]

    def attributes(self, name):
        body = {f"attribute{number}": "x" * 310 for number in range(100)}
        return lambda: self.admin.send("PUT", f"{ALPHA}/users/{name}", body, self.administrator)[0]

    def members(self, name):
        body = {"list": [[] for _ in range(10_000)], **{f"a{number}": {} for number in range(90)}}
        return lambda: self.admin.send("PUT", f"{ALPHA}/users/{name}", body, self.administrator)[0]

    def drawing(self):
        uri = "otpauth://totp/" + "x" * (1500 - 15)

        # A step has few pictures.
        steps = [self.client.start("Login")["authId"] for _ in range(100)]
        return lambda: self.client.send("POST", "/am/XUI/qr", {"authId": steps.pop(), "uri": uri})[0]

    def sign_in(self, key, padding):
        step = self.client.start("SignIn")
        challenge = outputs(callback(step, "DeviceSigningVerifierCallback"))["challenge"]
        jws = key.jws(key.sub, challenge, note="n" * padding)
        return lambda: self.client.answer(step, jws=jws, clientError="")[0]

    def transaction(self, application, name):
        fields = {"amount": "9" * 15, "currency": "EUR", "payee": "ä" * 140, "account": "1" * 64, "text": "ö" * 500}
        body = {"username": name, "fields": fields}
        return lambda: application.client.send(
            "POST", f"{ALPHA}/transactions?_action=create", body, headers=application.basic)[0]


def main():
    requests = Requests(sys.argv[1])
    try:
        requests.play()
    finally:
        requests.server.close()
    longest = max(requests.results)
    print(f"the longest of {len(requests.results)} requests kept a thread for {longest[0]:.1f} ms; the goal is at most {LIMIT:.0f} ms")
    shutil.rmtree(requests.folder)
    shutil.rmtree(requests.server.data)
    sys.exit(longest[0] > LIMIT)


if __name__ == "__main__":
    main()
