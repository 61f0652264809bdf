#!/usr/bin/python3
"""Stands in for PingAM's push endpoint: registers devices, sends messages, takes answers and new tokens.

Usage: push_am_standin.py [--direct]
Prints `listening on http://127.0.0.1:PORT` and ends when its input ends. Needs only Python 3, so that nothing of Sealring's
own code takes part. Knows what is written about PingAM's protocol: the push endpoint below /am/json/alpha/push/sns/message.
With --direct it also keeps messages for devices that fetch them (`_action=poll` and `…/push/stream`).

What a test steers it with lies below /control: POST enrol, push, fail, stream; GET requests, device, message.
"""

import base64
import hashlib
import hmac
import http.server
import json
import os
import secrets
import sys
import threading
import time
import urllib.parse
import uuid

DIRECT = "--direct" in sys.argv
ENDPOINT = "/am/json/alpha/push/sns/message"
STREAM = "/am/json/alpha/push/stream"
COOKIE = "amlbcookie=01"

lock = threading.Condition()
enrolments = {}  # messageId -> {secret, challenge, user, issuer}
devices = {}  # mechanismUid -> claims + secret, user
messages = {}  # messageId -> {device, challenge, state, answer, expires, jwt}
requests = []
failures = []  # statuses of the next requests
streams = {"open": 0, "opened": 0, "generation": 0}


def b64(data):
    return base64.b64encode(data).decode()


def b64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def unb64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def mac(key, data):
    return hmac.new(key, data, hashlib.sha256).digest()


def sign(claims, key):
    head = b64url(b'{"typ":"JWT","alg":"HS256"}')
    body = b64url(json.dumps(claims).encode())
    return f"{head}.{body}.{b64url(mac(key, f'{head}.{body}'.encode()))}"


def claims_of(token, key):
    """The claims, or None unless `key` signed them."""
    try:
        head, body, signature = token.split(".")
        if json.loads(unb64url(head))["alg"] != "HS256":
            return None
        if not hmac.compare_digest(mac(key, f"{head}.{body}".encode()), unb64url(signature)):
            return None
        return json.loads(unb64url(body))
    except (ValueError, KeyError, AttributeError):
        return None


def enrol(base, body):
    message_id = f"REGISTER:{uuid.uuid4()}{int(time.time() * 1000)}"
    user, issuer = body.get("user", "bjensen"), body.get("issuer", "Example Bank")
    secret, challenge = secrets.token_bytes(32), secrets.token_bytes(32)
    enrolments[message_id] = {"secret": secret, "challenge": challenge, "user": user, "issuer": issuer}
    url = f"{base}{ENDPOINT}?_action="
    parameters = {
        "l": b64url(COOKIE.encode()), "issuer": b64url(issuer.encode()), "m": message_id, "s": b64url(secret),
        "c": b64url(challenge), "r": b64url(f"{url}register".encode()), "a": b64url(f"{url}authenticate".encode()),
        "b": "032b75", "image": "",
    }
    if body.get("named", True):
        parameters["uid"] = b64url(user.encode())
    if "policies" in body:
        parameters["policies"] = b64url(body["policies"].encode())
    query = "&".join(f"{name}={value}" for name, value in parameters.items())
    label = f"{urllib.parse.quote(issuer, safe='')}:{urllib.parse.quote(user, safe='')}"
    return {"uri": f"pushauth://push/{label}?{query}", "messageId": message_id}


def push(body):
    device = devices[body["mechanismUid"]]
    message_id = f"AUTHENTICATE:{uuid.uuid4()}{int(time.time() * 1000)}"
    challenge, kind = secrets.token_bytes(32), body.get("type", "default")
    ttl = body.get("ttl", 120)
    text = f"Login attempt from {device['user']} at {device['issuer']}"
    claims = {
        "u": body["mechanismUid"], "l": b64(COOKIE.encode()), "c": b64(challenge), "m": text, "k": kind,
        "i": str(int(time.time() * 1000)), "t": str(ttl), "d": device["user"], "p": "{}",
    }
    answer = None
    if kind == "challenge" and "code" in body:
        answer, claims["codeLength"] = body["code"], str(len(body["code"]))
    elif kind == "challenge":
        numbers = sorted(secrets.SystemRandom().sample(range(10, 100), 3))
        answer, claims["n"] = str(numbers[0]), ",".join(map(str, numbers))
    claims.update(body.get("claims", {}))
    jwt = sign(claims, device["secret"])
    messages[message_id] = {
        "device": body["mechanismUid"], "challenge": challenge, "state": "waiting", "answer": answer,
        "expires": time.time() + ttl, "jwt": jwt, "strict": body.get("strict", True), "reason": None,
        "fetched": False,
    }
    lock.notify_all()
    aps = {
        "alert": text, "sound": "default", "category": "authentication", "interruption-level": "time-sensitive",
        "messageId": message_id, "data": jwt, "content-available": 1, "mutable-content": 1,
    }
    return {"messageId": message_id, "message": jwt, "answer": answer, "userInfo": {"aps": aps}}


def register(body):
    enrolment = enrolments.get(body["messageId"])
    claims = enrolment and claims_of(body["jwt"], enrolment["secret"])
    if not claims or claims.get("response") != b64(mac(enrolment["secret"], enrolment["challenge"])):
        return 400
    names = ("mechanismUid", "deviceId", "deviceType", "communicationType", "deviceName")
    if any(not claims.get(name) for name in names[:4]):
        return 400
    devices[claims["mechanismUid"]] = {
        **{name: claims.get(name) for name in names},
        "secret": enrolment["secret"], "user": enrolment["user"], "issuer": enrolment["issuer"],
    }
    del enrolments[body["messageId"]]
    return 200


