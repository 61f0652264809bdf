#!/usr/bin/env python3
"""Runs the vectors that Sealring's tests run through two other implementations, and says where they agree.

    pip install fido2 webauthn
    Tests/Interoperability/webauthn_vectors.py

Each line names a vector and what `fido2` (Yubico) and `webauthn` (Duo) make of its registration and its authentication: `ok`, or why not.
Sealring accepts all of them (VectorTests, MoreVectorTests). Where another one refuses, EXPECTED says the known reason; anything else ends the
script with status 1.
"""

import hashlib
import json
import pathlib
import sys

try:
    import webauthn
    from cryptography.hazmat.primitives.serialization import Encoding
    from cryptography.x509 import load_der_x509_certificate
    from fido2 import attestation as fido2_attestation
    from fido2 import cbor
    from fido2.webauthn import AttestationObject, AuthenticatorData
    from webauthn.helpers import bytes_to_base64url
    from webauthn.helpers.cose import COSEAlgorithmIdentifier
    from webauthn.helpers.structs import AttestationFormat
except ImportError as error:
    print(f"Skipped: {error}. Run `pip install fido2 webauthn` first.")
    sys.exit(0)

HERE = pathlib.Path(__file__).parent

# Why one of the two refuses what the specification calls valid.
EXPECTED = {
    ("tpm.ES256", "fido2", "registration"): "its reader wants 0 or 1 where the vector has another clock flag",
    ("tpm.ES256", "webauthn", "registration"): "it knows no manufacturer 00000000",
    ("fido-u2f.ES256", "webauthn", "registration"): "it wants an AAGUID of zeros",
    ("packed.ES384", "webauthn", "registration"): "it does not know ES384",
    ("packed.ES384", "webauthn", "authentication"): "it does not know ES384",
    ("packed-self.Ed448", "webauthn", "registration"): "it does not know Ed448",
    ("packed-self.Ed448", "webauthn", "authentication"): "it does not know Ed448",
}


class FIDO2:
    """Attestation statement and assertion signature; the rest of the ceremony is the caller's."""

    verifiers = {
        "none": fido2_attestation.NoneAttestation,
        "packed": fido2_attestation.PackedAttestation,
        "fido-u2f": fido2_attestation.FidoU2FAttestation,
        "apple": fido2_attestation.AppleAttestation,
        "tpm": fido2_attestation.TpmAttestation,
    }

    def registration(self, vector, root):
        data = vector["registration"]
        attested = AttestationObject(data["attestationObject"])
        client_hash = hashlib.sha256(data["clientDataJSON"]).digest()
        result = self.verifiers[attested.fmt]().verify(attested.att_stmt, attested.auth_data, client_hash)
        chain = [load_der_x509_certificate(der) for der in [*(result.trust_path or []), root]]
        for certificate, issuer in zip(chain, chain[1:]):
            certificate.verify_directly_issued_by(issuer)
        assert attested.auth_data.credential_data.credential_id == data["credential_id"]

    def authentication(self, vector, relying_party):
        attested = AttestationObject(vector["registration"]["attestationObject"])
        data = vector["authentication"]
        asserted = AuthenticatorData(data["authenticatorData"])
        assert asserted.rp_id_hash == hashlib.sha256(relying_party["rpId"].encode()).digest()
        attested.auth_data.credential_data.public_key.verify(
            data["authenticatorData"] + hashlib.sha256(data["clientDataJSON"]).digest(), data["signature"]
        )


class WebAuthn:
    """The whole ceremony, with the vectors' root trusted for every format."""

    def registration(self, vector, root, relying_party):
        data = vector["registration"]
        pem = load_der_x509_certificate(root).public_bytes(Encoding.PEM)
        return webauthn.verify_registration_response(
            credential={
                "id": bytes_to_base64url(data["credential_id"]),
                "rawId": bytes_to_base64url(data["credential_id"]),
                "type": "public-key",
                "response": {
                    "clientDataJSON": bytes_to_base64url(data["clientDataJSON"]),
                    "attestationObject": bytes_to_base64url(data["attestationObject"]),
                },
            },
            expected_challenge=data["challenge"],
            expected_rp_id=relying_party["rpId"],
            expected_origin=relying_party["origin"],
            supported_pub_key_algs=list(COSEAlgorithmIdentifier),
            pem_root_certs_bytes_by_fmt={name: [pem] for name in AttestationFormat},
        )

    def authentication(self, vector, relying_party):
        registration, data = vector["registration"], vector["authentication"]
        key = AttestationObject(registration["attestationObject"]).auth_data.credential_data.public_key
        webauthn.verify_authentication_response(
            credential={
                "id": bytes_to_base64url(registration["credential_id"]),
                "rawId": bytes_to_base64url(registration["credential_id"]),
                "type": "public-key",
                "response": {
                    "clientDataJSON": bytes_to_base64url(data["clientDataJSON"]),
                    "authenticatorData": bytes_to_base64url(data["authenticatorData"]),
                    "signature": bytes_to_base64url(data["signature"]),
                },
            },
            expected_challenge=data["challenge"],
            expected_rp_id=relying_party["rpId"],
            expected_origin=relying_party["origin"],
            credential_public_key=cbor.encode(dict(key)),
            credential_current_sign_count=0,
        )


def result(check, *arguments):
    try:
        check(*arguments)
        return None
    except Exception as error:  # Whatever another implementation throws is its answer.
        return f"{type(error).__name__}: {error}".splitlines()[0][:120]


def judge(file):
    """How many answers agree, refuse for a known reason, and refuse for none."""
    root = bytes.fromhex(file["attestationRoot"])
    fido2, duo = FIDO2(), WebAuthn()
    agreed = refused = surprising = 0
    for vector in file["vectors"]:
        for ceremony in ("registration", "authentication"):
            vector[ceremony] = {name: bytes.fromhex(text) for name, text in vector[ceremony].items()}
        answers = {
            ("fido2", "registration"): result(fido2.registration, vector, root),
            ("fido2", "authentication"): result(fido2.authentication, vector, file),
            ("webauthn", "registration"): result(duo.registration, vector, root, file),
            ("webauthn", "authentication"): result(duo.authentication, vector, file),
        }
        for (name, ceremony), answer in answers.items():
            expected = EXPECTED.get((vector["name"], name, ceremony))
            if answer is None:
                agreed += 1
                note = "ok"
            elif expected:
                refused += 1
                note = f"refuses, as known: {expected} ({answer})"
            else:
                surprising += 1
                note = f"REFUSES: {answer}"
            print(f"{vector['name']:24} {name:9} {ceremony:15} {note}")
    return agreed, refused, surprising


def main():
    counts = [judge(json.loads((HERE / name).read_text())) for name in ("webauthn-vectors.json", "webauthn-more-vectors.json")]
    agreed, refused, surprising = (sum(column) for column in zip(*counts))
    print(f"{agreed} agree, {refused} refuse for a known reason, {surprising} refuse for none.")
    return 1 if surprising else 0


if __name__ == "__main__":
    sys.exit(main())
