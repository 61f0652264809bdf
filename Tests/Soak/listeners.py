"""Devices that listen (server-sent events) and connections that idle, at several servers, one of which is restarted.

A device that loses its stream waits as long as the server has told it to, else one second and up to one more by chance, and comes back to
whichever server is there. The chance keeps devices from coming all at once.

Devices and idle connections are spread over processes of this program, because each may have only so many file descriptors.
"""

import heapq
import json
import multiprocessing
import os
import random
import re
import resource
import selectors
import socket
import statistics
import time
import uuid
from collections import Counter

from workload import PASSWORD, Party, PushDevice

# Each account may have this many push devices (PushRegistrationNode).
DEVICES_PER_ACCOUNT = 20
# The server closes a connection 75 s after its last answer (docs/limits.md).
PER_PROCESS = 12_000


def raise_limit():
    """As many file descriptors as this process may have."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


class Line:
    """A connection that is kept: opened again when it has ended. `at` is when it connects next; `opened` when the server's answer came."""

    opened = lost = socket = server = retry = None
    # Idle lines are begun when no stream waits: devices do not stand in a queue behind other people's connections.
    rank = 1

    def __init__(self, crowd):
        self.crowd = crowd

    def request(self):
        """An idle one: it has asked something once, and nothing since."""
        return "GET /health/live HTTP/1.1\r\nHost: {0}\r\n\r\n"

    def again(self, now):
        return now + random.uniform(0, 0.2)

    def connect(self):
        self.server = random.choice(self.crowd.servers)
        self.socket = socket.socket()
        self.socket.setblocking(False)
        try:
            # Addresses of its own: neither ports nor the limit of an address are to end before the servers do.
            self.socket.setsockopt(socket.IPPROTO_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT
            self.socket.bind((self.crowd.address(), 0))
            self.socket.connect_ex((self.server[0], self.server[1]))
        except OSError:
            return self.drop()
        self.crowd.selector.register(self.socket, selectors.EVENT_WRITE, self)

    def ready(self, events):
        try:
            if events & selectors.EVENT_WRITE:
                self.socket.sendall(self.request().format(self.server[0]).encode())
                self.crowd.selector.modify(self.socket, selectors.EVENT_READ, self)
                return
            data = self.socket.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            return self.drop()
        told = re.search(rb"(?m)^retry: *(\d+)", data)
        if told:
            self.retry = int(told[1]) / 1000
        if self.opened is None:
            if not data.startswith(b"HTTP/1.1 200"):
                return self.drop()
            self.opened = time.monotonic()
            self.crowd.open += 1

    def drop(self):
        now = time.monotonic()
        try:
            self.crowd.selector.unregister(self.socket)
        except (KeyError, ValueError):
            pass
        self.socket.close()
        if self.opened is not None:
            self.lost, self.opened = now, None
            self.crowd.open -= 1
        self.crowd.later(self.again(now), self)
        self.retry = None


class Stream(Line):
    """One device's stream."""

    rank = 0

    def __init__(self, crowd, device):
        super().__init__(crowd)
        self.device = device

    def request(self):
        path = self.device.path.replace("/push/sns/message", "/push/stream")
        token = self.device.jwt({"mechanismUid": self.device.uid, "iat": int(time.time())})
        return f"GET {path} HTTP/1.1\r\nHost: {{0}}\r\nAuthorization: Bearer {token}\r\nAccept: text/event-stream\r\n\r\n"

    def again(self, now):
        return now + (self.retry if self.retry is not None else 1 + random.uniform(0, 1))


class Crowd:
    """The lines of one process."""

    # How many connections are begun before answers are read again.
    BURST = 50

    def __init__(self, number, servers):
        self.number, self.servers, self.open = number, servers, 0
        self.selector, self.waiting, self.lines = selectors.DefaultSelector(), ([], []), []

    def address(self):
        return f"127.{1 + self.number}.0.{random.randrange(1, 250)}"

    def later(self, at, line):
        heapq.heappush(self.waiting[line.rank], (at, id(line), line))

    def add(self, line):
        self.lines.append(line)
        self.later(0, line)

    def turn(self):
        for _ in range(self.BURST):
            due = next((lines for lines in self.waiting if lines and lines[0][0] <= time.monotonic()), None)
            if due is None:
                break
            heapq.heappop(due)[2].connect()
        for key, events in self.selector.select(0.02):
            key.data.ready(events)

    def enrol(self, accounts, devices):
        """Accounts with as many devices together."""

        class Endpoint:
            def __init__(self, place):
                self.host, self.port = place

        party = Party([Endpoint(place) for place in self.servers], 60)
        admin, streams = party.administrator(), []
        for number in range(accounts):
            name = party.create(admin, f"listener-{uuid.uuid4().hex[:8]}", PASSWORD)
            for _ in range(devices // accounts + (number < devices % accounts)):
                streams.append(PushDevice(party, name, journey="Listen"))
        return streams

    def report(self, since):
        streams = [line for line in self.lines if isinstance(line, Stream)]
        idle = [line for line in self.lines if not isinstance(line, Stream)]
        back = [line.opened - since for line in streams if since and line.opened and line.lost and line.lost >= since]
        return {"streams": sum(line.opened is not None for line in streams), "idle": sum(line.opened is not None for line in idle),
                "lost": sum(1 for line in streams if since and line.lost and line.lost >= since), "back": back}


def attend(number, servers, pipe, devices, streams_per_device, accounts):
    """The program of one process: keeps its lines, and does what it is told."""
    raise_limit()
    crowd = Crowd(number, servers)
    enrolled = crowd.enrol(accounts, devices) if devices else []
    pipe.send(len(enrolled))
    while True:
        crowd.turn()
        if not pipe.poll():
            continue
        word, value = pipe.recv()
        if word == "open":
            for device in enrolled:
                for _ in range(streams_per_device):
                    crowd.add(Stream(crowd, device))
        elif word == "idle":
            for _ in range(value):
                crowd.add(Line(crowd))
        elif word == "report":
            pipe.send(crowd.report(value))
        elif word == "end":
            return


def journeys(folder):
    """A journey that enrols as many devices of an account as come, and asks for no password: hashing would be most of the work."""
    names, push = "1d0f5a1e-2d33-4b29-9a41-0f2f6f5a0001", "1d0f5a1e-2d33-4b29-9a41-0f2f6f5a0002"
    success, failure = "70e691a5-1e33-4ac3-a356-e7b6d60d92e0", "e301438c-0bd0-429c-ab0c-66126501069a"

    def node(identifier, kind, **properties):
        return {"_id": identifier, "_type": {"_id": kind, "name": kind, "collection": True}, **properties}

    def place(kind, **connections):
        return {"displayName": kind, "nodeType": kind, "x": 0, "y": 0, "connections": connections}

    journey = {
        "meta": {"origin": "soak", "originAmVersion": "7.5.0"},
        "nodes": {names: node(names, "UsernameCollectorNode"),
                  push: node(push, "PushRegistrationNode", issuer="Soak", accountName="USERNAME", bgColor="032b75", imgUrl="",
                             generateRecoveryCodes=False, scanQRCodeMessage={}, timeout=120, allowMultipleDevices=True)},
        "innerNodes": {}, "scripts": {},
        "tree": {"_id": "Listen", "enabled": True, "entryNodeId": names, "nodes": {
            names: place("UsernameCollectorNode", outcome=push),
            push: place("PushRegistrationNode", successOutcome=success, failureOutcome=failure, timeoutOutcome=failure)},
            "staticNodes": {}}}
    os.makedirs(os.path.join(folder, "alpha"), exist_ok=True)
    with open(os.path.join(folder, "alpha", "Listen.journey.json"), "w", encoding="utf-8") as file:
        json.dump(journey, file)
    return folder


class Crowds:
    """All processes, seen from the one that breaks things."""

    def __init__(self, servers, devices, streams_per_device, idle, least=2):
        self.pipes, self.processes = [], []
        count = max(least, -(-(devices * streams_per_device + idle) // PER_PROCESS))
        places = [(server.host, server.port) for server in servers]
        context = multiprocessing.get_context("fork")
        for number in range(count):
            share = devices // count + (number < devices % count)
            here, there = context.Pipe()
            process = context.Process(
                target=attend, args=(number, places, there, share, streams_per_device, -(-share // DEVICES_PER_ACCOUNT)), daemon=True)
            process.start()
            self.pipes.append(here)
            self.processes.append(process)

    def enrolled(self):
        return sum(pipe.recv() for pipe in self.pipes)

    def tell(self, word, values=None):
        for number, pipe in enumerate(self.pipes):
            pipe.send((word, values[number] if values else None))

    def report(self, since=None):
        for pipe in self.pipes:
            pipe.send(("report", since))
        reports = [pipe.recv() for pipe in self.pipes]
        return {"streams": sum(each["streams"] for each in reports), "idle": sum(each["idle"] for each in reports),
                "lost": sum(each["lost"] for each in reports), "back": sorted(value for each in reports for value in each["back"])}

    def until(self, condition, seconds, since=None):
        """The last report, and whether the condition held in time."""
        end = time.monotonic() + seconds
        while True:
            report = self.report(since)
            if condition(report) or time.monotonic() > end:
                return report, condition(report)
            time.sleep(0.25)

    def close(self):
        for process in self.processes:
            process.kill()
            process.join()


def listen(servers, devices=100, streams_per_device=3, idle=0, graceful=False, say=print):
    """Seconds until each stream of the restarted server was back, and what the servers hold in memory."""

    def memory():
        return f"memory {', '.join(f'{server.resident_mib():.0f}' for server in servers)} MiB"

    began = time.monotonic()
    crowds, wanted = Crowds(servers, devices, streams_per_device, idle), devices * streams_per_device
    try:
        crowds.enrolled()
        say(f"  {devices} devices enrolled in {time.monotonic() - began:.0f} s, {len(crowds.pipes)} processes; {memory()}")
        began = time.monotonic()
        crowds.tell("open")
        patience = 300 + wanted / 20
        report, complete = crowds.until(lambda report: report["streams"] == wanted, patience)
        assert complete, f"{report['streams']} of {wanted} streams are open after {patience:.0f} s"
        say(f"  {wanted} streams are open after {time.monotonic() - began:.1f} s; {memory()}")
        if idle:
            began, count = time.monotonic(), len(crowds.pipes)
            crowds.tell("idle", [idle // count + (number < idle % count) for number in range(count)])
            report, complete = crowds.until(lambda report: report["idle"] >= idle, 180)
            say(f"  {report['idle']} of {idle} connections idle after {time.monotonic() - began:.1f} s beside {report['streams']} streams; {memory()}")
        victim = servers[0]
        began = time.monotonic()
        if graceful:
            assert victim.terminate() == 0
        else:
            victim.kill()
        victim.begin()
        victim.finish_start()
        started = time.monotonic() - began
        time.sleep(1)
        report, complete = crowds.until(lambda report: report["streams"] == wanted, patience, since=began)
        back = report["back"]
        assert complete, f"{report['streams']} of {wanted} streams are open {patience:.0f} s after the restart"
        crowd = max(Counter(int(seconds) for seconds in back).values())
        say(f"  {victim.name} {'restarted' if graceful else 'killed'}, and listening again after {started:.1f} s: {report['lost']} streams were lost; "
            f"the first was back after {back[0]:.1f} s, half after {statistics.median(back):.1f} s, all after {back[-1]:.1f} s, at most {crowd} within a second; {report['idle']} connections idle; {memory()}")
        return back
    finally:
        crowds.close()
