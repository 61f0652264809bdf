#!/usr/bin/env python3
"""Makes webauthn-more-vectors.json: ceremonies as real authenticators play them and the specification's vectors do not.

    pip install cryptography
    Tests/Interoperability/make_webauthn_vectors.py

Written with python's `cryptography` and by hand, so that nothing of Sealring judges what Sealring made. Keys are new at each run. The chain
of the two tpm vectors is built as Microsoft builds those of Windows Hello: a root, an authority per maker of chips, and an attestation key
without subject, the last two with critical certificate policies; the registered key is RSA with the attributes that Windows gives it.
"""

import base64
import datetime
import hashlib
import json
import os
import pathlib
import struct

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ed448, mldsa, padding, rsa

HERE = pathlib.Path(__file__).parent
RP, ORIGIN = "example.org", "https://example.org"
START = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
END = datetime.datetime(2056, 1, 1, tzinfo=datetime.timezone.utc)


def cbor(value):
    def head(major, number):
        if number < 24:
            return bytes([major << 5 | number])
        for info, size in ((24, ">B"), (25, ">H"), (26, ">I")):
            if number < 1 << (8 * struct.calcsize(size)):
                return bytes([major << 5 | info]) + struct.pack(size, number)

    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(cbor, value))
    return head(5, len(value)) + b"".join(cbor(key) + cbor(item) for key, item in value.items())


def sized(data):
    return struct.pack(">H", len(data)) + data


def number(value):
    return value.to_bytes((value.bit_length() + 7) // 8, "big")


def client_data(kind, challenge):
    text = base64.urlsafe_b64encode(challenge).decode().rstrip("=")
    return json.dumps({"type": kind, "challenge": text, "origin": ORIGIN, "crossOrigin": False}, separators=(",", ":")).encode()


def vector(name, cose, sign, statement):
    """A registration and an authentication. `statement` makes format and members from what is attested."""
    challenge, aaguid, identifier = os.urandom(32), os.urandom(16), os.urandom(32)
    made = client_data("webauthn.create", challenge)
    data = hashlib.sha256(RP.encode()).digest() + b"\x45" + bytes(4) + aaguid + sized(identifier) + cbor(cose)
    form, members = statement(data + hashlib.sha256(made).digest())
    second = os.urandom(32)
    got = client_data("webauthn.get", second)
    answer = hashlib.sha256(RP.encode()).digest() + b"\x05" + bytes(4)
    return {
        "name": name,
        "registration": {
            "challenge": challenge.hex(), "aaguid": aaguid.hex(), "credential_id": identifier.hex(), "clientDataJSON": made.hex(),
            "attestationObject": cbor({"fmt": form, "attStmt": members, "authData": data}).hex(),
        },
        "authentication": {
            "challenge": second.hex(), "authenticatorData": answer.hex(), "clientDataJSON": got.hex(),
            "signature": sign(answer + hashlib.sha256(got).digest()).hex(),
        },
    }


class Chain:
    """Root, authority, and attestation key, as below Microsoft's root of TPMs."""

    # Shown with 1.3.6.1.4.1.311.21.31.
    notice = "TCPA  Trusted  Platform  Identity".encode("utf-16-be")

    def __init__(self):
        self.root_key, self.middle_key, self.key = (rsa.generate_private_key(65537, 2048) for _ in range(3))
        root, middle = self.name("Vectors TPM Root"), self.name("Vectors TPM Maker")
        self.root = self.certify(root, root, self.root_key, self.root_key, self.authority(None))
        self.middle = self.certify(middle, root, self.middle_key, self.root_key, self.authority(0) + [(self.policies(), True)])
        names = x509.DirectoryName(x509.Name([x509.RelativeDistinguishedName([
            x509.NameAttribute(x509.ObjectIdentifier("2.23.133.2." + last), text)
            for last, text in (("1", "id:4E544300"), ("2", "NPCT6xx"), ("3", "id:13"))])]))
        usage = x509.KeyUsage(True, *[False] * 8)
        self.leaf = self.certify(x509.Name([]), middle, self.key, self.middle_key, [
            (usage, True), (x509.BasicConstraints(False, None), True), (self.policies(), True),
            (x509.ExtendedKeyUsage([x509.ObjectIdentifier("2.23.133.8.3")]), False),
            (x509.SubjectAlternativeName([names]), True)])

    @staticmethod
    def name(text):
        return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])

    @staticmethod
    def authority(length):
        usage = x509.KeyUsage(True, False, False, False, False, True, True, False, False)
        return [(x509.BasicConstraints(True, length), True), (usage, True)]

    @classmethod
    def policies(cls):
        def tlv(tag, content):
            return bytes([tag, len(content)]) + content if len(content) < 128 else bytes([tag, 0x81, len(content)]) + content

        notice = tlv(0x30, tlv(0x1E, cls.notice))
        qualifier = tlv(0x30, bytes.fromhex("06082b06010505070202") + notice)
        policy = tlv(0x30, bytes.fromhex("06092b060104018237151f") + tlv(0x30, qualifier))
        return x509.UnrecognizedExtension(x509.ObjectIdentifier("2.5.29.32"), tlv(0x30, policy))

    @staticmethod
    def certify(subject, issuer, key, issuer_key, extensions):
        builder = x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number(), START, END)
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return builder.sign(issuer_key, hashes.SHA256()).public_bytes(serialization.Encoding.DER)

    def statement(self, credential, algorithm, digest):
        area = (
            # RSA, name by SHA-256, the attributes and the policy of a key of Windows Hello, no cipher, no scheme.
            bytes.fromhex("0001000b00060472") + sized(hashlib.sha256(b"policy").digest()) + bytes.fromhex("00100010080000000000")
            + sized(number(credential.public_key().public_numbers().n)))

        def make(signed):
            hashed = hashes.Hash(digest)
            hashed.update(signed)
            info = (
                bytes.fromhex("ff5443478017") + sized(b"\x00\x0b" + os.urandom(32)) + sized(hashed.finalize())
                + os.urandom(8) + bytes(8) + b"\x01" + os.urandom(8) + sized(b"\x00\x0b" + hashlib.sha256(area).digest())
                + sized(b"\x00\x0b" + os.urandom(32)))
            return "tpm", {
                "alg": algorithm, "sig": self.key.sign(info, padding.PKCS1v15(), digest), "ver": "2.0",
                "x5c": [self.leaf, self.middle], "pubArea": area, "certInfo": info}

        return make


