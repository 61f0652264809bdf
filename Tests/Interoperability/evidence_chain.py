"""Checks an evidence export with nothing but Python's standard library: the hash chain, and that what entries say of
their transactions is what the devices signed.

Usage: evidence_chain.py FILE. Exit code 1 and the first bad entry's number when something is wrong. The signatures (of
the devices, and of the checkpoint in the last line) are standard compact JWS; any JOSE library verifies them.
"""
import base64
import hashlib
import json
import struct
import sys

SUFFIX = len(',"hash":""}') + 43
FIELDS = ["amount", "currency", "payee", "account", "text"]


def hash_of(tag, line):
    digest = hashlib.sha256(tag + line[:-SUFFIX]).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def unpadded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def challenge(fields, nonce):
    """The challenge of a transaction, as docs/transactions.md has it; None when a device could not have shown it."""
    if not fields or set(fields) - set(FIELDS) or len(nonce) != 32:
        return None
    form = b"sealring.transaction.v1\0"
    for name in FIELDS:
        if name in fields:
            for part in (name.encode(), fields[name].encode()):
                form += struct.pack(">I", len(part)) + part
    return base64.b64encode(hashlib.sha256(form + nonce).digest()).decode()


def transaction_fault(entry):
    """What is wrong between an entry's transaction and the claims that were signed; None when nothing is."""
    claims = json.loads(unpadded(entry["jws"].split(".")[1]))
    transaction = entry["transaction"] or {}
    if "fields" not in transaction or "nonce" not in transaction:
        return "its signature approves a transaction that is not here" if "txn" in claims else None
    if entry["kind"] != "sign" or claims.get("challenge") != challenge(transaction["fields"], unpadded(transaction["nonce"])):
        return "its transaction is not the signed one"
    if "txn" not in claims and transaction.get("plainProofs") is True:
        return None
    return None if claims.get("txn") == transaction["id"] else "its signature does not say that the transaction was shown"


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
tokens = set()
for number, line in enumerate(lines[1:-1], 1):
    entry = json.loads(line)
    if entry["hash"] != hash_of(b"sealring evidence entry 1\n", line):
        fail(f"entry {number} was changed")
    if entry["number"] != number or entry["previous"] != head:
        fail(f"entry {number} does not follow on the one before")
    head = entry["hash"]
    fault = transaction_fault(entry)
    if fault:
        fail(f"entry {number}: {fault}")
    token = hashlib.sha256(entry["jws"].rsplit(".", 1)[0].encode()).digest()
    if token in tokens:
        fail(f"entry {number}: an earlier entry has the same signed token")
    tokens.add(token)
payload = json.loads(lines[-1])["checkpoint"].split(".")[1]
checkpoint = json.loads(unpadded(payload))
if checkpoint["count"] != len(lines) - 2 or checkpoint["head"] != head:
    fail(f"the checkpoint is of {checkpoint['count']} entries, the last one {checkpoint['head']}")
print(f"{checkpoint['count']} entries, head {head}")
