#!/usr/bin/env python3
"""Has two other implementations verify what Sealring's authenticator answered.

    webauthn_authenticator.py CEREMONIES.json

The file is written by the tests of WebAuthnAuthenticator. `fido2` (Yubico) checks attestation statement and assertion signature,
`webauthn` (Duo) the whole ceremony. Both come from PyPI: `scripts/bootstrap --test` puts them into .build/python. Ends with status 1
and the reason when one of them refuses.
"""

import base64
import hashlib
import json
import sys

import webauthn
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


def check(ceremony, file):
    root = decode(file["root"]) if "root" in file else None
    attested = AttestationObject(decode(ceremony["attestationObject"]))
    client_hash = hashlib.sha256(decode(ceremony["clientDataCreate"])).digest()
    result = VERIFIERS[attested.fmt]().verify(attested.att_stmt, attested.auth_data, client_hash)
    if root:
        assert result.trust_path, "the statement has no certificates"
        load_der_x509_certificate(result.trust_path[0]).verify_directly_issued_by(load_der_x509_certificate(root))
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
    assert registration.fmt.value == ceremony["format"], registration.fmt
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


def main():
    file = json.loads(open(sys.argv[1], encoding="utf-8").read())
    assert file["ceremonies"], "there is nothing to verify"
    for ceremony in file["ceremonies"]:
        check(ceremony, file)
        print(f"{ceremony['format']}: accepted by fido2 and webauthn")


if __name__ == "__main__":
    main()
