"""Attacks on what waits: a push approval whose device is removed, and mail that somebody else's mailbox holds up. attacks.py plays them."""

import base64
import hashlib
import hmac
import json
import os
import shutil
import socket
import tempfile
import threading
import time

from attack_tools import ALPHA, Client, PASSWORD, PushDevice, Server, from_b64, outputs, scenario

def approve(device, message):
    """What the device's person says yes to; the server's status."""
    claims = json.loads(from_b64(message["message"].split(".")[1]))
    response = base64.b64encode(hmac.new(device.secret, from_b64(claims["c"]), hashlib.sha256).digest()).decode()
    return device.post("authenticate", {"messageId": message["messageId"], "jwt": device.jwt({"response": response})})[0]


def push_sign_in(world, name):
    status, step, _ = world.attacker.reply(world.attacker.start("PushSignIn"), name, PASSWORD)
    assert status == 200, step
    return step


def go_on(client, step, seconds=20):
    """Posts the step as it says, until something else comes; the last answer."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        waiting = [c for c in step.get("callbacks", []) if c["type"] == "PollingWaitCallback"]
        if not waiting:
            break
        time.sleep(int(outputs(waiting[0])["waitTime"]) / 1000)
        _, step, _ = client.send("POST", f"{ALPHA}/authenticate", {"authId": step["authId"], "callbacks": step["callbacks"]})
    return step


def remove_devices(world, name):
    status, found, _ = world.admin.send("GET", f"{ALPHA}/users/{name}/devices/2fa/push?_queryFilter=true", token=world.administrator)
    assert status == 200 and found["result"], found
    for device in found["result"]:
        status, _, _ = world.admin.send("DELETE", f"{ALPHA}/users/{name}/devices/2fa/push/{device['_id']}", token=world.administrator)
        assert status == 200, status


@scenario("A lost phone approves, and its owner removes it before the sign-in goes on")
def removed_after_approval(world):
    name = world.account()
    device = PushDevice(world.owner, name)
    step = push_sign_in(world, name)
    message = device.poll()[1]["messages"][0]
    world.check(approve(device, message) == 200, "the phone's approval is taken while it is the account's")
    remove_devices(world, name)
    world.check("tokenId" not in go_on(world.attacker, step), "no session comes of it once the phone is removed")


@scenario("A removed phone answers a question that it has fetched before")
def removed_before_approval(world):
    name = world.account()
    device = PushDevice(world.owner, name)
    step = push_sign_in(world, name)
    message = device.poll()[1]["messages"][0]
    remove_devices(world, name)
    world.check(approve(device, message) == 400, "its approval is refused")
    answer = world.attacker.send("POST", f"{ALPHA}/authenticate", {"authId": step["authId"], "callbacks": step["callbacks"]})[1]
    world.check("tokenId" not in answer, "and makes no session")


class Relay:
    """A mail server that asks to come again later for every address of `busy.example`, and notes when the others have their mail."""

    def __init__(self):
        self.taken, self.refused = {}, 0
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, client.makefile("rb") as lines:
            recipient, in_data = None, False
            client.sendall(b"220 relay\r\n")
            for line in lines:
                text = line.decode("latin-1").strip()
                if in_data:
                    if text != ".":
                        continue
                    in_data = False
                    self.taken[recipient] = time.monotonic()
                answer = "250 ok"
                if text.startswith("RCPT"):
                    recipient = text[text.index("<") + 1:text.index(">")]
                    if recipient.endswith("@busy.example"):
                        self.refused += 1
                        answer = "450 come again later"
                elif text == "DATA":
                    in_data, answer = True, "354 go on"
                elif text == "QUIT":
                    answer = "221 bye"
                client.sendall(answer.encode() + b"\r\n")

    def close(self):
        self.listening.close()


@scenario("Mailboxes that are always asked to come again later hold up somebody else's link")
def delayed_mail(world):
    relay, folder = Relay(), tempfile.mkdtemp(prefix="sealring-attack-journeys-")
    os.makedirs(os.path.join(folder, "alpha"))
    here = os.path.dirname(os.path.abspath(__file__))
    shutil.copy(os.path.join(here, "../../Examples/journeys/platform/ForgottenUsername.journey.json"), os.path.join(folder, "alpha"))
    server = Server(world.binary, "--journeys", folder, "--mail", f"smtp://localhost:{relay.port}", "--mail-from", "login@example.com")
    try:
        client, admin = Client(server), Client(server, "127.0.0.5")
        token = admin.administrator()
        addresses = [f"slow{number}@busy.example" for number in range(4)] + ["victim@example.com"]
        for address in addresses:
            status, answer, _ = admin.send("POST", f"{ALPHA}/users?_action=create", {
                "username": address.split("@")[0], "userpassword": PASSWORD, "mail": [address]}, token)
            assert status == 201, answer
        for number, address in enumerate(addresses):
            # Each from another network: an address has a share of its own.
            caller = Client(server, f"127.0.{number + 1}.1")
            status, answer, _ = caller.reply(caller.start("ForgottenUsername"), address)
            assert status == 200, answer
        asked = time.monotonic()
        while "victim@example.com" not in relay.taken and time.monotonic() - asked < 30:
            time.sleep(0.05)
        took = relay.taken.get("victim@example.com", float("inf")) - asked
        world.check(took < 20, f"the link is with the mail server after {took:.1f} s, beside {relay.refused} refusals of others")
    finally:
        server.close()
        relay.close()
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(server.data, ignore_errors=True)
