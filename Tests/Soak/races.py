"""What many clients want at the same moment, from several servers: one of them may have it, or as many as the rule says."""

import collections
import http.client
import json
import os
import threading
import uuid

from workload import ALPHA, PASSWORD, TROUBLE, Key, Party, callback, filled, outputs


class Crowd:
    """Clients that send the same kind of request at the same moment, each over a connection of its own that is open already."""

    def __init__(self, servers, clients):
        self.servers, self.clients = servers, clients
        self.barrier = threading.Barrier(clients + 1)
        self.requests, self.answers = [], [None] * clients
        self.threads = [threading.Thread(target=self.run, args=(number,), daemon=True) for number in range(clients)]
        for thread in self.threads:
            thread.start()

    def run(self, number):
        server = self.servers[number % len(self.servers)]
        connection = http.client.HTTPConnection(server.host, server.port, timeout=120)
        while True:
            self.barrier.wait()
            if self.requests is None:
                return connection.close()
            path, body, headers = self.requests[number]
            for _ in range(3):
                try:
                    if connection.sock is None:
                        connection.connect()
                    connection.request("POST", path, body, {
                        "Content-Type": "application/json", "Accept-API-Version": "resource=2.1, protocol=1.0", **headers})
                    response = connection.getresponse()
                    response.read()
                    self.answers[number] = response.status
                    break
                except TROUBLE:
                    # Not answered at all: these servers are in good health, so the connection had idled too long.
                    connection.close()
                    self.answers[number] = 0
            self.barrier.wait()

    def send(self, requests):
        """The status codes of the answers."""
        self.requests = requests
        self.barrier.wait()
        self.barrier.wait()
        return list(self.answers)

    def close(self):
        self.requests = None
        self.barrier.wait()
        for thread in self.threads:
            thread.join()


def one_winner(servers, rounds, clients=64, say=print):
    """One challenge, answered by all clients at once with the same proof: the rounds in which not exactly one was signed in."""
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


def causes(event_files, name):
    for path in event_files:
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    if name in line:
                        yield json.loads(line).get("cause") or ""
