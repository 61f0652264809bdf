"""A host that takes every connection and says nothing: what a frozen machine is to those that connect to it."""

import os
import socket
import threading


class SilentHost:
    """A socket in `folder` in place of a PostgreSQL's."""

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.folder, self.taken, self.kept = folder, 0, []
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(os.path.join(folder, ".s.PGSQL.5432"))
        self.listening.listen(128)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listening.accept()
            except OSError:
                return
            self.taken += 1
            # Nothing is read, and nothing is closed while it is among the last ones.
            self.kept = self.kept[-500:] + [client]

    def close(self):
        self.listening.close()
        for client in self.kept:
            client.close()
