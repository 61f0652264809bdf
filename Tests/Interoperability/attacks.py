#!/usr/bin/python3
"""Plays attacks against a Sealring server that it starts itself, and prints what held.

Usage: attacks.py BINARY [--short]

Each scenario stands for a finding in docs/security-review.md or for something that every server on the internet meets. Attackers come from
loopback addresses of their own, and a well-behaved client signs in all the while. Exit code 1 when something did not hold.
"""

import argparse
import http.client
import json
import os
import resource
import shutil
import socket
import sys
import time

from attack_tools import (
    ALPHA, PASSWORD, ROOT, SCENARIOS, TOKEN, Application, Client, Key, Passkey, PushDevice, Server, WellBehaved, at_once, b64u,
    callback, outputs, scenario)

# noqa: F401, each adds its scenarios.
import attacks_accounts
import attacks_device
import attacks_doors
import attacks_ids
import attacks_ledger
import attacks_passwords
import attacks_prompts
import attacks_queues


class World:
    """The server, its administrator, and people to attack."""

    def __init__(self, binary, short):
        self.binary, self.short = binary, short
        self.server = Server(binary)
        self.attacker = Client(self.server, "127.0.0.66")
        self.owner = Client(self.server, "127.0.0.10")
        self.admin = Client(self.server, "127.0.0.5")
        self.administrator = self.admin.administrator()
        assert self.administrator, self.server.log_text()
        self.results, self.serial = [], 0

    def account(self):
        self.serial += 1
        return self.admin.create(self.administrator, f"user{self.serial}")

    def check(self, held, text):
        self.results.append((bool(held), text))
        print(("  held  " if held else "  BROKE ") + text, flush=True)


# Proofs


@scenario("An application replays a payer's approval as a sign-in")
def replayed_approval(world):
    name, key = world.account(), Key()
    key.bind(world.owner, name)
    application = Application(world.attacker, world.administrator)
    number = application.create(name, text="Hello")
    step = Application.offer(world.owner, number)
    challenge = outputs(callback(step, "DeviceSigningVerifierCallback"))["challenge"]
    status, answer, _ = world.owner.answer(step, jws=key.jws(key.sub, challenge, txn=number), clientError="")
    world.check(status == 200 and "tokenId" not in answer, "an approval makes no session")
    approved = application.read(number)
    world.check(approved["state"] == "approved", "the approval counts")
    step = world.attacker.start("SignTransaction")
    status, step, _ = world.attacker.reply(step, challenge)
    tokens = []
    if status == 200 and any(c["type"] == "DeviceSigningVerifierCallback" for c in step.get("callbacks", [])):
        status, answer, _ = world.attacker.answer(step, jws=approved["jwt"], clientError="")
        tokens.append((answer or {}).get("tokenId"))
        world.check(status != 200, "the approval is not accepted again as a signed text")
    else:
        world.check(True, "a text in the form of a challenge is refused before it is signed")
    world.check(not any(tokens), "no session comes of it")


@scenario("A look-alike has a device sign in, and holds an approval of 9,999 EUR")
def lookalike(world):
    name, key = world.account(), Key()
    key.bind(world.owner, name)
    application = Application(world.admin, world.administrator)
    number = application.create(name, amount="9999.00", currency="EUR", payee="Mallory")
    step = Application.offer(world.attacker, number)
    challenge = outputs(callback(step, "DeviceSigningVerifierCallback"))["challenge"]
    # What a device gives to any server that asks it to sign in: no `txn`, because it has shown no transaction.
    status, answer, _ = world.attacker.answer(step, jws=key.jws(key.sub, challenge), clientError="")
    world.check(status == 401, "a sign-in's proof is not an approval")
    world.check(application.read(number)["state"] != "approved", "the payment is not approved")
    step = world.attacker.start("SignIn")
    challenge = outputs(callback(step, "DeviceSigningVerifierCallback"))["challenge"]
    status, _, _ = world.attacker.answer(step, jws=key.jws(key.sub, challenge, txn=number), clientError="")
    world.check(status == 401, "a proof for a transaction signs nobody in")


