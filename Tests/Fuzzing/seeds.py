#!/usr/bin/env python3
"""Writes what the fuzzers start from, made of the test vectors: seeds.py VECTORS.json FOLDER."""

import base64
import json
import pathlib
import sys


def int8(data):
    return ",".join(str(byte - 256 if byte > 127 else byte) for byte in data)


def main():
    vectors, folder = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2])
    seeds = {"cbor": [], "authenticator-data": [], "outcome": [b"unsupported", b"ERROR::NotAllowedError:no"]}
    seeds["toml"] = [
        b'profile = "bank" # in use\nutc = true\n\n[profiles.bank]\nserver = "https://id.example/am"\nuser = \'a\'\n',
        b'[serve]\nport = -12\ntrusted-proxy = [ "10.0.0.0/8", "\\u00e9\\n", ]\r\n[ a . b ]\nc=[]',
    ]
    for vector in vectors["vectors"]:
        made = {name: bytes.fromhex(text) for name, text in vector["registration"].items()}
        got = {name: bytes.fromhex(text) for name, text in vector["authentication"].items()}
        seeds["cbor"].append(made["attestationObject"])
        seeds["authenticator-data"] += [made["attestationObject"], got["authenticatorData"]]
        start = made["attestationObject"].find(b"hauthData")
        if start >= 0:
            rest = made["attestationObject"][start + 9 :]
            seeds["authenticator-data"].append(rest[2:] if rest[0] == 0x58 else rest[3:])
        credential = base64.urlsafe_b64encode(made["credential_id"]).decode().rstrip("=")
        texts = [
            "::".join([made["clientDataJSON"].decode(), int8(made["attestationObject"]), credential, "My Laptop"]),
            "::".join(
                [got["clientDataJSON"].decode(), int8(got["authenticatorData"]), int8(got["signature"]), credential]
            ),
        ]
        for text in texts:
            both = json.dumps({"authenticatorAttachment": "platform", "legacyData": text})
            seeds["outcome"] += [text.encode(), both.encode()]
    for name, inputs in seeds.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for number, content in enumerate(inputs):
            (folder / name / f"vector-{number}").write_bytes(content)


if __name__ == "__main__":
    main()
