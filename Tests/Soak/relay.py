"""Stands between a server and its PostgreSQL, reads along, and ends connections at the worst moment."""

import os
import selectors
import socket
import threading


class Relay:
    """A socket that leads to `target`. Once it is armed, the next answer of the database that has certain words is not passed on.

    Then the connection ends: the database has done what it was asked, and whoever asked does not hear of it. Or it is held: nothing goes
    through any more, as when a network or a server stands still in the middle of a transaction."""

    def __init__(self, folder, target):
        self.target, self.words, self.holds = target, (), False
        self.armed, self.happened = threading.Event(), threading.Event()
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, ".s.PGSQL.5432")
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(self.path)
        self.listening.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def arm(self, *tags, holds=False):
        """`tags` are command tags of PostgreSQL's protocol, such as `COMMIT`, which the answer has all."""
        self.words, self.holds = [tag.encode() + b"\0" for tag in tags], holds
        self.happened.clear()
        self.armed.set()

    def accept(self):
        while True:
            try:
                client, _ = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self.carry, args=(client,), daemon=True).start()

    def carry(self, client):
        database = socket.socket(socket.AF_UNIX)
        selector = selectors.DefaultSelector()
        with client, database, selector:
            try:
                database.connect(self.target)
                selector.register(client, selectors.EVENT_READ)
                selector.register(database, selectors.EVENT_READ)
                while True:
                    for key, _ in selector.select():
                        data = key.fileobj.recv(65536)
                        if not data:
                            return
                        if key.fileobj is client:
                            database.sendall(data)
                        elif self.armed.is_set() and all(word in data for word in self.words):
                            self.armed.clear()
                            self.happened.set()
                            if not self.holds:
                                return
                            selector.unregister(client)
                        else:
                            client.sendall(data)
            except OSError:
                return

    def close(self):
        self.listening.close()
