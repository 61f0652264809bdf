"""People with devices, who bind, sign in, sign, approve, revoke and sign off for as long as they are let, and write down what came of it.

They speak HTTP and know nothing of Sealring's code (Tests/Interoperability/attack_tools.py). Each request goes to a server chosen at random.
"""

import base64
import concurrent.futures
import contextlib
import hashlib
import hmac
import http.client
import json
import random
import sys
import threading
import time
import uuid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Interoperability"))
from attack_tools import ALPHA, PASSWORD, Application, Client, Key, PushDevice, callback, from_b64, outputs  # noqa: E402

TROUBLE = (OSError, http.client.HTTPException)


class Unavailable(Exception):
    """Nothing was asked for yet, and the servers do not go on."""


class Refused(Exception):
    pass


class Party(Client):
    """Speaks to any of the endpoints, each request with a connection of its own."""

    def __init__(self, endpoints, timeout=20):
        super().__init__(None)
        self.endpoints, self.timeout = endpoints, timeout

    def connect(self, timeout=None):
        endpoint = random.choice(self.endpoints)
        return http.client.HTTPConnection(endpoint.host, endpoint.port, timeout=timeout or self.timeout)

    def prepared(self, *arguments, **options):
        """A request that asks for nothing that counts: its answer, or Unavailable."""
        try:
            status, answer, _ = self.send(*arguments, **options)
        except TROUBLE as error:
            raise Unavailable(str(error)) from error
        if status != 200:
            raise Unavailable(f"{status} {answer}")
        return answer

    def step(self, journey):
        return self.prepared("POST", f"{ALPHA}/authenticate?authIndexType=service&authIndexValue={journey}", {})


def digest(token):
    return hashlib.sha256(token.encode()).hexdigest()[:32]


def filled(step, **values):
    """The answer to a step, as bytes that can be sent again."""
    for entry in (entry for each in step["callbacks"] for entry in each.get("input", [])):
        name = entry["name"].removeprefix("IDToken").lstrip("0123456789")
        if name in values:
            entry["value"] = values[name]
    return json.dumps({"authId": step["authId"], "callbacks": step["callbacks"]}).encode()


class Recorder:
    """Sends what counts, between two lines of the journal."""

    def __init__(self, party, journal):
        self.party, self.journal = party, journal

    def act(self, kind, method, path, body=None, session=None, headers=None, expects=200, result=None, **facts):
        """The answer when it was acknowledged; else None, and Refused when the server said no."""
        number = self.journal.invoke(kind, **facts)
        try:
            status, answer, _ = self.party.send(method, path, body, session, headers)
        except ConnectionRefusedError:
            # It was not sent.
            self.journal.end(number, "fail", status=0)
            time.sleep(0.05)
            return None
        except TROUBLE as error:
            self.journal.end(number, "unknown", error=type(error).__name__)
            return None
        if status == expects and answer is not None and "callbacks" not in answer:
            self.journal.end(number, "ok", **(result(answer) if result else {}))
            return answer
        if status == expects:
            # Another step instead of the end: nobody acknowledged anything.
            self.journal.end(number, "unknown", error="another step")
            return None
        # A server error says nothing about what was done before it.
        self.journal.end(number, "unknown" if status >= 500 or status == 408 else "fail", status=status)
        if status < 500:
            raise Refused(f"{kind}: {status} {str(answer)[:200]}")
        return None

    def answer(self, kind, body, **facts):
        """The last step of a journey that signs in."""
        return self.act(
            kind, "POST", f"{ALPHA}/authenticate", body, result=lambda answer: {"token": answer.get("tokenId")}, **facts)


