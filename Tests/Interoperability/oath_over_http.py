#!/usr/bin/python3
"""An authenticator that shares no code with Sealring: registers by the QR code's address, signs in, and tries what must fail.

Usage: oath_over_http.py BASE_URL   (for example http://127.0.0.1:8080/am)
The password of amAdmin comes from SEALRING_ADMIN_PASSWORD. Prints one line per check; exits 1 when one failed.
Codes come from RFC 4226 and 6238 in ten lines of Python, and from `oathtool` as well where it is installed.
"""

import base64
import hmac
import http.client
import json
import os
import shutil
import subprocess
import sys
import threading
import time
import urllib.parse
import uuid

BASE = urllib.parse.urlparse(sys.argv[1])
ALPHA = "/json/realms/root/realms/alpha"
PASSWORD = "Correct horse 1"
failures = 0


def check(condition, text):
    global failures
    print(("ok    " if condition else "FAIL  ") + text, flush=True)
    if not condition:
        failures += 1


def request(method, path, body=None, headers=None):
    connection = http.client.HTTPConnection(BASE.hostname, BASE.port, timeout=60)
    sent = {"Accept-API-Version": "resource=2.1, protocol=1.0", **(headers or {})}
    data = None
    if body is not None:
        data = json.dumps(body).encode()
        sent["Content-Type"] = "application/json"
    try:
        connection.request(method, BASE.path + path, body=data, headers=sent)
        response = connection.getresponse()
        answer = json.loads(response.read())
    finally:
        connection.close()
    if response.status >= 500:
        check(False, f"{method} {path} answered {response.status}")
    return response.status, answer


def start(journey, name, realm=ALPHA, password=PASSWORD):
    headers = {"X-OpenAM-Username": name, "X-OpenAM-Password": password}
    return request("POST", f"{realm}/authenticate?authIndexType=service&authIndexValue={journey}", {}, headers)


def send(answer, *values):
    """Answers a step; the values fill the inputs in order, the rest goes back as it came."""
    inputs = [entry for callback in answer["callbacks"] for entry in callback.get("input", [])]
    for entry, value in zip(inputs, values):
        entry["value"] = value
    return request("POST", f"{ALPHA}/authenticate", {"authId": answer["authId"], "callbacks": answer["callbacks"]})


def sign_in(name, code):
    status, answer = start("OathSignIn", name)
    return send(answer, code, 0) if "callbacks" in answer else (status, answer)


def hotp(secret, counter, digits=6, name="sha1"):
    mac = hmac.new(secret, counter.to_bytes(8, "big"), name).digest()
    offset = mac[-1] & 15
    return str((int.from_bytes(mac[offset:offset + 4], "big") & 0x7FFFFFFF) % 10**digits).zfill(digits)


def step():
    return int(time.time()) // 30


admin_password = os.environ["SEALRING_ADMIN_PASSWORD"]
_, answer = start("Login", "amAdmin", "/json/realms/root", admin_password)
admin = {"iPlanetDirectoryPro": answer["tokenId"]}
user = "oath-" + uuid.uuid4().hex[:8]
status, _ = request(
    "POST", f"{ALPHA}/users?_action=create", {"username": user, "userpassword": PASSWORD, "mail": []}, admin)
check(status == 201, "a user is created")
check(sign_in(user, "000000")[0] == 401, "nobody signs in with a code before an authenticator is registered")

# --- Registration

status, answer = start("OathRegister", user)
hidden = next(item for item in answer["callbacks"] if item["type"] == "HiddenValueCallback")
address = urllib.parse.urlparse(next(o["value"] for o in hidden["output"] if o["name"] == "value"))
parameters = dict(urllib.parse.parse_qsl(address.query, strict_parsing=True))
check(address.scheme == "otpauth" and address.netloc == "totp", "the address is one that authenticators read")
check(urllib.parse.unquote(address.path) == f"/Sealring:{user}", "its label names issuer and account")
check((parameters["algorithm"], parameters["digits"], parameters["period"]) == ("SHA1", "6", "30"), "its parameters")
secret = base64.b32decode(parameters["secret"])
check(len(secret) >= 20, "the secret has 160 bits")

if shutil.which("oathtool"):
    for name, digits in [("sha1", 6), ("sha256", 8), ("sha512", 6)]:
        moment = int(time.time())
        output = subprocess.run(
            ["oathtool", f"--totp={name}", f"--digits={digits}", f"--now=@{moment}", "--window=4", secret.hex()],
            capture_output=True, text=True, check=True).stdout.split()
        mine = [hotp(secret, moment // 30 + number, digits, name) for number in range(5)]
        check(output == mine, f"oathtool makes the same codes with {name}")

status, answer = send(answer)
status, answer = send(answer, "000000", 0)
back = [o["value"] for c in answer.get("callbacks", []) if c["type"] == "HiddenValueCallback" for o in c["output"]]
check(address.geturl() in back, "a wrong first code leads back to the same address")
status, answer = send(answer)
first = step() - 1
status, answer = send(answer, hotp(secret, first), 0)
check(status == 200 and "callbacks" in answer, "the first code proves the authenticator, and recovery codes are shown")
recovery = answer["callbacks"][0]["output"][0]["value"].split("\n")
check(len(recovery) == 10, "ten of them")
status, answer = send(answer)
check(status == 200 and "tokenId" in answer, "and then the person is signed in")

# --- Signing in

check(sign_in(user, hotp(secret, first))[0] == 401, "the same code is refused")
code = hotp(secret, first + 1)
opened = [start("OathSignIn", user)[1] for _ in range(2)]
results = []
threads = [threading.Thread(target=lambda page: results.append(send(page, code, 0)[0]), args=(page,)) for page in opened]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
check(sorted(results) == [200, 401], f"of two equal codes at once one signs in: {results}")
status, answer = sign_in(user, hotp(secret, first + 2))
check(status == 200 and "tokenId" in answer, "the next code signs in")
token = {"iPlanetDirectoryPro": answer["tokenId"]}

status, answer = send(start("OathSignIn", user)[1], "", 1)
check(answer["callbacks"][0]["output"][0]["value"] == "Recovery Code", "the other button asks for a recovery code")
check(send(answer, recovery[0].lower().replace("-", " "))[0] == 200, "which signs in, however it is written")
status, answer = send(start("OathSignIn", user)[1], "", 1)
check(send(answer, recovery[0])[0] == 401, "once")

# --- Devices

devices = f"{ALPHA}/users/{user}/devices/2fa/oath"
status, answer = request("GET", devices + "?_queryFilter=true", headers=token)
check(status == 200 and answer["resultCount"] == 1, "the authenticator is listed")
check(parameters["secret"] not in json.dumps(answer), "without its secret")
number = answer["result"][0]["_id"]
check(base64.urlsafe_b64decode(parameters["oid"] + "==").decode() == number, "under the id of the address")
status, answer = request("PUT", f"{devices}/{number}", {"deviceName": "Desk"}, token)
check(status == 200 and answer["deviceName"] == "Desk", "it is renamed")
check(request("DELETE", f"{devices}/{number}", headers=token)[0] == 200, "and removed")
check(sign_in(user, hotp(secret, step() + 2))[0] == 401, "after which its codes are worth nothing")

print("all checks passed" if failures == 0 else f"{failures} checks failed")
sys.exit(1 if failures else 0)
