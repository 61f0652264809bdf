"""A network in which packets can be lost, late, out of order, or go one way only. Needs root, and nothing of the kernel but /dev/net/tun.

Two namespaces are joined by a TUN device in each, and a process of ours carries the packets between them. So it works where the kernel
has no `tc netem`, and loses IP packets, not bytes of a connection.
"""

import ctypes
import fcntl
import heapq
import json
import os
import random
import select
import struct
import subprocess
import sys
import time

# From <linux/if_tun.h> and <sched.h>.
TUNSETIFF, IFF_TUN, IFF_NO_PI, CLONE_NEWNET = 0x400454CA, 1, 0x1000, 0x40000000


def is_possible():
    return os.geteuid() == 0 and os.path.exists("/dev/net/tun")


class Namespace:
    """A network namespace that exists while its process does."""

    def __init__(self, name):
        self.name = name
        self.holder = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "--", "unshare", "--net", "sh", "-c", "ip link set lo up && echo up && exec sleep infinity"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        assert self.holder.stdout.readline() == b"up\n", "no network namespace"
        self.path = f"/proc/{self.holder.pid}/ns/net"
        self.enter = ["nsenter", f"--net={self.path}", "--"]

    def run(self, *words):
        subprocess.run([*self.enter, *words], check=True)

    def close(self):
        self.holder.kill()
        self.holder.wait()
        self.holder.stdout.close()


class Link:
    """Joins two namespaces; the ends have addresses of 10.77.`number`.0/24: .1 in `left`, .2 in `right`."""

    def __init__(self, left, right, number):
        self.left_address, self.right_address = f"10.77.{number}.1", f"10.77.{number}.2"
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "--", sys.executable, "-B", __file__, left.path, right.path, f"link{number}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == b"up\n", "no link"
        for namespace, address in ((left, self.left_address), (right, self.right_address)):
            namespace.run("ip", "address", "add", f"{address}/24", "dev", f"link{number}")
            namespace.run("ip", "link", "set", f"link{number}", "up")

    def set(self, to_right=None, to_left=None):
        """What happens to packets in each direction: {"loss": 0.1, "delay": 0.2, "jitter": 0.05, "reorder": 0.3}; times in seconds.

        A part of `reorder` of the packets is sent at once, before those that wait for their delay."""
        self.process.stdin.write(json.dumps([to_right or {}, to_left or {}]).encode() + b"\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == b"set\n"

    def cut(self, to_right=True, to_left=True):
        self.set({"loss": 1.0} if to_right else None, {"loss": 1.0} if to_left else None)

    def mend(self):
        self.set()

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def tun(namespace, name):
    """A TUN device in a namespace; whoever has the file reads and writes its packets, wherever it is."""
    with open(namespace) as file:
        # os.setns came with Python 3.12.
        if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    return device


def carry(left, right):
    """Carries packets until standard input ends."""
    rules, waiting, serial = {left: {}, right: {}}, [], 0
    other = {left: right, right: left}
    print("up", flush=True)
    while True:
        now = time.monotonic()
        while waiting and waiting[0][0] <= now:
            _, _, device, packet = heapq.heappop(waiting)
            send(device, packet)
        ready, _, _ = select.select([left, right, 0], [], [], max(0, waiting[0][0] - now) if waiting else None)
        for source in ready:
            if source == 0:
                line = sys.stdin.buffer.readline()
                if not line:
                    return
                rules[left], rules[right] = json.loads(line)
                print("set", flush=True)
                continue
            for _ in range(64):
                try:
                    packet = os.read(source, 65536)
                except BlockingIOError:
                    break
                rule = rules[source]
                if rule.get("loss") and random.random() < rule["loss"]:
                    continue
                delay = rule.get("delay", 0)
                if not delay or random.random() < rule.get("reorder", 0):
                    send(other[source], packet)
                    continue
                serial += 1
                late = delay + random.uniform(-1, 1) * rule.get("jitter", 0)
                heapq.heappush(waiting, (time.monotonic() + late, serial, other[source], packet))


def send(device, packet):
    try:
        os.write(device, packet)
    except OSError:
        # A full queue or an interface that is not up: the packet is lost, as on a wire.
        pass


if __name__ == "__main__":
    carry(tun(sys.argv[1], sys.argv[3]), tun(sys.argv[2], sys.argv[3]))
