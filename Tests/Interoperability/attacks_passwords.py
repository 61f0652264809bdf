"""Scenarios of attacks.py about passwords and the codes beside them: what a right one forgets, and what a temporary one opens."""

import json
import os
import re
import shutil
import tempfile
import uuid

from attack_tools import ALPHA, PASSWORD, Client, Key, Server, callback, outputs, scenario

SUCCESS = "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"
FAILURE = "e301438c-0bd0-429c-ab0c-66126501069a"

# Name and password, then a one-time code. Nobody is mailed: the attacker has no code anyway.
MAILED_CODE = [
    ("ask", "PageNode", {"nodes": ["name", "password"]}, {"outcome": "check"}),
    ("check", "DataStoreDecisionNode", {}, {"true": "make", "false": FAILURE}),
    ("make", "OneTimePasswordGeneratorNode", {"length": 8}, {"outcome": "code"}),
    ("code", "OneTimePasswordCollectorDecisionNode", {"passwordExpiryTime": 5}, {"true": SUCCESS, "false": FAILURE}),
]
INNER = [("name", "UsernameCollectorNode"), ("password", "PasswordCollectorNode")]


def journey(name, nodes, inner):
    """A journey file as PingAM's tools export it."""
    ids = {key: str(uuid.uuid5(uuid.NAMESPACE_URL, f"{name}/{key}")) for key in [n[0] for n in nodes] + [i[0] for i in inner]}

    def node(key, kind, properties):
        properties = dict(properties)
        if "nodes" in properties:
            properties["nodes"] = [
                {"_id": ids[child], "nodeType": kind, "displayName": child}
                for child, kind in inner if child in properties["nodes"]]
        return {**properties, "_id": ids[key], "_type": {"_id": kind, "name": kind, "collection": True}}

    return {
        "nodes": {ids[key]: node(key, kind, properties) for key, kind, properties, _ in nodes},
        "innerNodes": {ids[key]: node(key, kind, {}) for key, kind in inner},
        "tree": {
            "_id": name, "identityResource": "managed/user", "entryNodeId": ids[nodes[0][0]],
            "nodes": {
                ids[key]: {
                    "nodeType": kind, "displayName": key,
                    "connections": {outcome: ids.get(to, to) for outcome, to in ways.items()}}
                for key, kind, _, ways in nodes}}}


@scenario("Somebody who has the password guesses mailed codes without end")
def mailed_codes(world):
    journeys = tempfile.mkdtemp(prefix="sealring-attack-journeys-")
    os.makedirs(os.path.join(journeys, "alpha"))
    with open(os.path.join(journeys, "alpha", "Mailed.journey.json"), "w") as file:
        json.dump(journey("Mailed", MAILED_CODE, INNER), file)
    server = Server(world.binary, "--journeys", journeys)
    try:
        thief, admin = Client(server, "127.0.0.66"), Client(server, "127.0.0.5")
        name = admin.create(admin.administrator(), "victim")
        asked = 0
        for number in range(60):
            status, step, _ = thief.reply(thief.start("Mailed"), name, PASSWORD)
            if status != 200:
                break
            asked += 1
            thief.reply(step, f"{number:08}")
            # What the thief has, between the codes.
            thief.password_sign_in(name, PASSWORD)
        world.check(asked == 5, f"the right password buys no further codes ({asked} could be tried)")
    finally:
        server.close()
        shutil.rmtree(server.data)
        shutil.rmtree(journeys)


@scenario("The help desk signs in with the password that it has set")
def temporary_password(world):
    name, temporary = world.account(), "temporary meadow 12"
    status = world.admin.send(
        "PUT", f"{ALPHA}/users/{name}", {"userpassword": temporary, "pwdReset": True}, world.administrator)[0]
    world.check(status == 200, "a temporary password is set")
    opened = [j for j in ("Login", "PushRegister", "OathRegister", "BindDevice", "WebAuthnRegister")
              if not asks_for_change(world.attacker.send(
                  "POST", f"{ALPHA}/authenticate?authIndexType=service&authIndexValue={j}", {},
                  headers={"X-OpenAM-Username": name, "X-OpenAM-Password": temporary}))]
    world.check(not opened, f"it opens nothing before it is changed {opened or ''}")
    status, step, _ = world.owner.send(
        "POST", f"{ALPHA}/authenticate", {}, headers={"X-OpenAM-Username": name, "X-OpenAM-Password": temporary})
    status, answer, _ = world.owner.reply(step, "own meadow 12 three", "own meadow 12 three")
    world.check(status == 200 and answer.get("tokenId"), "its owner chooses another, and goes on")
    world.check(world.attacker.password_sign_in(name, temporary) is None, "whoever knows the temporary one does not")


