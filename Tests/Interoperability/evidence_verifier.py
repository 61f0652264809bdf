"""Verifies what `sealring audit` writes: exports, checkpoints, proofs of inclusion and of consistency, and the signatures in
all of them. Written from docs/evidence-format.md and the RFCs that it names; needs Python 3 and its `cryptography` package.
Usage: evidence_verifier.py FILE [--ledger FINGERPRINT] [--against CHECKPOINT] [--witness THUMBPRINT]; exit code 1 and the reason.
"""
import argparse
import base64
import datetime
import functools
import hashlib
import json
import struct
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils

LIMIT = 3 << 20
FIELDS = ("amount", "currency", "payee", "account", "text")
SKEW = 3600  # seconds between the clocks of device and server


def demand(condition, reason):
    if not condition:
        raise ValueError(reason)


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text, length=None):
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    demand(encode(data) == text and length in (None, len(data)), "a value is not base64url of the right length")
    return data


def parse(text):
    def members(pairs):
        demand(len({name for name, _ in pairs}) == len(pairs), "a member appears twice")
        return dict(pairs)
    return json.loads(text, object_pairs_hook=members)


def verify(key, algorithm, signature, message):
    """ES256, or as devices may have it RS256 … RS512 (RFC 7518 §3.3, §3.4), by a public JWK."""
    number = {name: int.from_bytes(decode(key[name]), "big") for name in ("x", "y", "n", "e") if name in key}
    if key["kty"] == "EC":
        demand(algorithm == "ES256" and key["crv"] == "P-256" and len(signature) == 64, "a token is not signed with ES256")
        der = utils.encode_dss_signature(*(int.from_bytes(part, "big") for part in (signature[:32], signature[32:])))
        public = ec.EllipticCurvePublicNumbers(number["x"], number["y"], ec.SECP256R1())
        return public.public_key().verify(der, message, ec.ECDSA(hashes.SHA256()))
    demand(key["kty"] == "RSA" and algorithm in ("RS256", "RS384", "RS512"), "a token has another algorithm than its key")
    public = rsa.RSAPublicNumbers(number["e"], number["n"])
    return public.public_key().verify(signature, message, padding.PKCS1v15(), getattr(hashes, "SHA" + algorithm[2:])())


def claims_of(jws, key, whose, kind=None):
    message, dot, signature = jws.rpartition(".")
    header, payload = (parse(decode(part)) for part in message.split("."))
    demand("crit" not in header and kind in (None, header.get("typ")), f"the token of {whose} is not of type {kind}")
    verify(key, header["alg"], decode(signature), message.encode())
    return payload


def sealed(line, tag):
    digest = sha(tag, b"\n", line[:-54])
    demand(line[-54:] == b',"hash":"' + encode(digest).encode() + b'"}', "a line was changed: its hash is another")
    return parse(line), digest


def user_id(name, realm):
    """The account's universal id, which devices sign as `sub`."""
    if realm.lower() == "root":
        return f"id={name},ou=user,ou=am-config"
    return f"id={name},ou=user" + "".join(f",o={part}" for part in reversed(realm.split("/"))) + ",ou=services,ou=am-config"


def challenge_of(fields, nonce):
    """The challenge of a transaction (docs/transactions.md); None when a device could not have shown it."""
    if not fields or set(fields) - set(FIELDS) or len(nonce) != 32:
        return None
    parts = [part.encode() for name in FIELDS if name in fields for part in (name, fields[name])]
    form = b"sealring.transaction.v1\0" + b"".join(struct.pack(">I", len(part)) + part for part in parts)
    return base64.b64encode(sha(form, nonce)).decode()


def check_transaction(entry, claims, whose):
    transaction = entry["transaction"] or {}
    if "fields" not in transaction or "nonce" not in transaction:
        return demand("txn" not in claims, f"{whose} approved a transaction that is not here")
    challenge = challenge_of(transaction["fields"], decode(transaction["nonce"]))
    signed = entry["kind"] == "sign" and transaction["version"] == 1 and challenge and claims.get("challenge") == challenge
    demand(signed, f"{whose} signed another transaction")
    if "txn" in claims or transaction.get("plainProofs") is not True:
        demand(claims.get("txn") == transaction["id"], f"{whose} does not say that the transaction was shown")


