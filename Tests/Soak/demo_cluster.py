#!/usr/bin/python3
"""`scripts/demo --cluster`: three servers, one PostgreSQL, a balancer, a device, and a kill in the middle, after which nothing is lost.

Usage: demo_cluster.py BINARY. All of it runs in a temporary folder; the device is `sealring bind` and `sealring sign` in processes of their own.
"""

import json
import os
import subprocess
import sys
import threading
import time

from processes import ADMINISTRATOR, HAProxy, environment
from workload import ALPHA, Application, Party, TROUBLE, pages
from world import World

PIN, PASSWORD = "271828", "correct horse battery staple"
PAYMENTS, KILLED, CRASHED = 9, 4, 7


def scene(name, text):
    name = f"{name:8}"
    print((f"\033[1m{name}\033[0m" if sys.stdout.isatty() else name) + text, flush=True)


def detail(text):
    print("        " + text, flush=True)


def server_that_answers(world, party_of, since):
    """Seconds since `since` when the server answered again."""
    while True:
        try:
            if party_of.send("GET", "/health")[0] == 200:
                return time.monotonic() - since
        except TROUBLE:
            pass
        time.sleep(0.02)


class Demo:
    def __init__(self, binary):
        self.binary = binary
        self.world = World(binary, "postgres", 3)
        self.proxy = HAProxy(self.world.folder, self.world.servers).start()
        self.world.programs.append(self.proxy)
        self.address = f"http://127.0.0.1:{self.proxy.port}/am"
        self.balanced = Party([self.proxy], 30)

    def sealring(self, *arguments, secrets=""):
        """A command of the device, or of the administrator: exit code, JSON, and what it said."""
        done = subprocess.run(
            [self.binary, *arguments, "--server", self.address, "--json"], input=secrets, capture_output=True, text=True,
            env=environment(
                self.world.folder, SEALRING_HOME=os.path.join(self.world.folder, "device"), SEALRING_ADMIN_PASSWORD=ADMINISTRATOR))
        return done.returncode, json.loads(done.stdout) if done.returncode == 0 else None, done.stderr

    def tell(self):
        scene("Cluster", "three servers share one PostgreSQL:")
        for server in self.world.servers:
            detail(f"{server.name}    http://127.0.0.1:{server.port}/am, process {server.pid}")
        detail(f"haproxy    {self.address}, each request to any of them")
        self.bind()
        self.pay()
        return self.look()

    def bind(self):
        code, _, said = self.sealring("user", "add", "mira", "--password-stdin", secrets=PASSWORD + "\n")
        assert code == 0, said
        scene("User", "mira has an account in realm alpha")
        code, bound, said = self.sealring(
            "bind", "--username", "mira", "--store", "software", "--password-stdin", "--pin-stdin", secrets=f"{PASSWORD}\n{PIN}\n")
        assert code == 0, said
        scene("Bind", f"mira's device made the key {bound['kid']}")
        detail("each of its requests went to whichever server HAProxy chose")

    def pay(self):
        administrator = self.balanced.administrator()
        self.shop = Application(self.balanced, administrator)
        self.numbers = [
            self.shop.create("mira", amount=f"{number}.00", currency="EUR", payee="Bakery") for number in range(1, PAYMENTS + 1)]
        scene("Pay", f"a shop asks mira to approve {PAYMENTS} payments; the device does, one by one:")
        for place, number in enumerate(self.numbers, 1):
            if place == KILLED:
                self.approve(place, number, during=self.kill_a_server)
            elif place == CRASHED:
                self.approve(place, number, during=self.kill_the_database)
            else:
                self.approve(place, number)

    def approve(self, place, number, during=None):
        """Approves, and asks again when nothing was heard, until it is known to be done."""
        attempt = threading.Thread(target=self.try_to_approve, args=(place, number))
        attempt.start()
        if during:
            time.sleep(0.1)
            during()
        attempt.join()

    def try_to_approve(self, place, number):
        for attempt in range(1, 30):
            code, signed, said = self.sealring("sign", "--username", "mira", "--transaction", number, "--yes", "--pin-stdin", secrets=PIN + "\n")
            if code == 0:
                detail(f"payment {place}  approved" + (f", at attempt {attempt}" if attempt > 1 else ""))
                return
            failure = json.loads(said.strip().split("\n")[-1])["error"]
            if failure["code"] == "conflict":
                detail(f"payment {place}  was approved already, though no answer came: nothing is done twice")
                return
            detail(f"payment {place}  no verdict ({failure['code']}); the device tries again")
            time.sleep(0.3)
        raise SystemExit("The demo's payment was not approved: please report this as a bug.")

    def kill_a_server(self):
        victim = self.world.servers[1]
        victim.kill()
        self.killed = time.monotonic()
        scene("Kill", f"{victim.name} is killed (kill -9) while payment {KILLED} is approved; the others go on")
        # Processes are started by the main thread, which this is.
        victim.start()
        seconds = server_that_answers(self.world, Party([victim], 5), self.killed)
        detail(f"{victim.name} is started again, and serves after {seconds:.1f} s")

    def kill_the_database(self):
        began = time.monotonic()
        self.world.postgres.kill()
        scene("Crash", f"PostgreSQL is killed with all its processes while payment {CRASHED} is approved")
        self.world.postgres.start()
        seconds = server_that_answers(self.world, self.balanced, began)
        detail(f"PostgreSQL is started again, and the cluster serves after {seconds:.1f} s")

    def look(self):
        scene("Look", "what each server says now:")
        good = True
        for server in self.world.servers:
            party = Party([server], 30)
            administrator = party.administrator()
            devices = pages(party, f"{ALPHA}/users/mira/devices/2fa/binding?_queryFilter=true", administrator)
            entries = pages(party, f"{ALPHA}/audit/evidence?_queryFilter=true&_pageSize=200", administrator)
            states = [
                party.send("GET", f"{ALPHA}/transactions/{number}", headers=self.shop.basic)[1]["state"] for number in self.numbers]
            proofs = {entry["jws"] for entry in entries}
            signed = {(entry.get("transaction") or {}).get("id") for entry in entries} >= set(self.numbers)
            once = len(proofs) == len(entries)
            good = good and len(devices) == 1 and states == ["approved"] * PAYMENTS and signed and once
            detail(f"{server.name}    {len(devices)} device, {states.count('approved')} of {PAYMENTS} payments approved, "
                   f"{len(entries)} signatures, each {'once' if once else 'NOT ONCE'}")
        code, _, said = self.sealring("audit", "verify")
        detail("`sealring audit verify`: " + ("every signature and the chain are good" if code == 0 else said.strip()))
        good = good and code == 0
        print(flush=True)
        if good:
            print("Nothing was lost, nothing was done twice. The temporary folder is removed.")
            print("Next: docs/reliability.md, and `scripts/soak list` for what else can break.")
        else:
            print("Something was lost or done twice: please report this as a bug.")
        return good


def main():
    demo = Demo(os.path.abspath(sys.argv[1]))
    try:
        return demo.tell()
    finally:
        demo.world.close()


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
