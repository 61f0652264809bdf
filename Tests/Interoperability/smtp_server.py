"""A small SMTP server for tests (RFC 5321, 3207, 4954), written after these and knowing nothing of Sealring.

    smtp_server.py FOLDER MODE [refuse=550] [user=NAME:PASSWORD] [name=HOST]

MODE is plain, starttls, tls, or stripped (says that it has no STARTTLS). Makes a certificate of its own, FOLDER/ca.pem, for HOST (127.0.0.1).
Prints its port, then, for each message, one line of JSON. Ends with its standard input.
"""

import base64
import json
import os
import socket
import ssl
import subprocess
import sys
import threading


def certificate(folder, name):
    kind = "IP" if name.replace(".", "").isdigit() else "DNS"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", f"/CN={name}", "-addext", f"subjectAltName={kind}:{name}", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/ca.pem"],
        check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{folder}/ca.pem", f"{folder}/key.pem")
    return context


class Session:
    def __init__(self, connection, mode, context, options):
        self.mode, self.context, self.options = mode, context, options
        self.is_encrypted = mode == "tls"
        self.take(context.wrap_socket(connection, server_side=True) if self.is_encrypted else connection)
        self.user = None
        self.sender, self.recipients = None, []

    def take(self, connection):
        self.connection, self.lines = connection, connection.makefile("rb")

    def say(self, text):
        self.connection.sendall(text.encode() + b"\r\n")

    def run(self):
        self.say("220 test ESMTP")
        while line := self.lines.readline(4096):
            command = line.decode("ascii").rstrip("\r\n")
            word = command.split(" ")[0].upper()
            if word == "EHLO":
                words = ["test", "8BITMIME"]
                if self.mode == "starttls" and not self.is_encrypted:
                    words.append("STARTTLS")
                if "user" in self.options and (self.is_encrypted or self.mode == "plain"):
                    words.append("AUTH PLAIN")
                for text in words[:-1]:
                    self.say("250-" + text)
                self.say("250 " + words[-1])
            elif word == "STARTTLS" and self.mode == "starttls":
                self.say("220 go on")
                self.take(self.context.wrap_socket(self.connection, server_side=True))
                self.is_encrypted = True
            elif word == "AUTH":
                parts = command.split(" ")
                if len(parts) < 3:
                    self.say("334 ")
                    parts.append(self.lines.readline(4096).decode().strip())
                _, name, password = base64.b64decode(parts[2]).decode().split("\0")
                if f"{name}:{password}" == self.options.get("user"):
                    self.user = name
                    self.say("235 yes")
                else:
                    self.say("535 no")
            elif word == "MAIL":
                if "user" in self.options and self.user is None:
                    self.say("530 authenticate")
                    continue
                self.sender = command[len("MAIL FROM:"):]
                self.say("250 ok")
            elif word == "RCPT":
                if "refuse" in self.options:
                    self.say(self.options["refuse"] + " not here")
                    continue
                self.recipients.append(command[len("RCPT TO:"):])
                self.say("250 ok")
            elif word == "DATA":
                self.say("354 go on")
                content = b""
                while (line := self.lines.readline()) != b".\r\n":
                    content += line[1:] if line.startswith(b"..") else line
                print(json.dumps({
                    "from": self.sender, "to": self.recipients, "content": content.decode("ascii"), "user": self.user,
                    "encrypted": self.is_encrypted}), flush=True)
                self.say("250 kept")
            elif word == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 ok" if word in ("NOOP", "RSET") else "502 unknown")


def serve(listener, mode, context, options):
    while True:
        connection, _ = listener.accept()

        def run():
            try:
                Session(connection, mode, context, options).run()
            except (OSError, ssl.SSLError, ValueError):
                pass
            finally:
                connection.close()

        threading.Thread(target=run, daemon=True).start()


def main():
    folder, mode = sys.argv[1:3]
    options = dict(text.split("=", 1) for text in sys.argv[3:])
    context = certificate(folder, options.get("name", "127.0.0.1")) if mode != "plain" else None
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    threading.Thread(target=serve, args=(listener, mode, context, options), daemon=True).start()
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main()