def entry_of(line):
    entry, digest = sealed(line, b"sealring evidence entry 1")
    whose, key = f"the device of entry {entry['number']}", entry["key"]
    claims = claims_of(entry["jws"], key, whose)
    header = parse(decode(entry["jws"].split(".")[0]))
    demand(entry["kind"] in ("bind", "sign", "certify"), f"entry {entry['number']} is of no known kind")
    demand(claims["sub"] == entry["userId"] == user_id(entry["username"], entry["realm"]), f"{whose} signed for another user")
    named = header["kid"] == entry["device"] == key.get("kid", header["kid"]) and key.get("alg", header["alg"]) == header["alg"]
    demand(named, f"{whose} is another one, or its key is for another algorithm")
    if entry["kind"] == "bind":
        same = all(header["jwk"].get(name) == key.get(name) for name in ("kty", "crv", "x", "y", "n", "e"))
        demand(same, f"{whose} has bound another key")
    accepted, starts = entry["time"] / 1000, [claims[name] for name in ("iat", "nbf") if name in claims]
    in_time = accepted <= claims["exp"] + SKEW and all(start <= accepted + SKEW for start in starts)
    demand(in_time, f"{whose} signed at another time than the entry's")
    check_transaction(entry, claims, whose)
    return entry, digest


def ledger_of(line, fingerprint):
    header, digest = sealed(line, b"sealring evidence ledger 1")
    demand((header["sealring"], header["version"]) == ("evidence", 1), "this is no ledger's header")
    demand(fingerprint in (None, encode(digest)), f"this is another ledger: {encode(digest)}")
    return header["key"], digest


def checkpoint_of(jws, key, fingerprint):
    claims = claims_of(jws, key, "the ledger", "sealring-evidence-checkpoint")
    demand(claims["ledger"] == encode(fingerprint) and 0 <= int(claims["count"]), "the checkpoint is of another ledger")
    return claims


def climb(start, index, last, path):
    """Follows a path (RFC 9162 §2.1.3.2, §2.1.4.2): the root of the tree that ends at the start, and that of the whole."""
    before, after = start, start
    demand(isinstance(path, list) and len(path) <= 64, "the proof is not a list of at most 64 hashes")
    for sibling in (decode(text, 32) for text in path):
        demand(last > 0, "the proof is too long")
        if index & 1 or index == last:
            before, after = sha(b"\1", sibling, before), sha(b"\1", sibling, after)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            after = sha(b"\1", after, sibling)
        index, last = index >> 1, last >> 1
    demand(last == 0, "the proof is too short")
    return encode(before), encode(after)


def check_continues(new, old, proof):
    demand(old["ledger"] == new["ledger"], "the earlier checkpoint is of another ledger")
    demand(old["count"] <= new["count"], f"entries after {new['count']} were removed: the earlier checkpoint counts {old['count']}")
    if old["count"] == new["count"]:
        return demand(old["root"] == new["root"] and old["head"] == new["head"], "the ledger was forked at this size")
    if old["count"] == 0:
        return demand(old["root"] == encode(sha()), "the earlier checkpoint has a root of no entries")
    demand(proof and proof["from"] == old["count"], "there is no proof from the earlier checkpoint's size")
    index, last = old["count"] - 1, new["count"] - 1
    path = ([] if old["count"] & index else [old["root"]]) + proof["path"]
    while index & 1:
        index, last = index >> 1, last >> 1
    roots = climb(decode(path[0], 32), index, last, path[1:]) if path else None
    demand(roots == (old["root"], new["root"]), "the ledger was rewritten, or the proof is wrong")


def statement(entry):
    """Who signed what, when, where, with which key and device: what a proof is for, in one line each."""
    claims = parse(decode(entry["jws"].split(".")[1]))
    fields = (entry.get("transaction") or {}).get("fields") or {}
    what = ", ".join(f"{name} {value}" for name, value in fields.items()) if "txn" in claims else claims["challenge"]
    moment = datetime.datetime.fromtimestamp(entry["time"] / 1000, datetime.timezone.utc).isoformat()
    lines = [f"{entry['username']} ({entry['realm']}) signed: {what}", f"when {moment}, journey {entry['journey']}",
             f"application {claims['iss']}, device {entry['device']}, key {json.dumps(entry['key'], sort_keys=True)}"]
    known = {"sub", "iss", "exp", "nbf", "iat", "challenge", "platform", "txn"}
    added = ", ".join(f"{name} {value}" for name, value in claims.items() if name not in known)
    if added:
        lines.append(f"added by the application: {added}")
    # Names and texts are others': nothing in them may end a line or move the cursor.
    return ["".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in line) for line in lines]