class Person(threading.Thread):
    """Acts at random, with an account, up to four devices, and a push device; takes a new account from time to time."""

    ACTS_PER_ACCOUNT = 120

    def __init__(self, workload, name, has_push=False):
        super().__init__(daemon=True, name=name)
        self.workload, self.has_push, self.generation = workload, has_push, 0
        self.party = Party(workload.endpoints, workload.timeout)
        self.recorder = Recorder(self.party, workload.journal)
        self.random = random.Random(f"{workload.seed} {name}")
        self.reset()

    def reset(self):
        self.user, self.keys, self.tokens, self.proofs, self.push, self.left = None, [], [], [], None, 0

    def run(self):
        while not self.workload.ending.is_set():
            try:
                if self.left <= 0:
                    self.open_account()
                if not self.user:
                    continue
                self.left -= 1
                self.random.choices(
                    [self.bind, self.sign, self.login, self.logout, self.revoke, self.pay, self.approve_push, self.replay],
                    [3, 8, 3, 2, 1, 4, 2 if self.push else 0, 1])[0]()
            except (Unavailable, AssertionError, KeyError, TypeError, StopIteration, *TROUBLE) as error:
                self.workload.note(error)
                self.workload.ending.wait(0.1)
            except Refused as error:
                self.workload.refused(str(error))

    def open_account(self):
        self.reset()
        self.generation += 1
        name = f"{self.name}-{self.generation}"
        try:
            made = self.recorder.act(
                "create", "POST", f"{ALPHA}/users?_action=create", {"username": name, "userpassword": PASSWORD},
                self.workload.administrator, expects=201, user=name)
        except Refused:
            # By a clock that was stepped the administrator's session has ended.
            self.workload.administrator = self.party.administrator() or self.workload.administrator
            raise
        if made is None:
            return
        self.user, self.left = name, self.ACTS_PER_ACCOUNT
        if self.has_push:
            self.push = PushDevice(self.party, name)

    # What a person does

    def bind(self):
        if len(self.keys) >= 4:
            return self.sign()
        key = Key()
        # A journey of a team's own, in which the password alone adds a further device.
        step = self.party.step("OwnBinding")
        for _ in range(4):
            if "DeviceBindingCallback" in [each["type"] for each in step["callbacks"]]:
                break
            values = [self.user if each["type"] == "NameCallback" else PASSWORD for each in step["callbacks"]]
            for each, value in zip(step["callbacks"], values):
                each["input"][0]["value"] = value
            step = self.party.prepared("POST", f"{ALPHA}/authenticate", {"authId": step["authId"], "callbacks": step["callbacks"]})
        asked = outputs(callback(step, "DeviceBindingCallback"))
        key.sub = asked["userId"]
        jws = key.jws(key.sub, asked["challenge"], binds=True)
        body = filled(step, jws=jws, deviceName="Soak", deviceId="0f" * 16, clientError="")
        answer = self.recorder.answer("bind", body, user=self.user, kid=key.kid, proof=digest(jws))
        if answer is not None:
            self.keys.append(key)
            self.keep(answer, body, jws)

    def keep(self, answer, body, jws=None):
        if answer.get("tokenId"):
            self.tokens.append(answer["tokenId"])
        if jws:
            self.proofs.append((digest(jws), body))

    def sign(self):
        if not self.keys:
            return self.bind()
        self.sign_with(self.random.choice(self.keys))

    def sign_with(self, key):
        step = self.party.step("SignIn")
        jws = key.jws(key.sub, outputs(callback(step, "DeviceSigningVerifierCallback"))["challenge"])
        self.prove("sign", filled(step, jws=jws, clientError=""), jws, user=self.user, kid=key.kid)

    def prove(self, kind, body, jws, **facts):
        """Sends a proof; when no answer came, the very same again, as an app does, which must not count twice."""
        proof = digest(jws)
        answer = self.recorder.answer(kind, body, proof=proof, **facts)
        if answer is None and self.random.random() < 0.5:
            answer = self.recorder.answer(kind, body, proof=proof, **facts)
        if answer is not None:
            self.keep(answer, body, jws)

    def login(self):
        answer = self.recorder.act(
            "login", "POST", f"{ALPHA}/authenticate", {}, user=self.user,
            headers={"X-OpenAM-Username": self.user, "X-OpenAM-Password": PASSWORD},
            result=lambda answer: {"token": answer.get("tokenId")})
        if answer:
            self.keep(answer, None)

    def logout(self):
        if self.tokens:
            token = self.tokens.pop(self.random.randrange(len(self.tokens)))
            self.recorder.act("logout", "POST", f"{ALPHA}/sessions?_action=logout", {}, token, token=token)

    def revoke(self):
        if len(self.keys) > 1:
            key = self.keys.pop(0)
            self.recorder.act(
                "revoke", "DELETE", f"{ALPHA}/users/{self.user}/devices/2fa/binding/{key.kid}", None, self.workload.administrator,
                kid=key.kid)
            if self.random.random() < 0.5:
                # It must not be good for anything any more.
                with contextlib.suppress(Refused):
                    self.sign_with(key)

    def pay(self):
        if not self.keys:
            return self.bind()
        application, amount = self.workload.application, f"{self.random.randrange(1, 9999)}.00"
        made = self.recorder.act(
            "order", "POST", f"{ALPHA}/transactions?_action=create",
            {"username": self.user, "expiresIn": 3600, "fields": {"amount": amount, "currency": "EUR", "payee": "Soak"}},
            headers=application.basic, expects=201, result=lambda answer: {"number": answer["_id"]})
        if made is None:
            return
        number, key = made["_id"], self.random.choice(self.keys)
        step = self.party.prepared("POST", f"{ALPHA}/authenticate?authIndexType=transaction&authIndexValue={number}", {})
        jws = key.jws(key.sub, outputs(callback(step, "DeviceSigningVerifierCallback"))["challenge"], txn=number)
        self.prove("approve", filled(step, jws=jws, clientError=""), jws, user=self.user, number=number, kid=key.kid)

    def approve_push(self):
        step = self.party.step("PushSignIn")
        for each, value in zip(step["callbacks"], [self.user, PASSWORD]):
            each["input"][0]["value"] = value
        step = self.party.prepared("POST", f"{ALPHA}/authenticate", {"authId": step["authId"], "callbacks": step["callbacks"]})
        status, answer = self.push.poll()
        if status != 200:
            raise Unavailable(f"poll {status}")
        for message in answer["messages"]:
            claims = json.loads(from_b64(message["message"].split(".")[1]))
            response = base64.b64encode(hmac.new(self.push.secret, from_b64(claims["c"]), hashlib.sha256).digest()).decode()
            denies = self.random.random() < 0.2
            decision = "denied" if denies else "approved"
            body = {"messageId": message["messageId"], "jwt": self.push.jwt({"response": response, **({"deny": True} if denies else {})})}
            self.recorder.act(
                "decide", "POST", f"{self.push.path}?_action=authenticate", body, message=message["messageId"], decision=decision)
        if len(answer["messages"]) == 1 and not denies:
            self.complete(step, answer["messages"][0]["messageId"])

    def complete(self, step, message):
        for _ in range(5):
            waiting = [each for each in step["callbacks"] if each["type"] == "PollingWaitCallback"]
            if not waiting:
                return
            self.workload.ending.wait(int(outputs(waiting[0])["waitTime"]) / 1000)
            number = self.workload.journal.invoke("complete", user=self.user, message=message)
            try:
                status, answer, _ = self.party.send("POST", f"{ALPHA}/authenticate", {"authId": step["authId"], "callbacks": step["callbacks"]})
            except TROUBLE as error:
                self.workload.journal.end(number, "unknown", error=type(error).__name__)
                return
            if status == 200 and "tokenId" in answer:
                self.workload.journal.end(number, "ok", token=answer["tokenId"])
                self.tokens.append(answer["tokenId"])
                return
            self.workload.journal.end(number, "fail" if status < 500 else "unknown", status=status)
            if status != 200:
                return
            step = answer

    def replay(self):
        """What was accepted lately or long ago, once more, to whatever server comes."""
        if self.proofs:
            proof, body = self.random.choice(self.random.choice([self.proofs, self.proofs[-4:]]))
            with contextlib.suppress(Refused):
                self.recorder.answer("replay", body, proof=proof)