def authenticate(body):
    message = messages.get(body["messageId"])
    if not message or message["state"] != "waiting" or message["expires"] < time.time():
        return 400
    secret = devices[message["device"]]["secret"]
    claims = claims_of(body["jwt"], secret)
    if not claims or claims.get("response") != b64(mac(secret, message["challenge"])):
        return 400
    if "deny" in claims:  # Present at all: that is how PingAM reads it.
        message["state"], message["reason"] = "denied", claims.get("reason")
        return 200
    if message["answer"] is not None:
        message["given"] = claims.get("challengeResponse")
        if message["given"] != message["answer"]:
            if message["strict"]:
                return 400  # 8.1 and later; still open
            message["state"] = "wrong"
            return 200
    message["state"] = "approved"
    return 200


def refresh(body):
    device = devices.get(body.get("mechanismUid"))
    if not device or body.get("username") != device["user"]:
        return 400
    claims = claims_of(body["jwt"], device["secret"])
    if not claims or not claims.get("deviceId"):
        return 400
    for name in ("deviceId", "deviceType", "communicationType", "deviceName"):
        if claims.get(name):
            device[name] = claims[name]
    return 200


def fetcher(token):
    """The mechanismUid of a fresh token that its device has signed."""
    try:
        uid = json.loads(unb64url(token.split(".")[1]))["mechanismUid"]
        claims = claims_of(token, devices[uid]["secret"])
        return uid if claims and abs(claims["iat"] - time.time()) <= 60 else None
    except (ValueError, KeyError, IndexError):
        return None


def waiting(uid):
    return [
        (key, value) for key, value in messages.items()
        if value["device"] == uid and value["state"] == "waiting" and value["expires"] >= time.time()
    ]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, value=None):
        if value is None:
            value = {} if status == 200 else {"code": status, "reason": "Bad Request", "message": "Bad Request"}
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def base(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def do_GET(self):
        url = urllib.parse.urlparse(self.path)
        if DIRECT and url.path == STREAM:
            return self.stream()
        with lock:
            if url.path == "/control/requests":
                return self.answer(200, requests)
            if url.path == "/control/streams":
                return self.answer(200, streams)
            kind, _, key = url.path.removeprefix("/control/").partition("/")
            found = {"device": devices, "message": messages}.get(kind, {}).get(urllib.parse.unquote(key))
            if found is None:
                return self.answer(404)
            self.answer(200, {name: value for name, value in found.items() if not isinstance(value, bytes)})

    def do_POST(self):
        url = urllib.parse.urlparse(self.path)
        text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = json.loads(text or b"{}")
        with lock:
            if url.path == "/control/enrol":
                return self.answer(200, enrol(self.base(), body))
            if url.path == "/control/push":
                return self.answer(200, push(body))
            if url.path == "/control/fail":
                failures.extend(body["statuses"])
                return self.answer(200)
            if url.path == "/control/stream":  # Ends all streams, as a server that restarts does.
                streams["generation"] += 1
                lock.notify_all()
                return self.answer(200)
            action = urllib.parse.parse_qs(url.query).get("_action", [""])[0]
            requests.append({
                "path": url.path, "action": action, "body": body, "cookie": self.headers.get("Cookie"),
                "version": self.headers.get("Accept-API-Version"), "type": self.headers.get("Content-Type"),
            })
            if failures:
                return self.answer(failures.pop(0))
            if url.path != ENDPOINT:
                return self.answer(404)
            if DIRECT and action == "poll":
                return self.poll(body)
            known = {"register": register, "authenticate": authenticate, "refresh": refresh}.get(action)
            try:
                self.answer(known(body) if known else 400)
            except (KeyError, TypeError):
                self.answer(400)

    def poll(self, body):
        uid = fetcher(body.get("jwt", ""))
        if uid is None or uid != body.get("mechanismUid"):
            return self.answer(400)
        end = time.time() + body.get("wait", 0)
        while not any(not m["fetched"] for _, m in waiting(uid)) and time.time() < end:
            lock.wait(end - time.time())
        found = waiting(uid)
        for _, message in found:
            message["fetched"] = True
        self.answer(200, {"messages": [{"messageId": key, "message": m["jwt"]} for key, m in found]})

    def stream(self):
        with lock:
            if failures:
                return self.answer(failures.pop(0))
            uid = fetcher(self.headers.get("Authorization", "").removeprefix("Bearer "))
            if uid is None:
                return self.answer(401)
            generation = streams["generation"]
            streams["open"] += 1
            streams["opened"] += 1
        self.close_connection = True
        try:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Cache-Control", "no-cache")
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(b": hello\n\n")
            self.wfile.flush()
            sent = set()
            while True:
                with lock:
                    fresh = [(key, m) for key, m in waiting(uid) if key not in sent]
                    if not fresh:
                        if streams["generation"] != generation:
                            return
                        lock.wait(5)
                        if streams["generation"] != generation:
                            return
                        fresh = [(key, m) for key, m in waiting(uid) if key not in sent]
                for key, message in fresh:
                    sent.add(key)
                    data = json.dumps({"messageId": key, "message": message["jwt"]})
                    self.wfile.write(f"data: {data}\n\n".encode())
                self.wfile.write(b": alive\n\n")
                self.wfile.flush()
        except OSError:
            pass
        finally:
            with lock:
                streams["open"] -= 1


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


server = Server(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
sys.stdin.buffer.read()
os._exit(0)
