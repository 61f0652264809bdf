"""Reads a Web Push message as the receiver, and checks who sent it, with nothing but Python and python3-cryptography.

It knows RFC 8291 and RFC 8188 (the encryption), RFC 8292 (the sender's token) and the headers of RFC 8030.

Usage: web_push_decrypt.py < request.json > message

request.json has `endpoint`; `headers` with names in lower case; `body`; the receiver's `privateKey` (32 bytes) and `auth`;
`applicationServerKey`, for which the receiver subscribed; and `now`, in seconds. Bytes are in Base64url. Exit code 1 and a
sentence when anything is not as the standards have it.
"""
import base64
import json
import re
import sys
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

CURVE = ec.SECP256R1()


class Wrong(Exception):
    pass


def need(condition, text):
    if not condition:
        raise Wrong(text)


def decode(text):
    need(re.fullmatch(r"[A-Za-z0-9_-]*", text), "this is not valid Base64url without padding")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def hkdf(salt, secret, info, length):
    return HKDF(algorithm=hashes.SHA256(), length=length, salt=salt, info=info).derive(secret)


def point(key):
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def decrypt(body, key, auth):
    # RFC 8188 §2.1: salt, record size, and the sender's key as the key id (RFC 8291 §4).
    salt, size, length = body[:16], int.from_bytes(body[16:20], "big"), body[20]
    need(length == 65, "the key id is not an uncompressed point")
    sender, record = body[21:86], body[86:]
    need(len(auth) == 16, "the authentication secret has not 16 bytes")
    need(18 <= len(record) <= size, "RFC 8291 has one record, of at most the record size")
    need(len(body) <= 4096, "push services need not take more than 4096 bytes")
    # RFC 8291 §3.4.
    shared = key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, sender))
    info = b"WebPush: info\0" + point(key.public_key()) + sender
    ikm = hkdf(auth, shared, info, 32)
    content_key = hkdf(salt, ikm, b"Content-Encoding: aes128gcm\0", 16)
    # The number of the record is 0, so the nonce is as derived.
    nonce = hkdf(salt, ikm, b"Content-Encoding: nonce\0", 12)
    try:
        padded = AESGCM(content_key).decrypt(nonce, record, None)
    except InvalidTag:
        raise Wrong("the body was not encrypted for this receiver, or was changed") from None
    text = padded.rstrip(b"\0")
    need(text.endswith(b"\x02"), "the last record does not end as one")
    return text[:-1]


def check_sender(authorization, endpoint, server_key, now):
    # RFC 8292 §3: the token, and the key that it is signed with.
    match = re.fullmatch(r"vapid +t=([^, ]+) *, *k=([^, ]+)", authorization, re.IGNORECASE)
    need(match, "the authorization is not of the scheme vapid")
    token, key = match.groups()
    need(decode(key) == server_key, "the sender's key is not the one of the subscription (§4.2)")
    signed, _, signature = token.rpartition(".")
    header, claims = (json.loads(decode(part)) for part in signed.split("."))
    need(header.get("alg") == "ES256", "the token is not signed with ES256 (§2)")
    raw = decode(signature)
    need(len(raw) == 64, "an ES256 signature has 64 bytes")
    der = utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    public = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, server_key)
    try:
        public.verify(der, signed.encode(), ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        raise Wrong("the token's signature is wrong") from None
    parts = urlsplit(endpoint)
    need(claims.get("aud") == f"{parts.scheme}://{parts.netloc}", "the token is for another origin")
    need(isinstance(claims.get("exp"), (int, float)), "the token has no end")
    need(now < claims["exp"] <= now + 24 * 3600, "the token has ended, or lives for more than a day")
    need(re.match("mailto:|https:", claims.get("sub", "mailto:")), "the contact is neither mailto nor https")


def check_headers(headers):
    # RFC 8030 §5.2 to §5.4, RFC 8291 §4.
    need(headers.get("content-encoding") == "aes128gcm", "the content encoding is not aes128gcm")
    need(re.fullmatch(r"[0-9]+", headers.get("ttl", "")), "TTL is not a number of seconds")
    need(headers.get("urgency", "normal") in ("very-low", "low", "normal", "high"), "urgency is unknown")
    need(re.fullmatch(r"[A-Za-z0-9_-]{1,32}", headers.get("topic", "x")), "the topic is not Base64url")


def main():
    request = json.load(sys.stdin)
    headers = request["headers"]
    check_headers(headers)
    check_sender(
        headers.get("authorization", ""), request["endpoint"], decode(request["applicationServerKey"]),
        request["now"])
    key = ec.derive_private_key(int.from_bytes(decode(request["privateKey"]), "big"), CURVE)
    sys.stdout.buffer.write(decrypt(decode(request["body"]), key, decode(request["auth"])))


try:
    main()
except Wrong as error:
    sys.exit(str(error))