def asks_for_change(answer):
    status, step, _ = answer
    prompts = [output["value"] for c in (step or {}).get("callbacks", []) for output in c.get("output", [])]
    return status == 200 and "tokenId" not in step and any(
        re.search("new password", str(prompt), re.IGNORECASE) for prompt in prompts)


# The bundled journeys that add a factor.
ADDING = ("BindDevice", "BindDeviceAttested", "BindDeviceBiometric", "BindDeviceBiometricOrCredential", "BindDeviceNoPin",
          "CombinedRegister", "OathRegister", "PushBiometric", "PushCode", "PushNumber", "PushRegister", "PushSignIn",
          "WebAuthnRegister")


def adds(step):
    """Whether a step begins to add a factor."""
    text = json.dumps((step or {}).get("callbacks", []))
    return any(word in text for word in ("DeviceBindingCallback", "mfaDeviceRegistration", "webauthn_registration"))


@scenario("A stolen password adds a device to an account that has one")
def stolen_password_adds(world):
    for requirement in ("any", "fresh", "strong"):
        server = Server(
            world.binary, "--factor-changes", requirement, "--bundled-journeys", "alpha=all,BindDeviceNoPin")
        try:
            admin, owner, thief = Client(server, "127.0.0.5"), Client(server, "127.0.0.10"), Client(server, "127.0.0.66")
            administrator = admin.administrator()
            name, key = admin.create(administrator, "victim"), Key()
            early = thief.send(
                "POST", f"{ALPHA}/authenticate?authIndexType=service&authIndexValue=BindDevice", {},
                headers={"X-OpenAM-Username": name, "X-OpenAM-Password": PASSWORD})[1]
            world.check(adds(early), f"{requirement}: an account without a factor adds its first one with the password")
            key.bind(owner, name)
            asked = outputs(callback(early, "DeviceBindingCallback"))
            status, _, _ = thief.answer(
                early, jws=Key().jws(asked["userId"], asked["challenge"], binds=True), deviceName="Script", clientError="")
            world.check(status == 401, f"{requirement}: what began before there was a key binds nothing after it ({status})")
            added, began = [], []
            for journey in ADDING:
                for error in ("Unsupported", "Abort", "ClientNotRegistered", "Timeout", None):
                    step = thief.send(
                        "POST", f"{ALPHA}/authenticate?authIndexType=service&authIndexValue={journey}", {},
                        headers={"X-OpenAM-Username": name, "X-OpenAM-Password": PASSWORD})[1]
                    if adds(step):
                        began.append(journey)
                        continue
                    own = Key()
                    challenge = outputs(callback(step, "DeviceSigningVerifierCallback"))["challenge"]
                    status, step, _ = thief.answer(
                        step, jws="" if error else own.jws(key.sub, challenge), clientError=error or "")
                    added += [(journey, error)] if status != 401 or adds(step) else []
            world.check(not began, f"{requirement}: no journey adds anything for the password {sorted(set(began)) or ''}")
            world.check(not added, f"{requirement}: nor for what a client says of its key {added or ''}")
            token = owner.password_sign_in(name, PASSWORD)
            counts = [owner.send("GET", f"{ALPHA}/users/{name}/devices/2fa/{kind}?_queryFilter=true", token=token)[1]["resultCount"]
                      for kind in ("binding", "push", "oath", "webauthn")]
            world.check(counts == [1, 0, 0, 0], f"{requirement}: the account has its own key and nothing else {counts}")
            other = admin.create(administrator, "owner")
            one, two = Key(), Key()
            one.bind(owner, other)
            world.check(two.bind(owner, other, proving=one), f"{requirement}: its owner adds another with the key")
        finally:
            server.close()
            shutil.rmtree(server.data)


@scenario("A password that has expired")
def expired_password(world):
    name = world.account()
    world.admin.send(
        "PUT", f"{ALPHA}/users/{name}", {"ds-pwp-password-expiration-time": "20200101000000Z"}, world.administrator)
    world.check(world.attacker.password_sign_in(name, PASSWORD) is None, "signs nobody in")
