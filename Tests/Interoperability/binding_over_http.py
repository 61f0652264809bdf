#!/usr/bin/python3
"""A device that knows only HTTP: binds, signs, lists, renames and deletes, and tries what a server must refuse.

Usage: binding_over_http.py BASE_URL   (for example http://127.0.0.1:8080/am)
The password of amAdmin comes from SEALRING_ADMIN_PASSWORD. Prints one line per check; exits 1 when one failed.
Needs only Python 3 and its `cryptography` package, so that nothing of Sealring's own code takes part.
"""

import base64
import hashlib
import http.client
import json
import os
import struct
import sys
import threading
import time
import urllib.parse
import uuid

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

BASE = urllib.parse.urlparse(sys.argv[1])
ALPHA = "/json/realms/root/realms/alpha"
APPLICATION = "com.sealring.cli"
failures = 0


def request(method, path, body=None, headers=None, raw=None):
    """Answers (status, JSON or None, headers). No answer of the server may be a 5xx."""
    connection = http.client.HTTPConnection(BASE.hostname, BASE.port, timeout=60)
    sent = {"Accept-API-Version": "resource=2.1, protocol=1.0"}
    data = raw
    if raw is None and body is not None:
        data = json.dumps(body).encode()
    if data is not None:
        sent["Content-Type"] = "application/json"
    sent.update(headers or {})
    try:
        connection.request(method, BASE.path + path, body=data, headers=sent)
        response = connection.getresponse()
        text = response.read()
    finally:
        connection.close()
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    if response.status >= 500:
        check(False, f"{method} {path} answered {response.status}: {text[:200]!r}")
    return response.status, answer, dict(response.getheaders())


def check(condition, text):
    global failures
    print(("ok    " if condition else "FAIL  ") + text, flush=True)
    if not condition:
        failures += 1