def check_document(text, fingerprint, old, witness):
    """Verifies a checkpoint's file or a proof of inclusion; the checkpoint."""
    demand(len(text) <= LIMIT, "the file is too long")
    file = parse(text)
    key, ledger = ledger_of(file["header"].encode(), fingerprint)
    claims = checkpoint_of(file["checkpoint"], key, ledger)
    demand("root" in claims and file["version"] == 1, "the checkpoint has no root")
    if file["sealring"] == "evidence-inclusion":
        entry, digest = entry_of(file["entry"].encode())
        index = file.get("index", entry["number"] - 1)
        demand(0 <= index < claims["count"], "the entry is not one of those that the checkpoint counts")
        root = climb(sha(b"\0", digest), index, claims["count"] - 1, file["path"])[1]
        demand(root == claims["root"], "the proof does not lead to the root that was signed")
    if "witness" in file:
        own = parse(decode(file["witness"].split(".")[0]))["jwk"]
        second = claims_of(file["witness"], own, "the witness", "sealring-evidence-witness")
        demand(all(second[name] == claims[name] for name in ("ledger", "count", "head", "root")), "the witness signed another")
        names = json.dumps({name: own[name] for name in ("crv", "kty", "x", "y")}, separators=(",", ":"))
        file["thumbprint"] = encode(sha(names.encode()))
    demand(witness in (None, file.get("thumbprint")), "the witness has another key, or there is none")
    if old:
        check_continues(claims, old, file.get("consistency"))
    return claims


def check_export(line, file, fingerprint, old):
    """Verifies an export; its checkpoint."""
    key, ledger = ledger_of(line, fingerprint)
    demand(not old or old["ledger"] == encode(ledger), "the earlier checkpoint is of another ledger")
    count, removed, head, peaks, ends, tokens = 0, 0, ledger, [], {}, set()
    while line := file.readline(LIMIT).removesuffix(b"\n"):
        root = functools.reduce(lambda root, left: sha(b"\1", left, root), [top for top, _ in reversed(peaks)] or [sha()])
        if old and old["count"] == count:
            demand((old["head"], old["root"]) == (encode(head), encode(root)), f"leaf {count}, or one before it, was rewritten")
        if line.startswith(b'{"checkpoint":"'):
            claims = checkpoint_of(parse(line)["checkpoint"], key, ledger)
            lanes = [{"lane": lane, "number": ends[lane][0], "head": encode(ends[lane][1])} for lane in sorted(ends) if any(ends)]
            signed = claims["count"], claims["head"], claims.get("root", encode(root)), claims.get("lanes", []), claims.get("removed", 0)
            demand(signed == (count, encode(head), encode(root), lanes, removed), f"the checkpoint is not that of these {count} entries")
            demand(not file.read(1) and (not old or old["count"] <= count), "entries were added at the end, or removed there")
            return claims
        gone = line.startswith(b'{"removed":')
        entry, digest = (parse(line), decode(parse(line)["hash"], 32)) if gone else entry_of(line)
        number, removed = entry["removed" if gone else "number"], removed + gone
        demand(not gone or removed == count + 1, f"the content of entry {number} was removed, and not that of one before")
        token = digest if gone else sha(entry["jws"].rpartition(".")[0].encode())
        demand(token not in tokens, f"an entry before {number} has the same signed token")
        tokens.add(token)
        lane = number % 64 if number >= 1 << 40 else 0
        last, before = ends.get(lane, (lane, ledger))
        follows = number > last and (lane or number == last + 1) and (gone or entry["previous"] == encode(before))
        demand(follows, f"entry {number} does not follow on entry {last} of its lane")
        count, head, ends[lane], new = count + 1, digest, (number, digest), (sha(b"\0", digest), 1)
        while peaks and peaks[-1][1] == new[1]:
            new = sha(b"\1", peaks.pop()[0], new[0]), 2 * new[1]
        peaks.append(new)
    raise ValueError(f"the export ends without a checkpoint after {count} entries")


arguments, words = argparse.ArgumentParser(), iter(sys.argv[1:])  # a thumbprint may begin with a hyphen
for name in ("file", "--ledger", "--against", "--witness"):
    arguments.add_argument(name)
given, earlier = arguments.parse_args([w if w[:2] != "--" or "=" in w else f"{w}={next(words, '')}" for w in words]), None
try:
    if given.against:
        with open(given.against, "rb") as file:
            earlier = check_document(file.read(LIMIT + 1), given.ledger, None, given.witness)
    with open(given.file, "rb") as file:
        first = file.readline(LIMIT + 1).removesuffix(b"\n")
        if first.startswith(b'{"sealring":"evidence-'):
            claims = check_document(first, given.ledger, earlier, None if earlier else given.witness)
        else:
            claims = check_export(first, file, given.ledger, earlier)
except (ValueError, KeyError, TypeError, AttributeError, IndexError, InvalidSignature) as lie:
    sys.exit(f"{given.file}: {str(lie) or 'a signature does not verify'}")
if first.startswith(b'{"sealring":"evidence-inclusion"'):
    print("\n".join(statement(parse(parse(first)["entry"].encode()))))
gone = f" ({claims['removed']} of them without content: only their hashes were checked)" if claims.get("removed") else ""
print(f"{claims['count']} entries{gone}, head {claims['head']}, root {claims.get('root')}")
