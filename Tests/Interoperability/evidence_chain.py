"""Checks the hash chain of an evidence export with nothing but Python's standard library.

Usage: evidence_chain.py FILE. Exit code 1 and the first bad entry's number when the chain is broken. The signatures (of
the devices, and of the checkpoint in the last line) are standard compact JWS; any JOSE library verifies them.
"""
import base64
import hashlib
import json
import sys

SUFFIX = len(',"hash":""}') + 43


def hash_of(tag, line):
    digest = hashlib.sha256(tag + line[:-SUFFIX]).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def fail(text):
    print(text, file=sys.stderr)
    sys.exit(1)


with open(sys.argv[1], "rb") as file:
    lines = file.read().splitlines()
if len(lines) < 2 or not lines[-1].startswith(b'{"checkpoint":"'):
    fail("the export has no checkpoint: it was cut")
head = hash_of(b"sealring evidence ledger 1\n", lines[0])
if json.loads(lines[0])["hash"] != head:
    fail("the first line was changed")
for number, line in enumerate(lines[1:-1], 1):
    entry = json.loads(line)
    if entry["hash"] != hash_of(b"sealring evidence entry 1\n", line):
        fail(f"entry {number} was changed")
    if entry["number"] != number or entry["previous"] != head:
        fail(f"entry {number} does not follow on the one before")
    head = entry["hash"]
payload = json.loads(lines[-1])["checkpoint"].split(".")[1]
checkpoint = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
if checkpoint["count"] != len(lines) - 2 or checkpoint["head"] != head:
    fail(f"the checkpoint is of {checkpoint['count']} entries, the last one {checkpoint['head']}")
print(f"{checkpoint['count']} entries, head {head}")