def b64u(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def b64u_int(value, length=None):
    return b64u(value.to_bytes(length or (value.bit_length() + 7) // 8, "big"))


class Key:
    """A device key: ES256 or RS512."""

    def __init__(self, algorithm, kid=None):
        self.algorithm = algorithm
        self.kid = kid or str(uuid.uuid4()).upper()
        if algorithm == "ES256":
            self.private = ec.generate_private_key(ec.SECP256R1())
            numbers = self.private.public_key().public_numbers()
            self.jwk = {"kty": "EC", "crv": "P-256", "x": b64u_int(numbers.x, 32), "y": b64u_int(numbers.y, 32)}
        else:
            self.private = rsa.generate_private_key(65537, 2048)
            numbers = self.private.public_key().public_numbers()
            self.jwk = {"kty": "RSA", "n": b64u_int(numbers.n), "e": b64u_int(numbers.e)}
        self.jwk.update({"use": "sig", "alg": algorithm, "kid": self.kid})

    def signature(self, data):
        if self.algorithm == "ES256":
            r, s = decode_dss_signature(self.private.sign(data, ec.ECDSA(hashes.SHA256())))
            return r.to_bytes(32, "big") + s.to_bytes(32, "big")
        return self.private.sign(data, padding.PKCS1v15(), hashes.SHA512())

    def jws(self, claims, embed_jwk=False, **header_changes):
        header = {"alg": self.algorithm, "kid": self.kid}
        if self.algorithm == "ES256":
            header["typ"] = "JWS"
        if embed_jwk:
            header["jwk"] = self.jwk
        header.update(header_changes)
        header = {name: value for name, value in header.items() if value is not None}
        signed = b64u(json.dumps(header).encode()) + "." + b64u(json.dumps(claims).encode())
        return signed + "." + b64u(self.signature(signed.encode()))


def claims(user_id, issued_challenge, **changes):
    now = int(time.time())
    result = {"sub": user_id, "iss": APPLICATION, "challenge": issued_challenge, "iat": now, "nbf": now, "exp": now + 60}
    result.update(changes)
    return {name: value for name, value in result.items() if value is not None}


def authenticate(body=None, journey=None, headers=None, realm=ALPHA):
    query = f"?authIndexType=service&authIndexValue={journey}" if journey else ""
    return request("POST", f"{realm}/authenticate{query}", body if body is not None else {}, headers)


def sign_in(name, password, realm=ALPHA):
    status, answer, _ = authenticate(headers={"X-OpenAM-Username": name, "X-OpenAM-Password": password}, realm=realm)
    return answer.get("tokenId") if status == 200 else None


def outputs(callback):
    return {entry["name"]: entry["value"] for entry in callback["output"]}


def fill(callback, **values):
    """Fills inputs by the end of their names, as devices do."""
    for entry in callback.get("input", []):
        for suffix, value in values.items():
            name = entry["name"].lstrip("IDToken").lstrip("0123456789")
            if name == suffix or (suffix == "plain" and name == ""):
                entry["value"] = value


def step(answer, **values):
    for callback in answer["callbacks"]:
        fill(callback, **values)
    return authenticate({"authId": answer["authId"], "callbacks": answer["callbacks"]})


def start_bind(name, password, proving=None):
    """Goes through name and password to the binding callback; `proving` is a key that the account has, with its user."""
    status, answer, _ = authenticate(journey="BindDevice")
    assert status == 200, answer
    while "DeviceBindingCallback" not in [c["type"] for c in answer["callbacks"]]:
        for callback in answer["callbacks"]:
            if callback["type"] == "DeviceSigningVerifierCallback":
                key, sub = proving
                fill(callback, jws=key.jws(claims(sub, outputs(callback)["challenge"])), clientError="")
            else:
                fill(callback, plain=name if callback["type"] == "NameCallback" else password)
        status, answer, _ = authenticate({"authId": answer["authId"], "callbacks": answer["callbacks"]})
        assert status == 200, answer
    return answer


def bind(name, password, key, device_name, proving=None, **changes):
    answer = start_bind(name, password, proving)
    asked = outputs(answer["callbacks"][0])
    check(len(base64.b64decode(asked["challenge"], validate=True)) == 32, "the challenge is 32 random bytes in Base64")
    jws = key.jws(claims(asked["userId"], asked["challenge"], **changes), embed_jwk=True)
    status, answer, _ = step(answer, jws=jws, deviceName=device_name, deviceId="0f" * 16, clientError="")
    return status, answer, asked["userId"]


def start_sign_in():
    status, answer, _ = authenticate(journey="SignIn")
    assert status == 200, answer
    return answer, outputs(answer["callbacks"][0])["challenge"]


def signed_in(key, sub):
    """Whether a faultless sign-in with the key works; also ends any run of failures that could lock the account."""
    answer, challenge = start_sign_in()
    status, answer, _ = step(answer, jws=key.jws(claims(sub, challenge)), clientError="")
    return status == 200 and bool(answer.get("tokenId"))


def refused(status, answer):
    return status == 401 and answer.get("code") == 401 and answer.get("message") == "Login failure" and "authId" not in answer


def stale(status, answer):
    return status == 401 and (answer.get("detail") or {}).get("errorCode") == "110"


def main():
    admin = sign_in("amAdmin", os.environ["SEALRING_ADMIN_PASSWORD"], realm="/json/realms/root")
    check(bool(admin), "the administrator signs in without a dialogue")
    as_admin = {"iPlanetDirectoryPro": admin}
    suffix = uuid.uuid4().hex[:8]
    mira, noor, password = f"mira-{suffix}", f"noor-{suffix}", "Correct horse battery 1"
    for name in (mira, noor):
        body = {"username": name, "userpassword": password, "mail": [f"{name}@example.com"]}
        status, answer, _ = request("POST", f"{ALPHA}/users?_action=create", body, as_admin)
        check(status == 201 and answer["_id"] == name and "userpassword" not in answer, f"user {name} is created")
    status, _, _ = request("POST", f"{ALPHA}/users?_action=create", {"username": mira, "userpassword": password}, as_admin)
    check(status == 409, "a second user of that name is a conflict")
    check(sign_in(mira, "wrong") is None, "a wrong password is refused")

    # Binding
    curve, modulus = Key("ES256"), Key("RS512")
    status, answer, sub = bind(mira, password, curve, "  Mira's phone ")
    check(status == 200 and answer.get("tokenId"), "an ES256 key is bound")
    status, answer, _ = bind(mira, password, modulus, "Mira's tablet", (curve, sub))
    check(status == 200, "an RS512 key is bound")
    other = Key("ES256")
    status, _, other_sub = bind(noor, password, other, "Noor's phone")
    check(status == 200, "another user binds a device")
    status, answer, _ = bind(mira, password, curve, "again", (curve, sub))
    check(refused(status, answer), "the same key is not bound twice to one user")
    for text, changes in {
        "wrong iss": {"iss": "com.example.other"},
        "no iss": {"iss": None},
        "expired": {"exp": int(time.time()) - 3600, "iat": int(time.time()) - 3700, "nbf": None},
        "no exp": {"exp": None},
        "wrong sub": {"sub": other_sub},
        "wrong challenge": {"challenge": base64.b64encode(bytes(32)).decode()},
    }.items():
        status, answer, _ = bind(mira, password, Key("ES256"), "refused", (curve, sub), **changes)
        check(refused(status, answer), f"binding with {text} is refused")
        check(signed_in(curve, sub), "and the server goes on")

    # Devices
    mira_token = sign_in(mira, password)
    as_mira = {"iPlanetDirectoryPro": mira_token}
    devices = f"{ALPHA}/users/{mira}/devices/2fa/binding"
    status, answer, _ = request("GET", f"{devices}?_queryFilter=true", headers=as_mira)
    listed = {entry["uuid"]: entry for entry in answer["result"]}
    check(status == 200 and set(listed) == {curve.kid, modulus.kid}, "both devices are listed, by their kid")
    check(listed[curve.kid]["deviceName"] == "Mira's phone", "device names are trimmed")
    check(listed[curve.kid]["key"] == curve.jwk and listed[modulus.kid]["key"] == modulus.jwk, "with their public keys")
    check("d" not in listed[curve.kid]["key"] and listed[curve.kid]["recoveryCodes"] == [], "and nothing secret")
    status, answer, _ = request("PUT", f"{devices}/{modulus.kid}", {"deviceName": "Work tablet", "uuid": "x"}, as_mira)
    check(status == 200 and answer["deviceName"] == "Work tablet" and answer["uuid"] == modulus.kid, "a device is renamed")
    status, _, _ = request("PUT", f"{devices}/{modulus.kid}", {"deviceName": "x" * 121}, as_mira)
    check(status == 400, "a name of 121 characters is refused")
    dn = urllib.parse.quote(sub, safe="")
    for user in (dn, sub):
        status, answer, _ = request("GET", f"{ALPHA}/users/{user}/devices/2fa/binding?_queryFilter=true", headers=as_mira)
        check(status == 200 and answer["resultCount"] == 2, f"the user may be named {user}")
    status, _, _ = request("GET", f"{devices}?_queryFilter=true")
    check(status == 401, "without a session nothing is listed")
    status, _, _ = request("GET", f"{devices}?_queryFilter=true", headers={"iPlanetDirectoryPro": sign_in(noor, password)})
    check(status == 403, "another user lists nothing")
    status, _, _ = request("DELETE", f"{devices}/unknown", headers=as_mira)
    check(status == 404, "an unknown device is not found")

    # Signing in
    check(signed_in(curve, sub), "the ES256 device signs in")
    check(signed_in(modulus, sub), "the RS512 device signs in")

    now = int(time.time())
    bad = {
        "wrong challenge": lambda c: curve.jws(claims(sub, base64.b64encode(bytes(32)).decode())),
        "wrong iss": lambda c: curve.jws(claims(sub, c, iss="com.example.other")),
        "expired": lambda c: curve.jws(claims(sub, c, exp=now - 3600, iat=now - 3700, nbf=now - 3700)),
        "not yet valid": lambda c: curve.jws(claims(sub, c, nbf=now + 3600, exp=now + 3660)),
        "life of a day": lambda c: curve.jws(claims(sub, c, exp=now + 86400)),
        "another user's key": lambda c: other.jws(claims(sub, c)),
        "another user's key under my kid": lambda c: other.jws(claims(sub, c), kid=curve.kid),
        "unknown kid": lambda c: curve.jws(claims(sub, c), kid="unknown"),
        "no kid": lambda c: curve.jws(claims(sub, c), kid=None),
        "unknown user": lambda c: curve.jws(claims("id=nobody,ou=user,o=alpha,ou=services,ou=am-config", c)),
        "tampered signature": lambda c: flip(curve.jws(claims(sub, c)), 2),
        "tampered payload": lambda c: swap_payload(curve.jws(claims(sub, c)), claims(sub, c, amount="900")),
        "alg none": lambda c: none_token(claims(sub, c), curve.kid),
        "alg HS256 with the public key": lambda c: hmac_token(claims(sub, c), curve),
        "unknown crit": lambda c: curve.jws(claims(sub, c), crit=["exp"]),
        "RS256 header on an ES256 key": lambda c: curve.jws(claims(sub, c), alg="RS256"),
        "not a token": lambda c: "a.b",
        "an empty token": lambda c: "",
        "a token of 27 kB": lambda c: curve.jws(claims(sub, c, filler="x" * 20000)),
        "duplicate members": lambda c: duplicate_members(curve, sub, c),
    }
    for text, make in bad.items():
        answer, challenge = start_sign_in()
        status, answer, _ = step(answer, jws=make(challenge), clientError="")
        check(refused(status, answer), f"a signature with {text} is refused")
        check(signed_in(curve, sub), "and the server goes on")
    for error in ("Abort", "Timeout", "Unsupported", "ClientNotRegistered", "SomethingElse"):
        answer, _ = start_sign_in()
        status, answer, _ = step(answer, jws="", clientError=error)
        check(refused(status, answer), f"the client error {error} ends the journey")

    answer, challenge = start_sign_in()
    status, answer, _ = step(answer, jws="x" * 100_000, clientError="")
    check(status == 400 and answer["code"] == 400, "an input of 100 kB is a bad request")

    # Transactions: the text is the challenge
    def transaction(text, jws_of):
        status, answer, _ = authenticate(journey="SignTransaction")
        status, answer, _ = step(answer, plain=text)
        asked = outputs(answer["callbacks"][0])
        check(asked["challenge"] == text, "the text itself is the challenge")
        return step(answer, jws=jws_of(asked["challenge"]), clientError="")

    paid = curve.jws(claims(sub, "Pay 100.00 EUR to Babs", amount="100.00", approved=True, items=3))
    status, answer, _ = transaction("Pay 100.00 EUR to Babs", lambda c: paid)
    check(status == 200 and not answer.get("tokenId"), "a payment is signed, and signs nobody in")
    status, answer, _ = transaction("Pay 100.00 EUR to Babs", lambda c: paid)
    check(refused(status, answer), "the same signed payment is not accepted again")
    status, answer, _ = transaction("Pay 900.00 EUR to Babs", lambda c: paid)
    check(refused(status, answer), "nor for another amount")
    check(signed_in(curve, sub), "and the server goes on")

    # What a proof is for
    def text_step(text):
        status, answer, _ = authenticate(journey="SignTransaction")
        return step(answer, plain=text)

    answer, issued = start_sign_in()
    used = curve.jws(claims(sub, issued))
    status, answer, _ = step(answer, jws=used, clientError="")
    check(status == 200, "a sign-in")
    status, answer, _ = text_step(issued)
    check([c["type"] for c in answer["callbacks"]] == ["TextInputCallback"], "its challenge is not text that is signed")
    answer, issued = start_sign_in()
    status, answer, _ = step(answer, jws=curve.jws(claims(sub, issued, txn="t-1")), clientError="")
    check(refused(status, answer), "a proof with txn is no sign-in")
    status, answer, _ = text_step("Pay 1 EUR")
    status, answer, _ = step(answer, jws=curve.jws(claims(sub, "Pay 1 EUR", txn="t-1")), clientError="")
    check(refused(status, answer), "nor one over a text")
    status, answer, _ = bind(mira, password, Key("ES256"), "refused", (curve, sub), txn="t-1")
    check(refused(status, answer), "nor one that binds")

    for plain in (False, True):
        body = {"name": f"shop {plain} {suffix}", "plainProofs": plain}
        status, application, _ = request("POST", f"{ALPHA}/applications?_action=create", body, as_admin)
        check(status == 201 and application["plainProofs"] is plain, f"an application with plainProofs {plain}")
        basic = base64.b64encode(f"{application['_id']}:{application['secret']}".encode()).decode()
        as_shop = {"Authorization": f"Basic {basic}"}
        cases = {"its own id": "", "no txn": None, "another id": "x"}
        for text, appended in cases.items():
            fields = {"amount": "12.50", "currency": "EUR", "payee": "Krüger"}
            body = {"username": mira, "fields": fields}
            status, made, _ = request("POST", f"{ALPHA}/transactions?_action=create", body, as_shop)
            status, answer, _ = request("POST", f"{ALPHA}/authenticate?authIndexType=transaction&authIndexValue={made['_id']}", {})
            asked = outputs(answer["callbacks"][0])
            offer = asked["transaction"]
            check(asked["challenge"] == transaction_challenge(offer["fields"], offer["nonce"]), "the challenge is the transaction's")
            txn = None if appended is None else made["_id"] + appended
            jws = curve.jws(claims(sub, asked["challenge"], txn=txn))
            status, answer, _ = step(answer, jws=jws, clientError="")
            accepted = appended == "" or (plain and appended is None)
            status_read, verdict, _ = request("GET", f"{ALPHA}/transactions/{made['_id']}", headers=as_shop)
            expected = "approved" if accepted else "refused"
            check((status == 200) == accepted and verdict["state"] == expected, f"a proof with {text} (plain proofs {plain}): {expected}")
            check("tokenId" not in answer, "and no session")
            if not accepted:
                check(verdict["reason"] == "INVALID_CLAIM", "with the reason")
    check(signed_in(curve, sub), "and the server goes on")

    # authId
    answer, challenge = start_sign_in()
    good = json.loads(json.dumps(answer))
    fill(good["callbacks"][0], jws=curve.jws(claims(sub, challenge)), clientError="")
    for position in range(len(answer["authId"].split("."))):
        mangled = dict(good, authId=flip(answer["authId"], position))
        status, body, _ = authenticate(mangled)
        check(stale(status, body), f"an authId changed in part {position} is refused")
    status, body, _ = authenticate(dict(good, authId="nonsense"))
    check(stale(status, body), "an authId that never was is refused")
    status, body, _ = request("POST", "/json/realms/root/authenticate", good)
    check(stale(status, body), "an authId of another realm is refused")
    results = race(lambda: authenticate(good), 8)
    check(sorted(results)[0] == 200 and results.count(200) == 1, f"of eight equal answers at once exactly one wins: {sorted(results)}")
    status, body, _ = authenticate(good)
    check(refused(status, body), "a used authId is refused: its answer ended the run")

    # Bodies and addresses
    table = [
        ("not JSON", dict(raw=b"{nonsense"), 400),
        ("two JSON values", dict(raw=b"{}{}"), 400),
        ("duplicate members", dict(raw=b'{"a":1,"a":2}'), 400),
        ("invalid UTF-8", dict(raw=b'{"a":"\xff"}'), 400),
        ("deep nesting", dict(raw=b"[" * 100000), 400),
        ("10 MB", dict(raw=b'{"a":"' + b"x" * 10_000_000 + b'"}'), 413),
        ("text/plain", dict(raw=b"{}", headers={"Content-Type": "text/plain"}), 415),
    ]
    for text, options, expected in table:
        try:
            status, body, _ = request("POST", f"{ALPHA}/authenticate", **options)
        except (BrokenPipeError, ConnectionResetError):
            status, body = 413, {"code": 413}
        check(status == expected and (body or {}).get("code") == expected, f"a body with {text} answers {expected}: {status}")
    for text, method, path, expected in [
        ("a wrong method", "GET", f"{ALPHA}/authenticate", 405),
        ("an unknown realm", "POST", "/json/realms/root/realms/omega/authenticate", 404),
        ("an unknown journey", "POST", f"{ALPHA}/authenticate?authIndexType=service&authIndexValue=Nope", 400),
        ("an unknown path", "GET", "/json/nowhere", 404),
    ]:
        status, body, _ = request(method, path, {} if method == "POST" else None)
        check(status == expected and body["code"] == expected, f"{text} answers {expected}: {status}")

    # Deleting
    status, answer, _ = request("DELETE", f"{devices}/{curve.kid}", headers=as_mira)
    check(status == 200, "a device is deleted")
    check(not signed_in(curve, sub), "its signatures are refused from then on")
    check(signed_in(modulus, sub), "the other device still signs in")
    status, answer, _ = request("POST", f"{ALPHA}/sessions?_action=logout", {}, {**as_mira, "Accept-API-Version": "resource=3.1, protocol=1.0"})
    check(status == 200, "the user signs off")
    status, _, _ = request("GET", f"{devices}?_queryFilter=true", headers=as_mira)
    check(status == 401, "the session has ended")
    status, _, _ = request("DELETE", f"{ALPHA}/users/{mira}", headers=as_admin)
    check(status == 200, "the user is deleted")
    check(not signed_in(modulus, sub), "with the devices")
    status, body, _ = request("GET", "/health")
    check(status == 200, "the server is in good health")


def transaction_challenge(fields, nonce):
    """As docs/transactions.md has it."""
    form = b"sealring.transaction.v1\0"
    for name in ["amount", "currency", "payee", "account", "text"]:
        if name in fields:
            for part in (name.encode(), fields[name].encode()):
                form += struct.pack(">I", len(part)) + part
    nonce = base64.urlsafe_b64decode(nonce + "=" * (-len(nonce) % 4))
    return base64.b64encode(hashlib.sha256(form + nonce).digest()).decode()


def flip(token, part):
    parts = token.split(".")
    text = parts[part]
    if not text:
        parts[part] = "AAAA"
    else:
        middle = len(text) // 2
        parts[part] = text[:middle] + ("A" if text[middle] != "A" else "B") + text[middle + 1 :]
    return ".".join(parts)


def swap_payload(token, payload):
    parts = token.split(".")
    parts[1] = b64u(json.dumps(payload).encode())
    return ".".join(parts)


def none_token(payload, kid):
    return b64u(json.dumps({"alg": "none", "kid": kid}).encode()) + "." + b64u(json.dumps(payload).encode()) + "."


def hmac_token(payload, key):
    import hmac

    signed = b64u(json.dumps({"alg": "HS256", "kid": key.kid}).encode()) + "." + b64u(json.dumps(payload).encode())
    secret = json.dumps(key.jwk).encode()
    return signed + "." + b64u(hmac.new(secret, signed.encode(), hashlib.sha256).digest())


def duplicate_members(key, sub, challenge):
    payload = json.dumps(claims(sub, challenge))[:-1] + ', "iss": "com.example.other"}'
    signed = b64u(json.dumps({"alg": "ES256", "kid": key.kid}).encode()) + "." + b64u(payload.encode())
    return signed + "." + b64u(key.signature(signed.encode()))


def race(action, count):
    statuses, barrier = [], threading.Barrier(count)

    def run():
        barrier.wait()
        statuses.append(action()[0])

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return statuses


main()
print(f"{'all checks passed' if failures == 0 else f'{failures} checks failed'}")
sys.exit(1 if failures else 0)
