"""What the OpenID Connect tests share: a client of plain HTTP, a person with a password, and checks.

The discovery document decides every address; nothing here knows a path of Sealring's, but for the journey by which the person
signs in. Keys and tokens are PyJWT's and Authlib's.
"""

import base64
import hashlib
import http.client
import json
import os
import secrets
import sys
import time
import urllib.parse

import jwt
from cryptography.hazmat.primitives.asymmetric import ec

failures = 0


def check(condition, text):
    """Prints one line, and remembers a failure."""
    global failures
    print(("ok    " if condition else "FAIL  ") + text, flush=True)
    if not condition:
        failures += 1
    return bool(condition)


def finish():
    print("all checks passed" if failures == 0 else f"{failures} checks failed")
    sys.exit(1 if failures else 0)


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.text = response.read(1 << 20).decode("utf-8", "replace")
        try:
            self.json = json.loads(self.text)
        except ValueError:
            self.json = None

    def __getitem__(self, name):
        return (self.json or {}).get(name)


def send(method, url, form=None, body=None, headers=None):
    """Sends a request and follows nothing."""
    parts = urllib.parse.urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=60)
    sent = dict(headers or {})
    data = None
    if form is not None:
        data = urllib.parse.urlencode(form)
        sent["Content-Type"] = "application/x-www-form-urlencoded"
    elif body is not None:
        data = json.dumps(body)
        sent["Content-Type"] = "application/json"
    target = (parts.path or "/") + ("?" + parts.query if parts.query else "")
    try:
        connection.request(method, target, body=data, headers=sent)
        answer = Answer(connection.getresponse())
    finally:
        connection.close()
    if answer.status >= 500:
        check(False, f"{method} {parts.path} answered {answer.status}: {answer.text[:200]!r}")
    return answer


def with_query(url, parameters):
    return url + ("&" if "?" in url else "?") + urllib.parse.urlencode(parameters)


def redirect_parameters(answer, redirect_uri):
    """The parameters of a redirect to the client; None when it is not one."""
    location = answer.headers.get("location", "")
    if answer.status not in (302, 303) or not location.startswith(redirect_uri + "?"):
        return None
    return dict(urllib.parse.parse_qsl(location.split("?", 1)[1]))


def b64u(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Pkce:
    def __init__(self):
        self.verifier = secrets.token_urlsafe(48)
        self.challenge = b64u(hashlib.sha256(self.verifier.encode()).digest())


class ProofKey:
    """A key for DPoP (RFC 9449)."""

    def __init__(self):
        self.private = ec.generate_private_key(ec.SECP256R1())
        numbers = self.private.public_key().public_numbers()
        self.jwk = {
            "kty": "EC", "crv": "P-256", "x": b64u(numbers.x.to_bytes(32, "big")), "y": b64u(numbers.y.to_bytes(32, "big"))
        }
        canonical = json.dumps(self.jwk, sort_keys=True, separators=(",", ":"))
        self.thumbprint = b64u(hashlib.sha256(canonical.encode()).digest())
        self.nonce = None

    def proof(self, method, url, token=None, **changes):
        claims = {"jti": secrets.token_urlsafe(16), "htm": method, "htu": url.split("?")[0], "iat": int(time.time())}
        if token:
            claims["ath"] = b64u(hashlib.sha256(token.encode()).digest())
        if self.nonce:
            claims["nonce"] = self.nonce
        claims.update(changes)
        return jwt.encode(claims, self.private, algorithm="ES256", headers={"typ": "dpop+jwt", "jwk": self.jwk})

    def send(self, method, url, form=None, token=None, headers=None):
        """A request with a proof; once more when the server wants its nonce."""
        for _ in range(2):
            sent = dict(headers or {}, DPoP=self.proof(method, url, token))
            if token:
                sent["Authorization"] = f"DPoP {token}"
            answer = send(method, url, form=form, headers=sent)
            new = answer.headers.get("dpop-nonce")
            asked = answer["error"] == "use_dpop_nonce" or "use_dpop_nonce" in answer.headers.get("www-authenticate", "")
            if new is not None:
                self.nonce = new
            if not (asked and new):
                break
        return answer


class Provider:
    """The provider at an issuer, as its discovery document describes it."""

    def __init__(self, issuer):
        answer = send("GET", issuer + "/.well-known/openid-configuration")
        self.metadata = answer.json or {}
        check(answer.status == 200 and self["issuer"] == issuer, "the discovery document names its issuer")
        self.keys = jwt.PyJWKSet.from_dict(send("GET", self["jwks_uri"]).json)

    def __getitem__(self, name):
        return self.metadata.get(name)

    def id_token(self, token, audience, **options):
        """The claims of an ID token that PyJWT accepts."""
        header = jwt.get_unverified_header(token)
        key = next(key for key in self.keys.keys if key.key_id == header["kid"])
        required = ["iss", "sub", "aud", "exp", "iat"]
        return jwt.decode(
            token, key.key, algorithms=["ES256", "RS256"], audience=audience, issuer=self["issuer"],
            options={"require": required}, **options)


class Person:
    """Somebody who signs in with a password by a journey, in a browser that keeps one cookie."""

    def __init__(self, base, realm, name, password):
        self.base, self.realm, self.name, self.password = base, realm, name, password
        self.cookie = os.environ.get("SEALRING_COOKIE", "iPlanetDirectoryPro")
        self.session = None

    def sign_in(self):
        answer = send(
            "POST", f"{self.base}/json/realms/root/realms/{self.realm}/authenticate", body={},
            headers={
                "X-OpenAM-Username": self.name, "X-OpenAM-Password": self.password,
                "Accept-API-Version": "resource=2.1, protocol=1.0",
            })
        self.session = answer["tokenId"]
        return check(bool(self.session), f"{self.name} signs in")

    @property
    def headers(self):
        return {"Cookie": f"{self.cookie}={self.session}"} if self.session else {}
