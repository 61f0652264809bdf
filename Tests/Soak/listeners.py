"""Devices that listen (server-sent events) and connections that idle, at several servers, one of which is restarted.

A device that loses its stream waits one second, and up to one more by chance, and comes back to whichever server is there. The chance keeps
devices from coming all at once.
"""

import random
import resource
import selectors
import socket
import statistics
import time
import uuid

from workload import PASSWORD, Party, PushDevice


class Stream:
    """One device's stream. `at` is when it connects next; `opened` when the server's answer came."""

    def __init__(self, device):
        self.device, self.socket, self.server = device, None, None
        self.at, self.opened, self.lost = 0.0, None, None


class Listeners:
    def __init__(self, servers, devices, streams_per_device):
        self.servers = servers
        party = Party(servers, 60)
        admin = party.administrator()
        self.streams, self.selector, self.connections = [], selectors.DefaultSelector(), 0
        for _ in range(devices):
            name = party.create(admin, f"listener-{uuid.uuid4().hex[:8]}", PASSWORD)
            device = PushDevice(party, name)
            self.streams += [Stream(device) for _ in range(streams_per_device)]

    def connect(self, stream):
        server = random.choice(self.servers)
        path = stream.device.path.replace("/push/sns/message", "/push/stream")
        token = stream.device.jwt({"mechanismUid": stream.device.uid, "iat": int(time.time())})
        try:
            stream.socket = socket.create_connection((server.host, server.port), timeout=5)
            stream.socket.sendall(
                f"GET {path} HTTP/1.1\r\nHost: {server.host}\r\nAuthorization: Bearer {token}\r\nAccept: text/event-stream\r\n\r\n".encode())
        except OSError:
            return self.drop(stream)
        stream.server = server
        stream.socket.setblocking(False)
        self.selector.register(stream.socket, selectors.EVENT_READ, stream)

    def drop(self, stream, retry=1.0):
        now = time.monotonic()
        if stream.socket is not None:
            try:
                self.selector.unregister(stream.socket)
            except (KeyError, ValueError):
                pass
            stream.socket.close()
            stream.socket = None
        if stream.opened is not None:
            stream.lost, stream.opened = now, None
        stream.at = now + retry + random.uniform(0, retry)

    def play(self, until, seconds):
        """Keeps all streams for as long as `until` says no; whether it said yes."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            now, due = time.monotonic(), 0
            for stream in self.streams:
                if stream.socket is None and stream.at <= now:
                    self.connect(stream)
                    due += 1
                    if due == 50:
                        break
            for key, _ in self.selector.select(0.02):
                self.read(key.data)
            if until():
                return True
        return False

    def read(self, stream):
        try:
            data = stream.socket.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.drop(stream)
        elif stream.opened is None:
            if data.startswith(b"HTTP/1.1 200"):
                stream.opened = time.monotonic()
            else:
                self.drop(stream)

    def is_complete(self):
        return all(stream.opened is not None for stream in self.streams)

    def close(self):
        for stream in self.streams:
            if stream.socket is not None:
                stream.socket.close()


def listen(servers, devices=100, streams_per_device=3, idle=0, restart=None, say=print):
    """Seconds until each stream of the restarted server was back, and what the servers hold in memory."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = devices * streams_per_device + idle + 200
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, wanted)), hard))
    crowd = Listeners(servers, devices, streams_per_device)
    idlers = []
    try:
        assert crowd.play(crowd.is_complete, 120), "the streams did not open"
        for number in range(idle):
            server = servers[number % len(servers)]
            idlers.append(socket.create_connection((server.host, server.port), timeout=20))
        say(f"  {len(crowd.streams)} streams of {devices} devices are open, {idle} connections idle; "
            f"memory {', '.join(f'{server.resident_mib():.0f}' for server in servers)} MiB")
        victim = servers[0]
        hit = [stream for stream in crowd.streams if stream.server is victim]
        began = time.monotonic()
        (restart or victim.kill)()
        victim.begin()
        victim.finish_start()
        assert crowd.play(crowd.is_complete, 120), "the streams did not come back"
        back = sorted(stream.opened - began for stream in hit)
        say(f"  {len(hit)} streams were lost; all were back after {back[-1]:.1f} s, half of them after {statistics.median(back):.1f} s; "
            f"memory {', '.join(f'{server.resident_mib():.0f}' for server in servers)} MiB")
        return back
    finally:
        crowd.close()
        for each in idlers:
            each.close()
