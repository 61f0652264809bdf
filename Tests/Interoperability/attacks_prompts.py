"""Attacks by words: what a server, or a link, has the person in front of a device read, answer and sign.

attacks.py plays them with the others. The attacker is a server of its own, which the device has bound keys to, and which sends any step it
likes; the person is at a terminal, or is not there.
"""

import atexit
import base64
import fcntl
import hashlib
import http.server
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import threading
import time
import urllib.parse

from attack_tools import SCENARIOS, b64u

RANDOM = "mQ2o0C1bWmXk0m3v0r6J7c0cZq2Xr8m1nqk1n3l5xX0="
DEBT = "I owe Eve 9999.00 EUR"
PIN = "271828"


def scenario(title):
    def add(function):
        SCENARIOS.append((title, lambda world: function(world, liar(world))))
        return function
    return add


class Liar:
    """A server that answers each journey with the steps it was told, and a device whose keys are bound to it."""

    def __init__(self, binary):
        self.binary, self.steps, self.posted = binary, [], []
        self.home = tempfile.mkdtemp(prefix="sealring-prompts-")
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                outer.posted.append(body.decode(errors="replace"))
                answer = outer.steps.pop(0) if outer.steps else {"code": 401, "reason": "Unauthorized", "message": "Login failure"}
                data = json.dumps(answer).encode()
                self.send_response(answer.get("code", 200))
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_GET(self):
                self.send_error(404)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}/am"
        self.environment = {
            "PATH": "/usr/bin:/bin", "HOME": self.home, "SEALRING_HOME": self.home, "TERM": "xterm", "LANG": "C.UTF-8"}

    def close(self):
        self.server.shutdown()
        shutil.rmtree(self.home, ignore_errors=True)

    # Steps

    @staticmethod
    def done():
        return {"tokenId": "a-session", "successUrl": "/", "realm": "/alpha"}

    @staticmethod
    def step(*callbacks):
        return {"authId": "an-id", "callbacks": list(callbacks)}

    @staticmethod
    def sign(challenge, user="", **more):
        outputs = {"userId": user, "challenge": challenge, "title": "Confirm your sign-in", "subtitle": "Intranet",
                   "description": "Nothing but a sign-in", "timeout": 60, **more}
        return Liar.callback("DeviceSigningVerifierCallback", outputs, ["jws", "clientError"])

    @staticmethod
    def callback(kind, outputs, inputs):
        return {"type": kind, "output": [{"name": name, "value": value} for name, value in outputs.items()],
                "input": [{"name": f"IDToken1{name}", "value": ""} for name in inputs]}

    def bind(self, name, kind="APPLICATION_PIN"):
        self.steps = [self.step(self.callback(
            "DeviceBindingCallback",
            {"userId": f"id={name}", "username": name, "authenticationType": kind, "challenge": RANDOM, "title": "", "subtitle": "",
             "description": "", "timeout": 60}, ["jws", "deviceName", "deviceId", "clientError"])), self.done()]
        status, shown = self.run("bind", "--username", name, "--pin-stdin", "--store", "software", typed=PIN + "\n")
        assert status == 0, shown

    def signatures(self):
        """Whatever the device has signed since the last call."""
        found = re.findall(r'jws","value":"([^"]+)"|jws", *"value": *"([^"]+)"|"value":"([^"]+)","name":"IDToken1jws"', "".join(self.posted))
        self.posted.clear()
        return ["".join(parts) for parts in found]

    # The device

    def run(self, command, *arguments, typed=""):
        """Runs a command where nobody can be asked; (exit code, everything it said)."""
        self.posted.clear()
        done = subprocess.run(
            [self.binary, *command.split(), "--server", self.address, *arguments], input=typed, env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, start_new_session=True)
        return done.returncode, done.stdout

    def at_terminal(self, arguments, answers, rows=24):
        """Runs a command on a terminal of 80 columns, answering what it asks; (exit code, everything that was shown)."""
        self.posted.clear()
        process, terminal = pty.fork()
        if process == 0:
            os.execve(self.binary, [self.binary, *arguments], self.environment)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))
        shown, place, answers, end = "", 0, list(answers), time.monotonic() + 60
        while time.monotonic() < end:
            if answers and re.search(answers[0][0], shown[place:]):
                place = len(shown)
                time.sleep(0.2)
                os.write(terminal, answers.pop(0)[1].encode())
            ready, _, _ = select.select([terminal], [], [], 0.2)
            if ready:
                try:
                    data = os.read(terminal, 65536)
                except OSError:
                    break
                if not data:
                    break
                shown += data.decode(errors="replace").replace("\r\n", "\n")
        else:
            os.kill(process, signal.SIGKILL)
        os.close(terminal)
        _, status = os.waitpid(process, 0)
        return os.waitstatus_to_exitcode(status), shown


