#!/usr/bin/env python3
"""Authenticators that share no code with Sealring register and sign in: soft-webauthn, and three algorithms built with python fido2.

Usage: webauthn_over_http.py BASE_URL   (for example http://127.0.0.1:8080/am)
The server has a journey TouchSignIn: the bundled WebAuthnSignIn with PREFERRED for REQUIRED.
The password of amAdmin comes from SEALRING_ADMIN_PASSWORD. Prints one line per check; exits 1 when one failed.
Needs `pip install soft-webauthn fido2`.
"""

import base64
import http.client
import json
import os
import sys
import urllib.parse

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from fido2.cose import ES256, RS256, EdDSA
from fido2.webauthn import (
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)
from soft_webauthn import SoftWebauthnDevice

BASE = urllib.parse.urlparse(sys.argv[1])
ALPHA = "/json/realms/root/realms/alpha"
# Where browsers take part in a server on loopback.
RP_ID = "localhost"
ORIGIN = f"http://localhost:{BASE.port}"
FLAG = AuthenticatorData.FLAG
failures = 0


def request(method, path, body=None, headers=None):
    connection = http.client.HTTPConnection(BASE.hostname, BASE.port, timeout=60)
    sent = {
        "Accept-API-Version": "resource=2.1, protocol=1.0",
        "Origin": ORIGIN,
        "Host": f"localhost:{BASE.port}",
    }
    data = None if body is None else json.dumps(body).encode()
    if data is not None:
        sent["Content-Type"] = "application/json"
    sent.update(headers or {})
    try:
        connection.request(method, BASE.path + path, body=data, headers=sent)
        response = connection.getresponse()
        text = response.read()
    finally:
        connection.close()
    if response.status >= 500:
        check(False, f"{method} {path} answered {response.status}: {text[:200]!r}")
    return response.status, json.loads(text)


def check(condition, text):
    global failures
    print(("ok    " if condition else "FAIL  ") + text, flush=True)
    if not condition:
        failures += 1


def int8(data):
    return ",".join(str(b - 256 if b > 127 else b) for b in data)


