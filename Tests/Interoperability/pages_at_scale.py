"""How long the administration's lists take with many accounts: fills a SQLite database of its own behind the server's back, then asks for pages
and prints the median and the slowest of each, in milliseconds.
Usage: pages_at_scale.py SEALRING [ACCOUNTS]. Figures of it are in docs/administration-pages.md.
"""
import http.client
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

PASSWORD = "administrator at scale"


class Server:
    def __init__(self, program, data):
        self.process = subprocess.Popen(
            [program, "serve", "--port", "0", "--data", data], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "SEALRING_ADMIN_PASSWORD": PASSWORD})
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1].split("/")[0])
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port)

    def send(self, method, path, headers, body=None):
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def stop(self):
        self.process.terminate()
        self.process.wait()


def fill(path, count):
    database = sqlite3.connect(path)
    columns = [row[1] for row in database.execute("PRAGMA table_info(users)")]
    template = dict(zip(columns, database.execute("SELECT * FROM users LIMIT 1").fetchone()))
    syllables = ["ma", "ri", "no", "el", "ti", "so", "ka", "le", "ju", "be"]

    def account(number):
        name = "".join(syllables[int(digit)] for digit in f"{number * 7919 % 10_000_019:07}") + str(number)
        mail = f"{name}@example.org"
        return {**template, "realm_key": "alpha", "name_key": name, "realm": "alpha", "username": name, "account_id": name,
                "is_administrator": 0, "password_hash": None, "mail": json.dumps([mail]), "attributes": "{}"}

    names = ", ".join(columns)
    places = ", ".join("?" for _ in columns)
    accounts = (account(number) for number in range(count))
    with database:
        for one in accounts:
            database.execute(f"INSERT INTO users ({names}) VALUES ({places})", [one[column] for column in columns])
            mail = json.loads(one["mail"])[0]
            database.execute(
                "INSERT INTO identity_values (realm_key, name_key, attribute, value) VALUES ('alpha', ?, 'mail', ?)",
                [one["name_key"], mail])
    database.close()


def main(program, count):
    with tempfile.TemporaryDirectory() as data:
        Server(program, data).stop()
        fill(os.path.join(data, "sealring.sqlite"), count)
        server = Server(program, data)
        try:
            status, body = server.send(
                "POST", "/am/json/realms/root/authenticate",
                {"Content-Type": "application/json", "X-OpenAM-Username": "amAdmin", "X-OpenAM-Password": PASSWORD}, "{}")
            assert status == 200, body
            cookie = {"Cookie": "iPlanetDirectoryPro=" + json.loads(body)["tokenId"], "Accept": "text/html"}
            for path in ("users?", "users?after=ma&", "users?find=mari&", "users?find=marinoelti&", "users?find=s&", "signins?name=marino&"):
                times = []
                for _ in range(50):
                    start = time.perf_counter()
                    status, body = server.send("GET", f"/am/admin/{path}realm=/alpha", cookie)
                    times.append((time.perf_counter() - start) * 1000)
                    assert status == 200, body
                print(f"{path:24} median {statistics.median(times):6.1f} ms, slowest {max(times):6.1f} ms, {len(body):6} bytes")
        finally:
            server.stop()


main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000)