class Workload:
    """`endpoints` have `host` and `port`; the list may change while the workload runs."""

    def __init__(self, endpoints, journal, people=6, seed=None, timeout=20):
        self.endpoints, self.journal, self.timeout = endpoints, journal, timeout
        self.seed = seed if seed is not None else random.randrange(2**32)
        self.ending, self.lock, self.troubles, self.refusals = threading.Event(), threading.Lock(), {}, {}
        owner = Party(endpoints, 60)
        self.administrator = owner.administrator()
        if not self.administrator:
            raise SystemExit("the administrator could not sign in")
        self.application = Application(owner, self.administrator)
        self.owner = owner
        self.people = [Person(self, f"person{number}", has_push=number % 2 == 0) for number in range(people)]

    def note(self, error):
        with self.lock:
            text = type(error).__name__ + " " + str(error)[:120]
            self.troubles[text] = self.troubles.get(text, 0) + 1

    def refused(self, text):
        with self.lock:
            self.refusals[text] = self.refusals.get(text, 0) + 1

    def start(self):
        for person in self.people:
            person.start()
        return self

    def finish(self):
        self.ending.set()
        for person in self.people:
            person.join(120)
            assert not person.is_alive(), "a person does not come to an end"


class Prober:
    """Signs in with a key of its own, to say when a server serves again. What it does is in the journal like all else."""

    def __init__(self, workload):
        self.journal = workload.journal
        person = Person(workload, f"prober{uuid.uuid4().hex[:8]}")
        person.open_account()
        while not person.keys:
            person.bind()
        self.user, self.key = person.user, person.keys[0]

    def serves(self, endpoint, timeout=5):
        party = Party([endpoint], timeout)
        try:
            step = party.step("SignIn")
            jws = self.key.jws(self.key.sub, outputs(callback(step, "DeviceSigningVerifierCallback"))["challenge"])
            body = filled(step, jws=jws, clientError="")
            recorder = Recorder(party, self.journal)
            return recorder.answer("sign", body, user=self.user, kid=self.key.kid, proof=digest(jws)) is not None
        except (Unavailable, Refused, KeyError, StopIteration):
            return False

    def until_served(self, endpoints, seconds=900):
        """The moment at which each of them has signed somebody in."""
        end = time.monotonic() + seconds
        for endpoint in endpoints:
            while not self.serves(endpoint):
                if time.monotonic() > end:
                    raise SystemExit(f"{endpoint.host}:{endpoint.port} does not serve again within {seconds} seconds")
                time.sleep(0.02)
        return time.monotonic()


