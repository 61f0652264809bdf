"""Scenarios of attacks.py about names that are given again: an account is deleted, and somebody else gets its name."""

import re

from attack_tools import ALPHA, PASSWORD, Application, Key, callback, outputs, scenario

def recreate(world, name):
    """Deletes the account; the next one has its name, and even its password."""
    status, answer, _ = world.admin.send("DELETE", f"{ALPHA}/users/{name}", token=world.administrator)
    assert status == 200, (status, answer)
    world.admin.create(world.administrator, name)


def page(client, path, token):
    """(status, text) of a page for who is signed in."""
    connection = client.connect()
    connection.request("GET", f"/am/account/{path}?realm=/alpha", headers={"Cookie": f"iPlanetDirectoryPro={token}"})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text


def approve(world, key, number):
    step = Application.offer(world.owner, number)
    challenge = outputs(callback(step, "DeviceSigningVerifierCallback"))["challenge"]
    return world.owner.answer(step, jws=key.jws(key.sub, challenge, txn=number), clientError="")


def evidence(world, name):
    """What auditors see of the name, the newest first."""
    return world.admin.send(
        "GET", f"{ALPHA}/audit/evidence?_queryFilter=username%20eq%20%22{name}%22", token=world.administrator)[1]["result"]


@scenario("Somebody gets a deleted account's name, and looks for what its owner signed")
def signatures_of_the_one_before(world):
    name, key = world.account(), Key()
    key.bind(world.owner, name)
    application = Application(world.admin, world.administrator)
    status, answer, _ = approve(world, key, application.create(name, amount="12.00", currency="EUR", payee="Doctor Ada"))
    assert status == 200, answer
    session = world.owner.password_sign_in(name, PASSWORD)
    status, text = page(world.owner, "signatures", session)
    world.check(status == 200 and "Doctor Ada" in text, "the owner sees what they have signed")
    numbers = [entry["number"] for entry in evidence(world, name)]
    world.check(page(world.owner, f"signatures/{numbers[0]}", session)[0] == 200, "the owner takes the proof along")

    recreate(world, name)
    token = world.attacker.password_sign_in(name, PASSWORD)
    shown = {path: page(world.attacker, path, token) for path in ("", "signatures", "activity", "methods", "sessions")}
    world.check(all(status == 200 and "Doctor Ada" not in text for status, text in shown.values()),
                "no page of the next account shows it")
    world.check(not re.search("A transaction was signed|Key of a device", shown["activity"][1]), "its activity begins anew")
    world.check({page(world.attacker, f"signatures/{number}", token)[0] for number in numbers} == {404},
                "none of the proofs can be had")
    world.check(world.owner.send("POST", f"{ALPHA}/sessions?_action=validate", {}, session)[1].get("valid") is not True,
                "the session of the one before has ended")

    key = Key()
    key.bind(world.attacker, name)
    accounts = [entry.get("account") for entry in evidence(world, name)]
    world.check(len(accounts) == 3 and None not in accounts and len({*accounts[1:]}) == 1 and accounts[0] != accounts[1],
                "auditors see all, and which account each was of")


@scenario("Who begins to bind a key goes on after the account was deleted and its name given again")
def binding_goes_on(world):
    name, key = world.account(), Key()
    step = world.attacker.start("BindDevice")
    while "DeviceBindingCallback" not in [c["type"] for c in step["callbacks"]]:
        typed = [name if c["type"] == "NameCallback" else PASSWORD for c in step["callbacks"]
                 if c["type"] in ("NameCallback", "PasswordCallback")]
        status, step, _ = world.attacker.reply(step, *typed)
        assert status == 200, (status, step)
    asked = outputs(callback(step, "DeviceBindingCallback"))
    recreate(world, name)
    status, answer, _ = world.attacker.answer(
        step, jws=key.jws(asked["userId"], asked["challenge"], binds=True), deviceName="Old", deviceId="0f" * 16, clientError="")
    world.check(status == 401, f"the key is refused ({status})")
    devices = world.admin.send(
        "GET", f"{ALPHA}/users/{name}/devices/2fa/binding?_queryFilter=true", token=world.administrator)[1]
    world.check(devices.get("result") == [], "the next account has no key of the person before")
    key.sub = asked["userId"]
    world.check(key.sign_in(world.attacker) is None, "the key signs nobody in")


@scenario("A payment waits for a deleted account, and the next one of its name approves it")
def payment_of_the_one_before(world):
    name = world.account()
    application = Application(world.admin, world.administrator)
    number = application.create(name, amount="500.00", currency="EUR", payee="Rent")
    recreate(world, name)
    key = Key()
    key.bind(world.attacker, name)
    status, step, _ = world.attacker.send(
        "POST", f"{ALPHA}/authenticate?authIndexType=transaction&authIndexValue={number}", {})
    world.check(status == 401 and "Rent" not in str(step), f"it is not shown to the next account ({status})")
    if status == 200:
        challenge = outputs(callback(step, "DeviceSigningVerifierCallback"))["challenge"]
        world.attacker.answer(step, jws=key.jws(key.sub, challenge, txn=number), clientError="")
    world.check(application.read(number)["state"] == "pending", "it is not approved")
    own = application.create(name, amount="1.00", currency="EUR", payee="Bakery")
    world.check(approve(world, key, own)[0] == 200 and application.read(own)["state"] == "approved",
                "the next account approves what is meant for it")