@scenario("One answer is sent fifty times at once")
def fifty_at_once(world):
    name, key = world.account(), Key()
    key.bind(world.owner, name)
    step = world.attacker.start("SignIn")
    challenge = outputs(callback(step, "DeviceSigningVerifierCallback"))["challenge"]
    jws = key.jws(key.sub, challenge)
    answers = at_once([lambda: world.attacker.answer(json.loads(json.dumps(step)), jws=jws, clientError="")[0]] * 50)
    world.check(answers.count(200) == 1, f"one of fifty equal answers counts ({answers.count(200)} did)")


# Accounts


@scenario("A body sent late brings a deactivated account back")
def late_body(world):
    name = world.account()
    token = world.owner.password_sign_in(name, PASSWORD)
    body = b'{"mail":[]}'
    with world.attacker.raw() as connection:
        connection.sendall((
            f"PUT {ALPHA}/users/{name} HTTP/1.1\r\nHost: localhost\r\n{TOKEN}: {token}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode() + body[:1])
        status, _, _ = world.admin.send(
            "PUT", f"{ALPHA}/users/{name}", {"inetUserStatus": "Inactive", "userpassword": "an altogether new one"},
            world.administrator)
        world.check(status == 200, "the administrator deactivates the account")
        connection.sendall(body[1:])
        answer = connection.recv(4096).split(b"\r\n")[0]
    world.check(b" 200 " not in answer + b" ", f"the late body is refused ({answer.decode()})")
    record = world.admin.send("GET", f"{ALPHA}/users/{name}", token=world.administrator)[1]
    world.check(record["inetUserStatus"] == "Inactive", "the account stays inactive")
    world.check(world.attacker.password_sign_in(name, PASSWORD) is None, "the old password stays dead")
    status, answer, _ = world.attacker.send("POST", f"{ALPHA}/sessions?_action=validate", {}, token)
    world.check(status != 200 or not answer.get("valid"), "the session has ended")


@scenario("A stolen session outlives a password reset")
def reset_ends_sessions(world):
    name = world.account()
    stolen = world.owner.password_sign_in(name, PASSWORD)
    world.admin.send("PUT", f"{ALPHA}/users/{name}", {"userpassword": "an altogether new one"}, world.administrator)
    status, _, _ = world.attacker.send("GET", f"{ALPHA}/users/{name}", token=stolen)
    world.check(status == 401, "the session ends with the password that made it")


@scenario("A hundred guesses at a password at once")
def guesses_at_once(world):
    accepted, rounds, guesses = 0, 5, 40 if world.short else 100
    for _ in range(rounds):
        name = world.account()
        stolen = world.owner.password_sign_in(name, PASSWORD)

        def guess(password):
            return world.attacker.send(
                "PUT", f"{ALPHA}/users/{name}", {"userpassword": "taken over by me", "currentpassword": password}, stolen)[0]

        works = [lambda n=n: guess(f"wrong guess {n}") for n in range(guesses)]
        # In the middle: by chance it is among the first five of a hundred in one round of twenty.
        works.insert(guesses // 2, lambda: guess(PASSWORD))
        accepted += 200 in at_once(works)
    world.check(accepted <= 2, f"guesses do not outrun the count (the right one among {guesses} passed in {accepted} of {rounds} rounds)")


@scenario("Somebody who knows a name keeps its owner out")
def locked_out_owner(world):
    name, key = world.account(), Key()
    key.bind(world.owner, name)
    known = world.owner.send(
        "POST", f"{ALPHA}/authenticate", {}, headers={"X-OpenAM-Username": name, "X-OpenAM-Password": PASSWORD})
    cookies = "; ".join(v.split(";")[0] for v in known[2].get_all("Set-Cookie") or [] if not v.startswith(TOKEN))
    for guess in range(12):
        world.attacker.password_sign_in(name, f"wrong guess {guess}")
    world.check(world.attacker.password_sign_in(name, PASSWORD) is None, "guesses lock the password for strangers")
    world.check(key.sign_in(world.owner), "the owner's bound key still signs in")
    world.check(cookies and world.owner.password_sign_in(name, PASSWORD, Cookie=cookies),
                "the owner's browser, which has signed in before, still signs in by password")


@scenario("A user rewrites the state of the password")
def password_state(world):
    name = world.account()
    world.admin.send("PUT", f"{ALPHA}/users/{name}", {"pwdReset": "true"}, world.administrator)
    token = world.owner.password_sign_in(name, PASSWORD) or ""
    world.owner.send("PUT", f"{ALPHA}/users/{name}", {"mail": ["x@example.com"], "pwdReset": "false"}, token)
    record = world.admin.send("GET", f"{ALPHA}/users/{name}", token=world.administrator)[1]
    world.check(str(record.get("pwdReset")).strip("[]'").lower() == "true", "a forced change of password stays forced")


@scenario("Members by the hundred thousand")
def many_members(world):
    name = world.account()
    token = world.owner.password_sign_in(name, PASSWORD)
    megabyte = ("{" + ",".join(f'"{n:06x}":0' for n in range(95_000)) + "}").encode()
    small = ("{" + ",".join(f'"{n:04x}":0' for n in range(7_000)) + "}").encode()
    begin = time.monotonic()
    statuses = at_once([lambda: world.attacker.send("PUT", f"{ALPHA}/users/{name}", megabyte, token)[0]] * 4)
    world.check(all(s in (400, 413) or isinstance(s, OSError) for s in statuses), f"1 MiB of members is refused ({statuses})")
    statuses = at_once([lambda: world.attacker.send("PUT", f"{ALPHA}/users/{name}", small, token)[0]] * 4)
    world.check(all(s == 400 for s in statuses), f"7,000 attributes are refused ({statuses})")
    statuses = at_once([lambda: world.attacker.send("POST", f"{ALPHA}/authenticate", small)[0]] * 4)
    world.check(all(s in (200, 400) for s in statuses), f"7,000 members of a start are read in linear time ({statuses})")
    world.check(time.monotonic() - begin < 60, "none of it takes minutes")


# Browsers


@scenario("A form on a sibling host resets the owner's devices")
def sibling_form(world):
    name = world.account()
    PushDevice(world.owner, name)
    token = world.owner.password_sign_in(name, PASSWORD)
    form = {TOKEN: None, "Cookie": f"{TOKEN}={token}", "Origin": "https://blog.example.com", "Accept-API-Version": None,
            "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-site"}
    held = []
    for path in (f"users/{name}/devices/2fa/push?_action=reset", f"users/{name}/devices/2fa/oath?_action=reset",
                 "sessions?_action=logout"):
        for body, content in ((b"", form["Content-Type"]), (b"", None), (b"", "text/plain"), (b"a=b", form["Content-Type"])):
            status, _, _ = world.attacker.send("POST", f"{ALPHA}/{path}", body, headers={**form, "Content-Type": content})
            held.append(status in (400, 403, 415))
    world.check(all(held), f"{len(held)} forms are refused")
    status, devices, _ = world.owner.send("GET", f"{ALPHA}/users/{name}/devices/2fa/push?_queryFilter=true", token=token)
    world.check(status == 200 and len(devices["result"]) == 1, "device and session are still there")


@scenario("A page on another origin relays a passkey's answer")
def relayed_passkey(world):
    server = Server(world.binary, "--public-url", "https://id.example.com/am", "--factor-changes", "any")
    try:
        admin, attacker = Client(server), Client(server, "127.0.0.66")
        administrator = admin.administrator()
        name, passkey = admin.create(administrator, "ada"), Passkey("id.example.com")
        step = admin.start("WebAuthnRegister")
        status, step, _ = admin.reply(step, name, PASSWORD)
        challenge = json.loads(json.dumps(outputs(callback(step, "MetadataCallback"))["data"]))["challenge"]
        status, step, _ = answer_hidden(admin, step, passkey.register(challenge, "https://id.example.com"))
        world.check(status == 200, "the passkey is registered from the server's own page")
        for origin in ("https://x.id.example.com", "https://id.example.com:8443", "http://id.example.com"):
            step = attacker.start("Usernameless", headers={"Origin": "https://id.example.com"})
            challenge = outputs(callback(step, "MetadataCallback"))["data"]["challenge"]
            handle = b64u(name.encode())
            status, answer, _ = answer_hidden(attacker, step, passkey.assertion(challenge, origin, handle), Origin=origin)
            world.check(status == 401, f"an answer from {origin} is refused, whatever Origin the request names")
    finally:
        server.close()
        shutil.rmtree(server.data)


def answer_hidden(client, step, outcome, **headers):
    for entry in step["callbacks"]:
        if entry["type"] == "HiddenValueCallback":
            entry["input"][0]["value"] = outcome
            break
    return client.send(
        "POST", f"{ALPHA}/authenticate", {"authId": step["authId"], "callbacks": step["callbacks"]}, headers=headers)


# Push


@scenario("One address floods the push endpoint")
def push_flood(world):
    name = world.account()
    device = PushDevice(world.attacker, name)
    statuses = [world.attacker.send("POST", f"{ALPHA}/push/sns/message?_action=authenticate", {})[0]
                for _ in range(150 if world.short else 1000)]
    world.check(429 in statuses, "requests without a proof are refused after a while")
    polls = [device.poll()[0] for _ in range(10)]
    world.check(polls == [200] * 10, f"a device at the same address is heard all the same ({polls})")


# Bytes


@scenario("Bodies that are too long, too deep or not what they say")
def hostile_bodies(world):
    # From an address that has not used up its pushes without proof.
    fresh = Client(world.server, "127.0.0.67")
    for path in (f"{ALPHA}/authenticate", f"{ALPHA}/sessions?_action=validate", f"{ALPHA}/push/sns/message?_action=register"):
        deep = b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}"
        world.check(fresh.send("POST", path, deep)[0] == 400, f"5,000 levels of JSON are refused at {path.rsplit('/', 1)[1]}")
    try:
        status = world.attacker.send("POST", f"{ALPHA}/authenticate", b" " * (1 << 20))[0]
    except OSError:
        status = "closed"
    world.check(status in (413, "closed"), f"a body of 1 MiB is refused ({status})")
    with world.attacker.raw() as connection:
        connection.sendall(b"POST " + ALPHA.encode() + b"/authenticate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                           b"Content-Length: 9223372036854775807\r\n\r\n{")
        first = connection.recv(200).split(b"\r\n")[0]
    world.check(b"413" in first or first == b"", f"a length of 8 EiB is refused before a byte is read ({first.decode()})")


@scenario("Header bombs")
def header_bombs(world):
    for title, bomb in (
        ("20,000 header fields", b"".join(b"X-%d: a\r\n" % n for n in range(20_000))),
        ("a header field of 1 MiB", b"X: " + b"a" * (1 << 20) + b"\r\n"),
        ("a cookie of 300 KiB", b"Cookie: " + b"a=b; " * 60_000 + b"\r\n"),
    ):
        answer = b""
        with world.attacker.raw(10) as connection:
            try:
                connection.sendall(b"GET /health HTTP/1.1\r\nHost: a\r\n" + bomb + b"\r\n")
                answer = connection.recv(200).split(b"\r\n")[0]
            except OSError:
                pass
        world.check(answer == b"" or b" 4" in answer, f"{title}: {answer.decode() or 'closed'}")
    with world.attacker.raw(10) as connection:
        try:
            connection.sendall(b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n")
            answer = connection.recv(200).split(b"\r\n")[0]
        except OSError:
            answer = b""
    world.check(answer == b"" or b" 4" in answer, f"a target of 200 kB: {answer.decode() or 'closed'}")


@scenario("Forged forwarding headers")
def forged_forwarding(world):
    status, _, fields = world.attacker.send(
        "POST", f"{ALPHA}/authenticate", {},
        headers={"X-OpenAM-Username": "nobody-here", "X-OpenAM-Password": "x", "X-Forwarded-For": "203.0.113.7",
                 "Forwarded": "for=203.0.113.7;proto=https", "X-Forwarded-Proto": "https"})
    events = [e for e in world.server.events() if e.get("account") == "nobody-here"]
    world.check(events and all(e["address"] == "127.0.0.66" for e in events), "the address is the connection's, not the header's")
    world.check("Strict-Transport-Security" not in fields, "nor is https believed")


@scenario("Line breaks in what the log says")
def log_forging(world):
    forged = "x\n2026-12-01T00:00:00Z notice sealring: FORGED by the attacker\x1b[2J"
    step = world.attacker.start("Login")
    world.attacker.reply(step, forged, "x")
    # In a page's own address, for any account with a passkey.
    server_log = world.server.log_text()
    world.check(not any(line.startswith("2026-12-01T00:00:00Z") for line in server_log.splitlines()), "no line of the log is forged")
    world.check("\x1b" not in server_log, "no escape sequence reaches the log")
    text = open(os.path.join(world.server.data, "server", "events.jsonl"), encoding="utf-8").read()
    world.check(all(json.loads(line)["version"] == 1 for line in text.splitlines()), "every line of the events is one event")


# Time and connections


class Slow:
    """Connections that send a byte now and then, from the beginning to the end."""

    def __init__(self, world):
        self.world, self.count = world, 20 if world.short else 200
        head = f"POST {ALPHA}/authenticate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{"
        self.heads = [self.open(b"POST /am/json/authenticate HTTP/1.1\r\nHost: a\r\nX: ") for _ in range(self.count)]
        self.bodies = [self.open(head.encode()) for _ in range(self.count)]

    def open(self, data):
        connection = Client(self.world.server, "127.0.0.77").raw()
        connection.sendall(data)
        return connection

    @staticmethod
    def feed(connections):
        """A byte for each; those that are still open."""
        live = []
        for connection in connections:
            try:
                connection.send(b" ")
                connection.setblocking(False)
                try:
                    if connection.recv(1000) == b"":
                        connection.close()
                        continue
                except BlockingIOError:
                    pass
                live.append(connection)
            except OSError:
                connection.close()
        return live

    def finish(self):
        # The server's own limits are 20 and 30 seconds. How late a busy machine notices is not judged, but that it does.
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and (self.heads or self.bodies):
            self.heads, self.bodies = self.feed(self.heads), self.feed(self.bodies)
            time.sleep(1)
        for connection in self.heads + self.bodies:
            connection.close()
        self.world.check(not self.heads, f"{self.count} heads that come a byte a second are cut off ({len(self.heads)} left)")
        self.world.check(not self.bodies, f"{self.count} bodies that come a byte a second are cut off ({len(self.bodies)} left)")


class Idle:
    """Connections that say nothing."""

    def __init__(self, world):
        self.world, self.wanted = world, 500 if world.short else 5000
        self.connections = []
        for number in range(self.wanted):
            try:
                self.connections.append(Client(world.server, f"127.0.0.{80 + number % 10}").raw(20))
            except OSError:
                break

    def finish(self):
        held = len(self.connections)
        self.world.check(
            Client(self.world.server, "127.0.0.11").send("GET", "/health")[0] == 200,
            f"{held} of {self.wanted} idle connections do not keep others out")
        for connection in self.connections:
            connection.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--short", action="store_true", help="fewer and quicker; sign-ins are not timed")
    parser.add_argument("--only", help="scenarios whose title contains this")
    options = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 16384) if hard > 0 else 16384, hard))

    world = World(options.binary, options.short)
    try:
        key = Key()
        key.bind(world.owner, world.account())
        before = world.server.resident_mib()
        good = WellBehaved(Client(world.server, "127.0.0.10"), key)
        good.start()
        print("Slow and idle connections from here to the end", flush=True)
        idle, slow = Idle(world), Slow(world)
        for title, play in SCENARIOS:
            if options.only and options.only.lower() not in title.lower():
                continue
            print(title, flush=True)
            try:
                play(world)
            except (AssertionError, KeyError, StopIteration, TypeError, http.client.HTTPException, OSError) as error:
                world.check(False, f"the scenario could not be played: {type(error).__name__}: {error}")
        print("Slow and idle connections", flush=True)
        slow.finish()
        idle.finish()
        figures = good.finish()
        print("The well-behaved client", flush=True)
        world.check(figures["failures"] == 0 and figures["sign-ins"] > 10,
                    f"{figures['sign-ins']} sign-ins by bound key, {figures['failures']} failed")
        timed = f"p50 {figures['p50'] * 1000:.0f} ms, p99 {figures['p99'] * 1000:.0f} ms"
        if options.short:
            print(f"        {timed} (not judged in the short form)")
        else:
            world.check(figures["p99"] < 0.25, f"{timed}; the goal is a p99 below 250 ms")
        print(f"        memory {before:.0f} MiB before, {world.server.resident_mib():.0f} MiB after")
        world.check("fatal" not in world.server.log_text().lower() and world.server.process.poll() is None, "the server is up")
    finally:
        world.server.close()
    broken = [text for held, text in world.results if not held]
    print(f"{len(world.results) - len(broken)} held, {len(broken)} broke")
    if broken:
        print("The server's log: " + world.server.log_path)
        sys.exit(1)
    shutil.rmtree(world.server.data)


if __name__ == "__main__":
    main()