def b64u(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def start(journey, headers=None):
    return request(
        "POST", f"{ALPHA}/authenticate?authIndexType=service&authIndexValue={journey}", {}, headers
    )[1]


def start_known(name, journey="WebAuthnSignIn"):
    step = start(journey)
    step["callbacks"][0]["input"][0]["value"] = name
    return request("POST", f"{ALPHA}/authenticate", step)[1]


def options(step):
    return step["callbacks"][0]["output"][0]["value"]


def answer(step, outcome):
    step = json.loads(json.dumps(step))
    step["callbacks"][1]["input"][0]["value"] = outcome
    return request("POST", f"{ALPHA}/authenticate", step)


def register(name, create, get=None):
    """Runs WebAuthnRegister to its end, after the passkey of `get` that the account has already; the last status."""
    step = start(
        "WebAuthnRegister", {"X-OpenAM-Username": name, "X-OpenAM-Password": "correct horse 1"}
    )
    if get:
        check(options(step)["_action"] == "webauthn_authentication", "the account's own passkey is asked for first")
        step = answer(step, assertion(step, get, False))[1]
    sent = options(step)
    check(sent["_relyingPartyId"] == RP_ID, "the relying party's id is the server's own name")
    response = create(
        {
            "publicKey": {
                "challenge": base64.b64decode(sent["challenge"]),
                "rp": {"id": sent["_relyingPartyId"], "name": sent["relyingPartyName"]},
                "user": {"id": sent["userId"].encode()},
                "pubKeyCredParams": sent["_pubKeyCredParams"],
                "attestation": sent["attestationPreference"],
            }
        },
        ORIGIN,
    )
    parts = [
        response["response"]["clientDataJSON"].decode(),
        int8(response["response"]["attestationObject"]),
        b64u(response["rawId"]),
        "Device of a test",
    ]
    status, codes = answer(step, "::".join(parts))
    if status != 200:
        return status
    check(codes["callbacks"][0]["type"] == "TextOutputCallback", "recovery codes are shown")
    return request("POST", f"{ALPHA}/authenticate", codes)[0]


def assertion(step, get, with_handle):
    sent = options(step)
    response = get(
        {
            "publicKey": {
                "challenge": base64.b64decode(sent["challenge"]),
                "rpId": sent["_relyingPartyId"],
                "allowCredentials": sent["_allowCredentials"],
            }
        },
        ORIGIN,
    )
    parts = [
        response["response"]["clientDataJSON"].decode(),
        int8(response["response"]["authenticatorData"]),
        int8(response["response"]["signature"]),
        b64u(response["rawId"]),
    ]
    if with_handle:
        parts.append(response["response"]["userHandle"].decode())
    # The newer form of the answer, which browsers send.
    return json.dumps({"authenticatorAttachment": "platform", "legacyData": "::".join(parts)})


class FIDO2Device:
    """One credential, with what python fido2 encodes and attests itself."""

    def __init__(self, algorithm):
        self.algorithm = algorithm
        self.id = os.urandom(48)
        self.count = 0
        if algorithm == "ES256":
            self.key = ec.generate_private_key(ec.SECP256R1())
            self.public = ES256.from_cryptography_key(self.key.public_key())
        elif algorithm == "EdDSA":
            self.key = ed25519.Ed25519PrivateKey.generate()
            self.public = EdDSA.from_cryptography_key(self.key.public_key())
        else:
            self.key = rsa.generate_private_key(65537, 2048)
            self.public = RS256.from_cryptography_key(self.key.public_key())

    def sign(self, data):
        if self.algorithm == "ES256":
            return self.key.sign(data, ec.ECDSA(hashes.SHA256()))
        if self.algorithm == "EdDSA":
            return self.key.sign(data)
        return self.key.sign(data, padding.PKCS1v15(), hashes.SHA256())

    def create(self, options, origin):
        asked = options["publicKey"]
        self.handle = asked["user"]["id"]
        client = CollectedClientData.create("webauthn.create", asked["challenge"], origin)
        data = AuthenticatorData.create(
            hash_of(asked["rp"]["id"]),
            FLAG.UP | FLAG.UV | FLAG.AT,
            self.count,
            AttestedCredentialData.create(b"\0" * 16, self.id, self.public),
        )
        statement = {"alg": self.public[3], "sig": self.sign(data + client.hash)}
        return {
            "rawId": self.id,
            "response": {
                "clientDataJSON": bytes(client),
                "attestationObject": bytes(AttestationObject.create("packed", data, statement)),
            },
        }

    def get(self, options, origin):
        self.count += 1
        asked = options["publicKey"]
        client = CollectedClientData.create("webauthn.get", asked["challenge"], origin)
        data = AuthenticatorData.create(hash_of(asked["rpId"]), FLAG.UP | FLAG.UV, self.count)
        return {
            "rawId": self.id,
            "response": {
                "clientDataJSON": bytes(client),
                "authenticatorData": bytes(data),
                "signature": self.sign(data + client.hash),
                "userHandle": self.handle,
            },
        }


def hash_of(rp_id):
    digest = hashes.Hash(hashes.SHA256())
    digest.update(rp_id.encode())
    return digest.finalize()


status, administrator = request(
    "POST",
    "/json/realms/root/authenticate",
    {},
    {"X-OpenAM-Username": "amAdmin", "X-OpenAM-Password": os.environ["SEALRING_ADMIN_PASSWORD"]},
)
token = {"iPlanetDirectoryPro": administrator["tokenId"]}
for name in ["mira", "otto", "ines"]:
    status, _ = request(
        "POST", f"{ALPHA}/users?_action=create", {"username": name, "userpassword": "correct horse 1"}, token
    )
    check(status == 201, f"{name} has an account")

soft = SoftWebauthnDevice()
check(register("mira", soft.create) == 200, "soft-webauthn registers")
for number in range(3):
    step = start_known("mira", "TouchSignIn")
    value = assertion(step, soft.get, False)
    status, body = answer(step, value)
    check(status == 200 and "tokenId" in body, f"soft-webauthn signs in ({number + 1})")
check(answer(step, value)[0] == 401, "the same answer again is refused")
check(answer(start_known("mira", "TouchSignIn"), value)[0] == 401, "so it is as the answer to another challenge")
for step in [start("Usernameless"), start_known("mira")]:
    check(
        answer(step, assertion(step, soft.get, True))[0] == 401,
        "it verifies nobody, and is refused where that is required",
    )
soft.sign_count = 0
step = start_known("mira", "TouchSignIn")
check(answer(step, assertion(step, soft.get, False))[0] == 401, "a counter that went back is refused")

device = None
for algorithm in ["ES256", "EdDSA", "RS256"]:
    earlier, device = device, FIDO2Device(algorithm)
    check(register("otto", device.create, earlier and earlier.get) == 200, f"fido2 registers with {algorithm}")
    step = start_known("otto")
    status, body = answer(step, assertion(step, device.get, False))
    check(status == 200 and "tokenId" in body, f"fido2 signs in with {algorithm}")
    step = start("Usernameless")
    status, body = answer(step, assertion(step, device.get, True))
    check(status == 200 and "tokenId" in body, f"fido2 signs in with {algorithm} without a name")
    check(register("ines", device.create) == 401, "its credential cannot be registered for somebody else")

status, devices = request("GET", f"{ALPHA}/users/otto/devices/2fa/webauthn?_queryFilter=true", None, token)
check(status == 200 and devices["resultCount"] == 3, "three devices are listed")
names = {device["deviceName"] for device in devices["result"]}
check(names == {"Device of a test"}, "under the name that they were given")

if failures:
    sys.exit(f"{failures} checks failed")
print("all checks passed")
