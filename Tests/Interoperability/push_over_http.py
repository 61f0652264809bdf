#!/usr/bin/python3
"""A push device that knows only HTTP: registers, approves, denies, answers a number and a code, refreshes, polls and
streams, and tries what a server must refuse.

Usage: push_over_http.py BASE_URL   (for example http://127.0.0.1:8080/am)
The password of amAdmin comes from SEALRING_ADMIN_PASSWORD. Prints one line per check; exits 1 when one failed.
Needs only Python 3's own library, so that nothing of Sealring's own code takes part.
"""

import base64
import hashlib
import hmac
import http.client
import json
import os
import queue
import sys
import threading
import time
import urllib.parse
import uuid

BASE = urllib.parse.urlparse(sys.argv[1])
ALPHA = "/json/realms/root/realms/alpha"
PASSWORD = "Correct horse 1"
failures = 0


def check(condition, text):
    global failures
    print(("ok    " if condition else "FAIL  ") + text, flush=True)
    if not condition:
        failures += 1


def request(method, path, body=None, headers=None, raw=None):
    """Answers (status, JSON or None). No answer of the server may be a 5xx."""
    connection = http.client.HTTPConnection(BASE.hostname, BASE.port, timeout=60)
    data = raw if raw is not None else (None if body is None else json.dumps(body).encode())
    sent = {"Accept-API-Version": "resource=1.0, protocol=1.0"}
    if data is not None:
        sent["Content-Type"] = "application/json"
    sent.update(headers or {})
    try:
        connection.request(method, path, body=data, headers=sent)
        response = connection.getresponse()
        text = response.read()
    finally:
        connection.close()
    if response.status >= 500:
        check(False, f"{method} {path} answered {response.status}: {text[:200]!r}")
    try:
        return response.status, json.loads(text)
    except ValueError:
        return response.status, None


def am(method, path, body=None, headers=None):
    return request(method, BASE.path + path, body, headers)