def read_state(workload, acts):
    """What the servers say now, in the checker's form, by the administrator's requests."""
    party = Party(workload.endpoints, 60)
    admin = workload.administrator
    if party.send("POST", f"{ALPHA}/sessions?_action=validate", {}, admin)[1].get("valid") is not True:
        admin = party.administrator()
    of = lambda kind: [act for act in acts if act.kind == kind]  # noqa: E731
    users = sorted({act["user"] for act in of("create")})
    accounts, devices = [], []
    for user in users:
        status, _, _ = party.send("GET", f"{ALPHA}/users/{user}", token=admin)
        if status == 404:
            continue
        assert status == 200, status
        accounts.append(user)
        devices += [record["uuid"] for record in pages(party, f"{ALPHA}/users/{user}/devices/2fa/binding?_queryFilter=true", admin)]
    tokens = {act.results["token"] for act in acts if act.outcome == "ok" and act.results.get("token")}
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        sessions = dict(pool.map(lambda token: (token, is_valid(party, token)), tokens))
    evidence = pages(party, f"{ALPHA}/audit/evidence?_queryFilter=true&_pageSize=200", admin)
    ledger = [
        {"kind": entry["kind"], "device": entry["device"], "proof": digest(entry["jws"]), "number": entry["number"],
         "transaction": (entry.get("transaction") or {}).get("id")}
        for entry in sorted(evidence, key=lambda entry: entry["number"])]
    transactions = {}
    for act in of("order"):
        if act.outcome == "ok":
            status, answer, _ = party.send("GET", f"{ALPHA}/transactions/{act['number']}", headers=workload.application.basic)
            transactions[act["number"]] = answer["state"] if status == 200 else None
    decisions = [
        {"message": record["messageId"], "decision": record["decision"]}
        for record in pages(party, f"{ALPHA}/audit/push?_queryFilter=true&_pageSize=200", admin)]
    return {"accounts": accounts, "devices": devices, "sessions": sessions, "ledger": ledger, "transactions": transactions,
            "decisions": decisions}


def is_valid(party, token):
    status, answer, _ = party.send("POST", f"{ALPHA}/sessions?_action=validate", {}, token)
    return status == 200 and answer.get("valid") is True


def pages(party, path, admin):
    records, cookie = [], None
    while True:
        status, answer, _ = party.send("GET", path + (f"&_pagedResultsCookie={cookie}" if cookie else ""), token=admin)
        assert status == 200, (status, answer)
        records += answer["result"]
        cookie = answer.get("pagedResultsCookie")
        if not cookie:
            return records
