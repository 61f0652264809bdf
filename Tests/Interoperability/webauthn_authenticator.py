#!/usr/bin/env python3
"""Has two other implementations verify what Sealring's authenticator answered.

    webauthn_authenticator.py CEREMONIES.json

The file is written by the tests of WebAuthnAuthenticator. `fido2` (Yubico) checks attestation statement and assertion signature,
`webauthn` (Duo) the whole ceremony; statements of TPMs are also checked here, without either. Both come from PyPI:
`scripts/verifiers` puts them into .build/verifiers. Ends with status 1 and the reason when one of them refuses.
"""

import base64
import hashlib
import json
import sys

import webauthn
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import load_der_x509_certificate
from fido2 import attestation as fido2_attestation
from fido2 import cbor
from fido2.webauthn import AttestationObject, AuthenticatorData
from webauthn.helpers.structs import AttestationFormat


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


VERIFIERS = {
    "none": fido2_attestation.NoneAttestation,
    "packed": fido2_attestation.PackedAttestation,
    "tpm": fido2_attestation.TpmAttestation,
}


def check_fido2(attested, client_hash, root):
    result = VERIFIERS[attested.fmt]().verify(attested.att_stmt, attested.auth_data, client_hash)
    if root:
        assert result.trust_path, "the statement has no certificates"
        issuer = load_der_x509_certificate(root)
        load_der_x509_certificate(result.trust_path[0]).verify_directly_issued_by(issuer)


def check_tpm(attested, client_hash, root):
    """The statement of a TPM by the specification's words (WebAuthn L3 §8.3; TPM 2.0 Library, Part 2, §10.12.12 and §12.2.4)."""
    statement, data = attested.att_stmt, attested.auth_data
    certificate = load_der_x509_certificate(statement["x5c"][0])
    certificate.verify_directly_issued_by(load_der_x509_certificate(root))
    info, area = statement["certInfo"], statement["pubArea"]
    certificate.public_key().verify(statement["sig"], info, ec.ECDSA(hashes.SHA256()))

    rest = info
    def take(count):
        nonlocal rest
        taken, rest = rest[:count], rest[count:]
        assert len(taken) == count
        return taken
    def sized():
        return take(int.from_bytes(take(2), "big"))

    assert take(6) == bytes.fromhex("ff544347" "8017"), "certInfo is not a TPMS_ATTEST of TPM2_Certify"
    sized()  # The signer, which is the certificate's key.
    assert sized() == hashlib.sha256(bytes(data) + client_hash).digest(), "certInfo is of another registration"
    take(17 + 8)  # Clock and firmware.
    assert sized() == b"\x00\x0b" + hashlib.sha256(area).digest(), "certInfo certifies another key"
    key = data.credential_data.public_key
    assert area.endswith(b"\x00\x20" + key[-2] + b"\x00\x20" + key[-3]), "pubArea is another key than the credential's"


def check(ceremony, file):
    root = decode(file["root"]) if "root" in file else None
    attested = AttestationObject(decode(ceremony["attestationObject"]))
    client_hash = hashlib.sha256(decode(ceremony["clientDataCreate"])).digest()
    accepted = []
    if attested.fmt == "tpm":
        check_tpm(attested, client_hash, root)
        accepted.append("the specification's words")
    check_fido2(attested, client_hash, root)
    accepted.append("fido2")
    data = decode(ceremony["authenticatorData"])
    assert AuthenticatorData(data).rp_id_hash == hashlib.sha256(file["rpId"].encode()).digest()
    key = attested.auth_data.credential_data.public_key
    key.verify(data + hashlib.sha256(decode(ceremony["clientDataGet"])).digest(), decode(ceremony["signature"]))

    pem = [load_der_x509_certificate(root).public_bytes(Encoding.PEM)] if root else []
    ids = {"id": ceremony["id"], "rawId": ceremony["id"], "type": "public-key"}
    expected = {
        "expected_challenge": decode(file["challenge"]),
        "expected_rp_id": file["rpId"],
        "expected_origin": file["origin"],
        "require_user_verification": attested.auth_data.is_user_verified(),
    }
    registration = webauthn.verify_registration_response(
        credential={
            **ids,
            "response": {
                "clientDataJSON": ceremony["clientDataCreate"],
                "attestationObject": ceremony["attestationObject"],
            },
        },
        pem_root_certs_bytes_by_fmt={name: pem for name in AttestationFormat},
        **expected,
    )
    assert getattr(registration.fmt, "value", registration.fmt) == ceremony["format"], registration.fmt
    accepted.append("webauthn")
    authentication = webauthn.verify_authentication_response(
        credential={
            **ids,
            "response": {
                "clientDataJSON": ceremony["clientDataGet"],
                "authenticatorData": ceremony["authenticatorData"],
                "signature": ceremony["signature"],
            },
        },
        credential_public_key=cbor.encode(dict(key)),
        credential_current_sign_count=0,
        **expected,
    )
    assert authentication.new_sign_count == 1, authentication.new_sign_count
    return "accepted by " + ", ".join(accepted)


def main():
    file = json.loads(open(sys.argv[1], encoding="utf-8").read())
    assert file["ceremonies"], "there is nothing to verify"
    for ceremony in file["ceremonies"]:
        print(f"{ceremony['format']}: {check(ceremony, file)}")


if __name__ == "__main__":
    main()