def b64u(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_b64(text):
    text = text.replace("-", "+").replace("_", "/").rstrip("=")
    return base64.b64decode(text + "=" * (-len(text) % 4))


def jwt(claims, secret, header=b'{"typ":"JWT","alg":"HS256"}'):
    signed = b64u(header) + "." + b64u(json.dumps(claims).encode())
    return signed + "." + b64u(hmac.new(secret, signed.encode(), hashlib.sha256).digest())


# Journeys


def authenticate(body, query=""):
    return am("POST", ALPHA + "/authenticate" + query, body)[1]


def sign_in(journey, user):
    """The step after name and password."""
    step = authenticate({}, f"?authIndexType=service&authIndexValue={journey}")
    for callback, value in zip(step["callbacks"], [user, PASSWORD]):
        callback["input"][0]["value"] = value
    return authenticate(step)


def wait(step, limit=30):
    """Posts the step back as it says, until it is another one."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        polling = [c for c in step.get("callbacks", []) if c["type"] == "PollingWaitCallback"]
        if not polling:
            return step
        time.sleep(int(output(polling[0], "waitTime")) / 1000)
        step = authenticate({"authId": step["authId"], "callbacks": step["callbacks"]})
    return step


def output(callback, name):
    return next((o["value"] for o in callback["output"] if o["name"] == name), None)


def hidden(step, name):
    for callback in step.get("callbacks", []):
        if callback["type"] == "HiddenValueCallback" and output(callback, "id") == name:
            return output(callback, "value")
    return None


# The device


class Device:
    def __init__(self, uri):
        parsed = urllib.parse.urlparse(uri)
        self.scheme = parsed.scheme
        values = dict(urllib.parse.parse_qsl(parsed.query))
        self.secret = from_b64(values["s"])
        self.challenge = from_b64(values["c"])
        self.message_id = values["m"]
        self.user = from_b64(values["uid"]).decode()
        self.register_url = from_b64(values["r"]).decode()
        self.answer_url = from_b64(values["a"]).decode()
        self.uid = str(uuid.uuid4()).upper()

    def response(self, challenge):
        return base64.b64encode(hmac.new(self.secret, challenge, hashlib.sha256).digest()).decode()

    def post(self, url, body):
        url = urllib.parse.urlparse(url)
        return request("POST", url.path + "?" + url.query, body)

    def facts(self, **changes):
        claims = {"response": self.response(self.challenge), "mechanismUid": self.uid, "deviceId": "none",
                  "deviceType": "linux", "communicationType": "poll", "deviceName": "Script"}
        claims.update(changes)
        return {k: v for k, v in claims.items() if v is not None}

    def register(self, secret=None, **changes):
        return self.post(self.register_url, {"messageId": self.message_id,
                                             "jwt": jwt(self.facts(**changes), secret or self.secret)})

    def fetch_token(self, age=0):
        return jwt({"mechanismUid": self.uid, "iat": int(time.time()) - age}, self.secret)

    def poll(self, hold=0, age=0):
        url = self.register_url.replace("_action=register", "_action=poll")
        status, answer = self.post(url, {"mechanismUid": self.uid, "jwt": self.fetch_token(age), "wait": hold})
        if status != 200:
            return status
        return [(m["messageId"], self.read(m["message"])) for m in answer["messages"]]

    def read(self, token):
        header, payload, signature = token.split(".")
        right = hmac.new(self.secret, f"{header}.{payload}".encode(), hashlib.sha256).digest()
        check(hmac.compare_digest(right, from_b64(signature)), "a message is signed with the device's secret")
        check(json.loads(from_b64(header)) == {"typ": "JWT", "alg": "HS256"}, "a message says HS256")
        claims = json.loads(from_b64(payload))
        check(claims["u"] == self.uid, "a message names the device")
        check(all(isinstance(claims[name], str) for name in ("t", "i", "c", "l")), "older apps can read the message")
        return claims

    def answer(self, message, secret=None, url=None, **extra):
        claims = {"response": self.response(from_b64(message[1]["c"]))}
        claims.update(extra)
        return self.post(url or self.answer_url, {"messageId": message[0], "jwt": jwt(claims, secret or self.secret)})

    def refresh(self, token, user=None, name="username", **extra):
        claims = self.facts(response=None, deviceId=token, **extra)
        url = self.register_url.replace("_action=register", "_action=refresh")
        return self.post(url, {"mechanismUid": self.uid, name: user or self.user, "jwt": jwt(claims, self.secret)})[0]

    def listen(self):
        """Events of the stream, as they come, in a queue; None when it has ended."""
        events = queue.Queue()
        path = urllib.parse.urlparse(self.register_url).path.replace("/push/sns/message", "/push/stream")
        connection = http.client.HTTPConnection(BASE.hostname, BASE.port, timeout=60)
        connection.request("GET", path, headers={"Authorization": "Bearer " + self.fetch_token()})
        response = connection.getresponse()
        check(response.status == 200 and response.getheader("Content-Type") == "text/event-stream", "the stream opens")

        def read():
            event = {}
            while line := response.readline().decode():
                line = line.rstrip("\n")
                if line == "" and event:
                    events.put(event)
                    event = {}
                elif line and not line.startswith(":"):
                    name, _, value = line.partition(": ")
                    event[name] = value
            events.put(None)
            connection.close()

        threading.Thread(target=read, daemon=True).start()
        return events


def main():
    administrator = am("POST", "/json/realms/root/authenticate", {}, {
        "X-OpenAM-Username": "amAdmin", "X-OpenAM-Password": os.environ["SEALRING_ADMIN_PASSWORD"]})[1]
    token = {"iPlanetDirectoryPro": administrator["tokenId"]}
    for name in ("mira", "rosa"):
        status, _ = am("POST", ALPHA + "/users?_action=create",
                       {"username": name, "userpassword": PASSWORD, "mail": [f"{name}@example.com"]}, token)
        check(status == 201, f"{name} is there")

    # Registration
    step = sign_in("PushRegister", "mira")
    device = Device(hidden(step, "mfaDeviceRegistration"))
    check(device.scheme == "pushauth" and device.user == "mira", "the enrolment address names scheme and user")
    check(device.register(secret=bytes(32))[0] == 400, "a registration with another secret is refused")
    check(device.register(response="AAAA")[0] == 400, "a registration with a wrong response is refused")
    check(device.register(communicationType="apns")[0] == 400, "a transport that is not there is refused")
    check(device.register() == (200, {}), "the device registers")
    check(device.register()[0] == 400, "a replayed registration is refused")
    step = wait(step)
    codes = output(step["callbacks"][0], "message").split("\n")
    check(len(set(codes)) == 10, "ten recovery codes are shown")
    check("tokenId" in authenticate(step), "the journey ends signed in")

    # Tap
    step = sign_in("PushSignIn", "mira")
    message = device.poll(hold=5)[0]
    check(message[1]["k"] == "default" and message[1]["d"] == "mira", "a tap is asked for")
    check(json.loads(message[1]["x"]).get("remoteIp") == "127.0.0.1", "the message says from where")
    check(device.answer(message, secret=bytes(32))[0] == 400, "an answer with another secret is refused")
    check(device.answer(message, url=device.register_url)[0] == 400, "an answer is not a registration")
    check(device.answer(message) == (200, {}), "the device approves")
    check(device.answer(message)[0] == 400, "a second answer is refused")
    check("tokenId" in wait(step), "the approval signs in")
    check(device.poll() == [], "nothing is open afterwards")

    # Denial
    step = sign_in("PushSignIn", "mira")
    message = device.poll(hold=5)[0]
    check(device.answer(message, deny=True, reason="was not me")[0] == 200, "the device denies")
    check(device.answer(message)[0] == 400, "an approval after the denial is refused")
    check(wait(step).get("code") == 401, "the denial ends the sign-in")

    # Number
    step = sign_in("PushNumber", "mira")
    shown = hidden(step, "pushChallengeNumber")
    message = device.poll(hold=5)[0]
    options = message[1]["n"].split(",")
    check(len(set(options)) == 3 and options == sorted(options) and shown in options, "three numbers, the shown one too")
    check(device.answer(message)[0] == 400, "an approval without the number is refused")
    check(device.answer(message, challengeResponse=shown)[0] == 200, "the right number is accepted")
    check("tokenId" in wait(step), "the number signs in")

    # Code
    step = sign_in("PushCode", "mira")
    shown = hidden(step, "pushChallengeNumber")
    message = device.poll(hold=5)[0]
    check(len(shown) == 6 and "n" not in message[1] and message[1]["codeLength"] == "6", "six digits are to be typed")
    wrong = "000000" if shown != "000000" else "000001"
    status, answer = device.answer(message, challengeResponse=wrong)
    check(status == 400 and answer["detail"]["errorCode"] == "wrongAnswer", "a wrong code is refused, and named")
    check(device.answer(message, challengeResponse=shown)[0] == 200, "the right code is accepted")
    check(device.answer(message, challengeResponse=shown)[0] == 400, "and only once")
    check("tokenId" in wait(step), "the code signs in")

    # Refresh
    check(device.refresh("new-1") == 200, "a new token is taken")
    check(device.refresh("new-2", name="userId") == 200, "also with the other name of the user")
    now = int(time.time())
    check(device.refresh("new-3", iat=now) == 200, "a token with a moment is taken")
    check(device.refresh("new-3", iat=now - 1) == 400, "an older one is refused")
    check(device.refresh("new-1") == 400, "so is one without a moment from then on")
    check(device.refresh("new-4", user="rosa", iat=now + 1) == 400, "another user's device is refused")

    # Polls
    check(device.poll(age=120) == 400, "an old poll is refused")
    other = Device(hidden(sign_in("PushRegister", "rosa"), "mfaDeviceRegistration"))
    check(other.register()[0] == 200, "rosa's device registers")
    url = device.register_url.replace("_action=register", "_action=poll")
    check(device.post(url, {"mechanismUid": device.uid, "jwt": other.fetch_token()})[0] == 400,
          "a device fetches its own messages only")
    for raw in (b"", b"{", b"[]", b'{"messageId":1}', b'{"messageId":"REGISTER:1"}', b'{"messageId":"x","jwt":"a.b.c"}'):
        for action in ("register", "authenticate", "refresh", "poll"):
            path = f"{BASE.path}{ALPHA}/push/sns/message?_action={action}"
            check(request("POST", path, raw=raw)[0] == 400, f"{action} refuses {raw!r}")

    # Stream
    events = device.listen()
    step = sign_in("PushBiometric", "mira")
    event = events.get(timeout=10)
    data = json.loads(event["data"])
    check(event["id"] == data["messageId"], "the event's id is the message's")
    message = (data["messageId"], device.read(data["message"]))
    check(message[1]["k"] == "biometric", "the stream brings the request")
    check(device.answer(message)[0] == 200 and "tokenId" in wait(step), "and its approval signs in")

    # Management
    devices = ALPHA + "/users/mira/devices/2fa/push"
    status, answer = am("GET", devices + "?_queryFilter=true", headers=token)
    record = answer["result"][0]
    check(record["deviceName"] == "Script" and "sharedSecret" not in record, "the device is listed, without its secret")
    status, answer = am("PUT", f"{devices}/{record['_id']}", {"deviceName": "Renamed"}, token)
    check(status == 200 and answer["deviceName"] == "Renamed", "it is renamed")
    decisions = am("GET", ALPHA + '/audit/push?_queryFilter=' + urllib.parse.quote('username eq "mira"'), headers=token)[1]
    found = [(d["decision"], d["reason"]) for d in decisions["result"]]
    check(found.count(("approved", None)) == 4 and ("denied", "was not me") in found, "the decisions can be read")
    check(am("DELETE", f"{devices}/{record['_id']}", headers=token)[0] == 200, "it is removed")
    check(events.get(timeout=30) is None, "which ends its stream")
    check(device.poll() == 400, "and its polls")

    # Recovery codes went with the last device; rosa still has hers.
    step = sign_in("PushSignIn", "rosa")
    for callback in step["callbacks"]:
        if callback["type"] == "ConfirmationCallback":
            callback["input"][0]["value"] = 0
    step = authenticate(step)
    step["callbacks"][0]["input"][0]["value"] = codes[0]
    check(authenticate(step).get("code") == 401, "somebody else's recovery code is refused")


main()
print("all checks passed" if failures == 0 else f"{failures} checks failed")
sys.exit(1 if failures else 0)
