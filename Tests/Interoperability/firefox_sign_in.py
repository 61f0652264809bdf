"""Signs in with Firefox on the server's page, and looks at what the page makes of markup. Knows the page as people do: by what it shows.

Debian has no geckodriver, so this speaks Firefox's own protocol (Marionette): JSON with its length before it, over a socket of this machine.
"""
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

address, username, password = sys.argv[1:4]
failures = 0


def check(what, holds, detail=""):
    global failures
    failures += not holds
    print("ok  " if holds else "FAIL", what, "" if holds else detail)


class Firefox:
    def __init__(self, profile, program):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        (profile / "user.js").write_text(
            f'user_pref("marionette.port", {port});\nuser_pref("intl.accept_languages", "de");\n'
            'user_pref("datareporting.policy.dataSubmissionEnabled", false);\n')
        self.process = subprocess.Popen(
            [program, "--headless", "--no-remote", "--profile", str(profile), "--marionette", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={"HOME": str(profile), "PATH": "/usr/bin:/bin"})
        self.number = 0
        deadline = time.monotonic() + 120
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), 120)
                break
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise SystemExit("FAIL Firefox does not listen")
                time.sleep(0.2)
        self.read()
        self.call("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {}}})

    def read(self):
        length = b""
        while not length.endswith(b":"):
            length += self.socket.recv(1)
        data = b""
        while len(data) < int(length[:-1]):
            data += self.socket.recv(int(length[:-1]) - len(data))
        return json.loads(data)

    def call(self, name, parameters):
        self.number += 1
        message = json.dumps([0, self.number, name, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self.read()
        if error:
            raise SystemExit(f"FAIL {name}: {error.get('message')}")
        return result

    def run(self, script):
        return self.call("WebDriver:ExecuteScript", {"script": script, "args": []})["value"]

    def wait(self, selector):
        deadline = time.monotonic() + 120
        while not self.run(f"return document.querySelector({json.dumps(selector)}) !== null"):
            if time.monotonic() > deadline:
                raise SystemExit(f"FAIL the page never had {selector}: {self.run('return document.body.innerText')}")
            time.sleep(0.1)

    def element(self, selector):
        return list(self.call("WebDriver:FindElement", {"using": "css selector", "value": selector})["value"].values())[0]

    def type(self, selector, text):
        self.call("WebDriver:ElementSendKeys", {"id": self.element(selector), "text": text})

    def click(self, selector):
        self.call("WebDriver:ElementClick", {"id": self.element(selector)})


def play(firefox):
    firefox.call("WebDriver:Navigate", {"url": f"{address}/XUI/?realm=/alpha&service=Login"})
    firefox.wait("input[type=password]")
    check("the page speaks the browser's language", "Benutzername" in firefox.run("return document.body.innerText"))
    firefox.type("#IDToken1", username)
    firefox.type("#IDToken2", password)
    firefox.click("#languages a[lang=en]")
    firefox.wait("html[lang=en]")
    check("what was typed stays in another language", firefox.run("return IDToken1.value") == username)
    firefox.click("button[type=submit]")
    firefox.wait("#title[data-end=success]")
    check("the person is signed in", "You are signed in." in firefox.run("return document.body.innerText"))
    firefox.call("WebDriver:Navigate", {"url": f"{address}/XUI/?realm=/alpha&service=PasskeyOrPassword&ForceAuth=true"})
    firefox.wait("#IDToken1")
    check("a passkey is offered in the name's field", firefox.run("return IDToken1.autocomplete") == "username webauthn")


def main():
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    with tempfile.TemporaryDirectory(prefix="firefox-", dir="/tmp") as folder:
        firefox = Firefox(pathlib.Path(folder), program)
        try:
            play(firefox)
        finally:
            firefox.process.terminate()
            firefox.process.wait()
    print("all checks passed" if not failures else f"{failures} failed")
    sys.exit(bool(failures))


main()