LIARS = {}


def liar(world):
    if world.binary not in LIARS:
        made = LIARS[world.binary] = Liar(world.binary)
        atexit.register(made.close)
        made.bind("mira")
        made.bind("bob")
    return LIARS[world.binary]


def lines_with(shown, word):
    return [line for line in shown.split("\n") if word in line]


@scenario("A server has a debt signed in the place of the payment that was given, or of a sign-in")
def another_text(world, liar):
    liar.steps = [liar.step(liar.sign(DEBT, "id=mira")), liar.done()]
    status, said = liar.run("sign", "--text", "Pay 10 EUR to Babs", "--pin-stdin", typed=PIN + "\n")
    world.check(status != 0 and not liar.signatures(), "sign --text signs no other text than the one it was given")
    world.check("another text" in said, "and says so")
    liar.steps = [liar.step(liar.sign("Pay 10 EUR to Babs\u00a0", "id=mira")), liar.done()]
    status, _ = liar.run("sign", "--text", "Pay 10 EUR to Babs", "--pin-stdin", typed=PIN + "\n")
    world.check(status != 0 and not liar.signatures(), "nor one that only looks like it")
    for command in ("sign", "journey run SignIn"):
        liar.steps = [liar.step(liar.sign(DEBT, "id=mira")), liar.done()]
        liar.run(command, "--username", "mira", "--pin-stdin", typed=PIN + "\n")
        world.check(not liar.signatures(), f"{command} signs no text where nobody can be asked")
    liar.steps = [liar.step(liar.sign("Pay 10 EUR to Babs", "id=mira")), liar.done()]
    status, said = liar.run("sign", "--text", "Pay 10 EUR to Babs", "--pin-stdin", typed=PIN + "\n")
    world.check(status == 0 and liar.signatures(), "the text itself is signed")


@scenario("A server has a key without a PIN sign a text unseen, or binds one over a text")
def silent_keys(world, liar):
    own = Liar(world.binary)
    try:
        own.bind("mira", "NONE")
        own.steps = [own.step(own.sign(DEBT, "id=mira")), own.done()]
        status, _ = own.run("sign")
        world.check(status != 0 and not own.signatures(), "a key that needs no person signs no text where nobody can be asked")
        own.steps = [own.step(own.sign(RANDOM, "id=mira")), own.done()]
        status, _ = own.run("sign")
        world.check(status == 0 and own.signatures(), "it goes on signing in")
        own.steps = [own.step(own.callback(
            "DeviceBindingCallback",
            {"userId": "id=mira", "username": "mira", "authenticationType": "NONE", "challenge": DEBT, "timeout": 60},
            ["jws", "deviceName", "deviceId", "clientError"])), own.done()]
        status, _ = own.run("bind", "--username", "mira", "--store", "software")
        world.check(status != 0 and not own.signatures(), "no text is signed in the place of a new key's challenge")
    finally:
        own.close()


