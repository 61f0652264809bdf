"""What many clients want at the same moment, from several servers: one of them may have it, or as many as the rule says."""

import collections
import json
import os
import re
import selectors
import socket
import time
import uuid

from workload import ALPHA, PASSWORD, Key, Party, callback, filled, outputs


class Crowd:
    """Clients that send the same kind of request at the same moment, each over a connection of its own that is open already.

    One thread writes to all connections before it reads any answer: the requests are at the servers together within a few milliseconds."""

    def __init__(self, servers, clients):
        self.connections = [Connection(servers[number % len(servers)]) for number in range(clients)]

    def send(self, requests, seconds=120):
        """The status codes of the answers; `requests` are (path, body, headers). 0 for one that is not answered at all."""
        for connection, request in zip(self.connections, requests, strict=True):
            connection.prepare(*request)
        with selectors.DefaultSelector() as selector:
            for connection in self.connections:
                connection.send()
                selector.register(connection.socket, selectors.EVENT_READ, connection)
            end = time.monotonic() + seconds
            while selector.get_map() and time.monotonic() < end:
                for key, _ in selector.select(1):
                    if key.data.read():
                        selector.unregister(key.fileobj)
                        if key.data.status == 0 and key.data.tries < 3:
                            # These servers are in good health, so the connection had idled too long.
                            key.data.connect()
                            key.data.send()
                            selector.register(key.data.socket, selectors.EVENT_READ, key.data)
        return [connection.status for connection in self.connections]

    def close(self):
        for connection in self.connections:
            connection.socket.close()


class Connection:
    """One client's, with HTTP/1.1 as bytes, so that sending costs next to nothing."""

    def __init__(self, server):
        self.server = server
        self.connect()

    def connect(self):
        self.socket = socket.create_connection((self.server.host, self.server.port), timeout=60)

    def prepare(self, path, body, headers):
        fields = {"Host": f"{self.server.host}:{self.server.port}", "Content-Type": "application/json", "Content-Length": len(body),
                  "Accept-API-Version": "resource=2.1, protocol=1.0", **headers}
        head = f"POST {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
        self.request, self.tries = head.encode() + body, 0

    def send(self):
        self.tries, self.status, self.received = self.tries + 1, 0, b""
        try:
            self.socket.sendall(self.request)
        except OSError:
            self.connect()
            self.socket.sendall(self.request)

    def read(self):
        """Whether the answer is complete, or there will be none."""
        try:
            data = self.socket.recv(65536)
        except OSError:
            data = b""
        self.received += data
        head, separator, body = self.received.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        if separator and length and len(body) >= int(length[1]):
            self.status = int(head.split()[1])
            return True
        return not data


def one_winner(servers, rounds, clients=64, say=print):
    """One challenge, answered by all clients at once with the same proof: the rounds in which not exactly one was signed in, and the answers
    by their status. Ctrl-C ends it early."""
    party = Party(servers, 60)
    admin = party.administrator()
    crowd, wrong, codes = Crowd(servers, clients), [], collections.Counter()
    try:
        for number in range(rounds):
            # An account's evidence of a day is limited (docs/limits.md), so each serves for a while.
            if number % 500 == 0:
                name = party.create(admin, f"racer-{uuid.uuid4().hex[:8]}")
                key = Key()
                key.bind(party, name)
            step = party.step("SignIn")
            jws = key.jws(key.sub, outputs(callback(step, "DeviceSigningVerifierCallback"))["challenge"])
            body = filled(step, jws=jws, clientError="")
            answers = crowd.send([(f"{ALPHA}/authenticate", body, {})] * clients)
            codes.update(answers)
            if answers.count(200) != 1:
                wrong.append((number, collections.Counter(answers)))
            if (number + 1) % 500 == 0:
                say(f"  {number + 1} rounds, {len(wrong)} wrong; answers {dict(codes)}")
    except KeyboardInterrupt:
        say("  ended early")
    finally:
        crowd.close()
    return wrong, codes


def guesses(servers, event_files, rounds, clients=64, allowed=5, say=print):
    """One account, guessed at by all clients at once: rounds in which more guesses were judged than the rule allows.

    Answers do not say whether a guess was judged or the account was locked, but the servers' events do."""
    party = Party(servers, 60)
    admin = party.administrator()
    crowd, wrong, most = Crowd(servers, clients), [], 0
    try:
        for number in range(rounds):
            name = party.create(admin, f"target-{uuid.uuid4().hex[:8]}")
            requests = []
            for client in range(clients):
                headers = {"X-OpenAM-Username": name, "X-OpenAM-Password": f"wrong guess {number} {client}"}
                requests.append((f"{ALPHA}/authenticate", b"{}", headers))
            answers = crowd.send(requests)
            judged = sum(1 for cause in causes(event_files, name) if "password is wrong" in cause)
            most = max(most, judged)
            if judged > allowed or 200 in answers:
                wrong.append((number, judged, collections.Counter(answers)))
            if party.password_sign_in(name, PASSWORD) is not None:
                wrong.append((number, "the account was not locked"))
    finally:
        crowd.close()
    return wrong, most


class Answers:
    """Answers that were accepted: proofs, and steps with a password, to be sent once more."""

    def __init__(self, servers):
        self.party, self.bodies = Party(servers, 60), []
        self.name = self.party.create(self.party.administrator(), f"clock-{uuid.uuid4().hex[:8]}")
        self.key = Key()
        self.key.bind(self.party, self.name)

    def give(self):
        step = self.party.step("SignIn")
        jws = self.key.jws(self.key.sub, outputs(callback(step, "DeviceSigningVerifierCallback"))["challenge"])
        typed = self.party.step("Login")
        for each, value in zip(typed["callbacks"], [self.name, PASSWORD]):
            each["input"][0]["value"] = value
        password = json.dumps({"authId": typed["authId"], "callbacks": typed["callbacks"]}).encode()
        for kind, body in (("a proof", filled(step, jws=jws, clientError="")), ("a step with a password", password)):
            assert self.send(body), kind
            self.bodies.append((time.monotonic(), kind, body))

    def send(self, body):
        return self.party.send("POST", f"{ALPHA}/authenticate", body)[0] == 200

    def again(self, age=0):
        """How many of each kind are accepted once more, when they are so many seconds old."""
        accepted = collections.Counter()
        for given, kind, body in self.bodies:
            time.sleep(max(0, given + age - time.monotonic()))
            accepted[kind] += self.send(body)
        return accepted


def replays(world, seconds, count=20, say=print):
    """Whether what was accepted is accepted once more after a server whose clock is ahead by so many seconds has removed what had expired by it.

    Servers clean up once a minute. Several servers: the clock of one is ahead, and answers, given over 75 seconds, are sent to the others
    again when they are a minute old. One server: its clock is set ahead for a minute, and back."""
    several = len(world.servers) > 1
    answers = Answers(world.servers[1:] if several else world.servers)
    if several:
        world.step_clock(seconds, world.servers[0])
    for _ in range(count):
        answers.give()
        time.sleep(75 / count if several else 0)
    if not several:
        world.step_clock(seconds)
        time.sleep(63)
        world.step_clock(0)
    accepted = answers.again(age=65 if several else 0)
    say(f"  a clock {seconds} s ahead, {len(world.servers)} servers: of {count} proofs {accepted['a proof']} were accepted once more, of as many steps "
        f"with a password {accepted['a step with a password']}")
    return +accepted


def causes(event_files, name):
    for path in event_files:
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    if name in line:
                        yield json.loads(line).get("cause") or ""