def tpm(chain, name, algorithm, digest):
    key = rsa.generate_private_key(65537, 2048)
    cose = {1: 3, 3: -257, -1: number(key.public_key().public_numbers().n), -2: b"\x01\x00\x01"}
    return vector(
        name, cose, lambda data: key.sign(data, padding.PKCS1v15(), hashes.SHA256()), chain.statement(key, algorithm, digest))


def itself(name, cose, sign):
    return vector(name, cose, sign, lambda data: ("packed", {"alg": cose[3], "sig": sign(data)}))


chain = Chain()
edwards, lattice = ed448.Ed448PrivateKey.generate(), mldsa.MLDSA65PrivateKey.generate()
content = {
    "source": "made by make_webauthn_vectors.py; numbers in hexadecimal",
    "rpId": RP, "origin": ORIGIN, "attestationRoot": chain.root.hex(),
    "vectors": [
        tpm(chain, "tpm.RS1", -65535, hashes.SHA1()),
        tpm(chain, "tpm.RS256", -257, hashes.SHA256()),
        itself("packed-self.Ed448", {1: 1, 3: -53, -1: 7, -2: edwards.public_key().public_bytes_raw()}, edwards.sign),
        itself("packed-self.ML-DSA-65", {1: 7, 3: -49, -1: lattice.public_key().public_bytes_raw()}, lattice.sign),
    ],
}
(HERE / "webauthn-more-vectors.json").write_text(json.dumps(content, indent=1) + "\n")