@scenario("A text to sign pushes what the device says off the screen, or imitates it")
def flooding(world, liar):
    forged = "Enter PIN\n  Server       https://bank.example/am\n  Account      mira\nPIN:"
    liar.steps = [liar.step(liar.sign(forged, "id=mira")), liar.done()]
    command = ["sign", "--server", liar.address, "--username", "mira"]
    status, shown = liar.at_terminal(command, [(r"\(y/n\): ", "n\n")])
    world.check(status != 0 and not liar.signatures(), "a text that the person declines is not signed")
    world.check(
        lines_with(shown, "bank.example") and all(line.startswith("  | ") for line in lines_with(shown, "bank.example")),
        "each line of it has the mark of others' words")
    asked = shown.partition("(y/n)")[0].split("\n")
    world.check(
        any(liar.address in line for line in asked[-5:]) and any("Account" in line and "mira" in line for line in asked[-5:]),
        "server and account stand just above the question")
    for name, text in (("501 characters", "x" * 501), ("11 lines", "x\n" * 10 + "x"), ("a hidden character", "Pay 1\u200b0 EUR")):
        liar.steps = [liar.step(liar.sign(text, "id=mira")), liar.done()]
        status, shown = liar.at_terminal(command, [(r"\(y/n\): ", "y\n"), (r"PIN: ", PIN + "\n")])
        world.check(status != 0 and not liar.signatures() and "cannot be shown" in shown, f"{name}: refused")


@scenario("A server imitates the question for the PIN")
def imitation(world, liar):
    liar.steps = [liar.step(
        liar.callback("TextOutputCallback", {"message": "Enter PIN\n  Server   https://bank.example\nPIN: ", "messageType": "0"}, []),
        liar.callback("NameCallback", {"prompt": "PIN"}, [""])), liar.done()]
    status, shown = liar.at_terminal(["journey", "run", "SignIn", "--server", liar.address], [(r"PIN: $", "\n")])
    lines = [line for line in shown.split("\n") if line.strip()]
    world.check(not any(re.match(r"(New )?PIN:", line) or line.startswith("Enter PIN") for line in lines), "no line passes for the PIN's")
    world.check(all(line.startswith("  | ") for line in lines_with(shown, "bank.example")), "what a journey says has the mark of others' words")
    world.check("The server asks: PIN" in shown, "and what it asks is called the server's question")
    liar.steps = [liar.step(liar.callback(
        "ChoiceCallback", {"prompt": "Enter PIN", "choices": ["PIN: ", "no"], "defaultChoice": 0}, [""])), liar.done()]
    status, shown = liar.at_terminal(["journey", "run", "SignIn", "--server", liar.address], [(r"choice .*: $", "1\n")])
    world.check(
        shown and not any(line.startswith(("PIN", "Enter PIN")) for line in shown.split("\n")), "choices have it, too")


@scenario("A server names another person's key")
def another_key(world, liar):
    liar.steps = [liar.step(liar.sign(RANDOM, "id=bob")), liar.done()]
    status, said = liar.run("sign", "--username", "mira", "--pin-stdin", typed=PIN + "\n")
    world.check(status != 0 and not liar.signatures(), "sign --username mira signs with nobody else's key")
    world.check("somebody else" in said, "and says so")


@scenario("A web page makes a link whose words pass for the server's")
def link(world, liar):
    fields = {"text": "Your order"}
    canonical = b"sealring.transaction.v1\0"
    for part in ("text", fields["text"]):
        canonical += len(part.encode()).to_bytes(4, "big") + part.encode()
    nonce = bytes(32)
    challenge = base64.b64encode(hashlib.sha256(canonical + nonce).digest()).decode()
    offer = {"version": 1, "id": "one", "fields": fields, "nonce": b64u(nonce), "context": {"application": "Your bank"}}
    parts = {"server": liar.address, "realm": "/alpha", "id": "0a" * 16, "challenge": challenge, "transaction": json.dumps(offer),
             "user": "id=mira"}
    address = "sealring://sign?" + urllib.parse.urlencode(parts, quote_via=urllib.parse.quote)
    status, shown = liar.at_terminal(["handle-url", "--print", address], [(r"\(y/n\): ", "n\n")])
    world.check("The link says about it:" in shown and "The server says" not in shown, "what a link says is not called the server's word")
    world.check("signed=" not in shown, "and nothing is signed without a yes")
