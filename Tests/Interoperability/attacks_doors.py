"""Attacks on the server's smaller doors: scripts of one realm, OpenID Connect, other providers, mail, names, pictures.

attacks.py plays them with the others. They have a server of their own, with journeys, clients and a provider that stands for somebody else's.
"""

import atexit
import email
import email.policy
import glob
import hashlib
import http.server
import json
import os
import shutil
import tempfile
import threading
import time
import urllib.parse

from attack_tools import SCENARIOS, ALPHA, PASSWORD, TOKEN, Client, Key, Server, at_once, b64u, callback, outputs

SUCCESS, FAILURE = "70e691a5-1e33-4ac3-a356-e7b6d60d92e0", "e301438c-0bd0-429c-ab0c-66126501069a"
OAUTH = "/am/oauth2/realms/root/realms/alpha"
REDIRECT = "https://app.example.com/cb"
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
WAITING = "sealring-authorize"


def scenario(title):
    def add(function):
        SCENARIOS.append((title, lambda world: function(world, doors(world))))
        return function
    return add


# The server


def journey(name, entry, nodes, **more):
    """An export; `nodes` has type, connections and properties by id."""
    return {
        "tree": {"_id": name, "entryNodeId": entry, "nodes": {
            key: {"nodeType": kind, "connections": connections} for key, (kind, connections, _) in nodes.items()}},
        "nodes": {key: {"_type": {"_id": kind}, **properties} for key, (kind, _, properties) in nodes.items()}, **more}


def scripted(name, source):
    return journey(name, "s", {
        "s": ("ScriptedDecisionNode", {"true": SUCCESS}, {"script": "text", "outcomes": ["true"]})},
        scripts={"text": {
            "_id": "text", "name": "Peek", "language": "JAVASCRIPT", "context": "AUTHENTICATION_TREE_DECISION_NODE",
            "evaluatorVersion": "2.0", "script": json.dumps(source)}})


# Shows the attacker everything that the script finds in the request.
PEEK = """
if (callbacks.isEmpty()) {
  var seen = [];
  ["cookie", "authorization", "iplanetdirectorypro", "x-openam-password"].forEach(function (name) {
    var value = requestHeaders.get(name);
    if (value !== null && value !== undefined) seen.push(name + "=" + value.get(0));
  });
  seen.push(JSON.stringify(requestCookies));
  seen.push("env=" + systemEnv.getProperty("esv.root.secret", "none"));
  callbacksBuilder.textOutputCallback(0, seen.join(" "));
} else {
  action.goTo("true");
}
"""


def mailing(name, looks_up, ask):
    return journey(name, "ask", {
        "ask": (*ask,),
        "mail": ("EmailSuspendNode", {"outcome": FAILURE}, {"objectLookup": looks_up, "emailTemplateName": "welcome"})},
        emailTemplates={"welcome": {
            "enabled": True, "subject": {"en": "Hello {{object.givenName}}"},
            "message": {"en": "<p>Hello {{object.givenName}}, <a href=\"{{object.resumeURI}}\">go on</a></p>"}}})


class Provider(http.server.BaseHTTPRequestHandler):
    """The discovery document of another provider; nobody signs in there."""

    def do_GET(self):
        base = f"http://127.0.0.1:{self.server.server_port}"
        body = json.dumps({
            "issuer": base, "authorization_endpoint": base + "/authorize", "token_endpoint": base + "/token",
            "jwks_uri": base + "/keys", "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Doors:
    """A server with journeys of an attacker in realm alpha, OpenID Connect clients, and a provider."""

    def __init__(self, binary):
        self.folder = tempfile.mkdtemp(prefix="sealring-doors-")
        self.provider = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
        threading.Thread(target=self.provider.serve_forever, daemon=True).start()
        for file in [
            scripted("Peek", PEEK),
            mailing("Forgot", True, ("UsernameCollectorNode", {"outcome": "mail"}, {})),
            mailing("Invite", False, (
                "AttributeCollectorNode", {"outcome": "mail"},
                {"attributesToCollect": ["mail", "givenName"], "required": True})),
            journey("Federated", "select", {
                "select": ("SelectIdPNode", {"socialAuthentication": "handle"}, {"includeLocalAuthentication": False}),
                "handle": (
                    "SocialProviderHandlerNode",
                    {"ACCOUNT_EXISTS": SUCCESS, "NO_ACCOUNT": FAILURE, "SOCIAL_AUTH_INTERRUPTED": FAILURE},
                    {"clientType": "BROWSER"})}),
        ]:
            self.write(f"journeys/alpha/{file['tree']['_id']}.journey.json", file)
        clients = self.write("clients.json", {
            "acr_journeys": {"urn:mfa": "StepUp"},
            "clients": [{
                "client_id": "app", "token_endpoint_auth_method": "none", "redirect_uris": [REDIRECT], "scope": "openid",
                "require_consent": False}]})
        secrets = self.write("environment.json", {"esv.root.secret": "ROOT-SECRET"})
        providers = self.write("providers.json", {"op": {
            "issuer": f"http://127.0.0.1:{self.provider.server_port}", "clientId": "sealring",
            "redirectURI": "https://id.example.com/am/XUI/"}})
        os.chmod(providers, 0o600)
        self.server = Server(
            binary, "--journeys", os.path.join(self.folder, "journeys"), "--oidc-clients", clients,
            "--script-environment", f"root={secrets}", "--identity-providers", f"alpha={providers}", data=self.folder)
        self.attacker = Client(self.server, "127.0.0.66")
        self.owner = Client(self.server, "127.0.0.10")
        self.admin = Client(self.server, "127.0.0.5")
        self.administrator = self.admin.administrator()
        self.serial = 0
        atexit.register(self.close)

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file)
        return path

    def account(self, **more):
        self.serial += 1
        name = f"door{self.serial}"
        status, answer, _ = self.admin.send(
            "POST", f"{ALPHA}/users?_action=create", {"username": name, "userpassword": PASSWORD, **more}, self.administrator)
        assert status == 201, (status, answer)
        return name

    def get(self, path, cookies=None, host=None, client=None, **query):
        """(status, address and parameters that it leads to, headers)."""
        query = urllib.parse.urlencode(query)
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in (cookies or {}).items())} if cookies else {}
        if host:
            headers["Host"] = host
        status, answer, fields = (client or self.attacker).send("GET", path + ("?" + query if query else ""), headers=headers)
        address, _, parameters = (fields.get("Location") or "").partition("?")
        return status, address, dict(urllib.parse.parse_qsl(parameters)), fields

    def authorize(self, cookies=None, client=None, **more):
        challenge = b64u(hashlib.sha256(VERIFIER.encode()).digest())
        return self.get(
            OAUTH + "/authorize", cookies, client=client, client_id="app", redirect_uri=REDIRECT, response_type="code",
            scope="openid", state="s", code_challenge=challenge, code_challenge_method="S256", **more)

    def back(self, parameters):
        """The address that the sign-in page goes on to, as this server has it."""
        goto = urllib.parse.urlsplit(parameters["goto"])
        return goto.path, dict(urllib.parse.parse_qsl(goto.query))

    def mails(self):
        """Subject and text of each mail, as a mail program shows them."""
        texts = []
        for path in sorted(glob.glob(os.path.join(self.folder, "server", "mail", "*"))):
            with open(path, "rb") as file:
                mail = email.message_from_binary_file(file, policy=email.policy.default)
            parts = [part.get_content() for part in mail.walk() if part.get_content_maintype() == "text"]
            texts.append("\n".join([mail["Subject"] or "", *parts]))
        return texts

    def close(self):
        self.server.close()
        self.provider.shutdown()
        shutil.rmtree(self.folder, ignore_errors=True)


def doors(world):
    if not hasattr(world, "doors"):
        world.doors = Doors(world.binary)
    return world.doors


def cookie_of(headers, name):
    for value in headers.get_all("Set-Cookie") or []:
        if value.startswith(name + "="):
            return value.split(";")[0].partition("=")[2]
    return None


# Scripts


@scenario("A journey of one realm reads the session of another realm's administrator")
def stolen_by_script(world, doors):
    cookies = f"{TOKEN}={doors.administrator}; sealring-device=DEVICE; theme=dark"
    headers = {"Cookie": cookies, "Authorization": "Bearer BEARER"}
    step = doors.owner.start("Peek", headers=headers)
    text = outputs(callback(step, "TextOutputCallback"))["message"]
    world.check("dark" in text, f"the script runs, and sees other cookies ({text[:60]})")
    world.check(doors.administrator not in text, "it does not see the administrator's session")
    world.check("DEVICE" not in text and "BEARER" not in text, "nor the known device, nor a token in a header")
    step = doors.owner.start("Peek", headers={"X-Requested-With": "x"}, **{TOKEN: doors.administrator})
    world.check(doors.administrator not in json.dumps(step), "nor a session in the header that programs use")
    world.check("ROOT-SECRET" not in text and "env=none" in text, "variables of another realm are not found")


# OpenID Connect


@scenario("A password is passed off as several factors to an application")
def password_as_factors(world, doors):
    name, key = doors.account(), Key()
    key.bind(doors.owner, name)
    status, address, parameters, fields = doors.authorize(acr_values="urn:mfa")
    world.check(parameters.get("service") == "StepUp", "the application's value leads to StepUp")
    waiting = {WAITING: cookie_of(fields, WAITING)}
    step = doors.attacker.start("StepUp")
    status, step, _ = doors.attacker.reply(step, name, PASSWORD)
    status, step, _ = doors.attacker.answer(step, clientError="Unsupported")
    session = (step or {}).get("tokenId")
    path, query = doors.back(parameters)
    status, address, answer, _ = doors.get(path, {TOKEN: session or "", **waiting}, **query)
    world.check("code" not in answer, f"a client that says Unsupported gets no code ({answer.get('error')})")
    strong = key.sign_in(doors.owner)
    world.check(strong, "the key signs in")


@scenario("A prepared sign-in is answered by somebody else's old session")
def prepared_sign_in(world, doors):
    _, _, parameters, fields = doors.authorize(prompt="login")
    path, query = doors.back(parameters)
    time.sleep(1.1)
    victim = doors.owner.password_sign_in(doors.account(), PASSWORD)
    status, _, answer, _ = doors.get(path, {TOKEN: victim}, client=doors.owner, **query)
    world.check(status == 400 and "code" not in answer, "a browser that did not begin it gets nowhere")
    own = {WAITING: cookie_of(fields, WAITING)}
    status, _, answer, _ = doors.get(path, {TOKEN: victim, **own}, **query)
    world.check("code" in answer, "the one that began it goes on")
    _, _, parameters, fields = doors.authorize({TOKEN: victim}, prompt="login")
    path, query = doors.back(parameters)
    own = {WAITING: cookie_of(fields, WAITING)}
    status, _, answer, _ = doors.get(path, {TOKEN: victim, **own}, **query)
    world.check(answer.get("error") == "login_required", "and not with the session that it had before")


@scenario("Single sign-on at another provider passes for a new sign-in")
def silent_provider(world, doors):
    _, _, parameters, _ = doors.authorize(prompt="login")
    world.check(parameters.get("ForceAuth") == "true", "the page is told that the person has to sign in anew")
    for forced in (False, True):
        status, step, _ = doors.attacker.send(
            "POST", f"{ALPHA}/authenticate?authIndexType=service&authIndexValue=Federated" + ("&ForceAuth=true" if forced else ""), {})
        sent = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(
            outputs(callback(step, "RedirectCallback"))["redirectUrl"]).query))
        if forced:
            world.check(sent.get("prompt") == "login" and sent.get("max_age") == "0", "the provider is told so, too")
        else:
            world.check("prompt" not in sent and "max_age" in sent, "else it is only asked when they signed in")


@scenario("Who asks chooses the issuer")
def chosen_issuer(world, doors):
    path = OAUTH + "/.well-known/openid-configuration"
    status, answer, _ = doors.attacker.send("GET", path, headers={"Host": "evil.example"})
    world.check(status == 400, f"without a public URL another host is no issuer ({status})")
    status, answer, _ = doors.attacker.send("GET", path)
    world.check(status == 200 and "127.0.0.1" in answer["issuer"], "this machine's own name is")


@scenario("A form of another site signs people out")
def foreign_sign_out(world, doors):
    status, _, fields = doors.attacker.send(
        "POST", OAUTH + "/connect/endSession", b"", headers={
            "Content-Type": "application/x-www-form-urlencoded", "Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"})
    world.check(not fields.get_all("Set-Cookie"), "an answer to a form without a session takes no cookie away")


# Sign-ins


@scenario("Sign-ins that nobody is told of")
def silent_sign_in(world, doors):
    name = doors.account()
    doors.attacker.send(
        "POST", f"{ALPHA}/authenticate?noSession=true", {},
        headers={"X-OpenAM-Username": name, "X-OpenAM-Password": PASSWORD})
    with open(os.path.join(doors.folder, "server", "events.jsonl"), encoding="utf-8") as file:
        text = [line for line in file if name in line and "sign-in.succeeded" in line]
    world.check(len(text) == 1, "one without a session leaves its event")


@scenario("A crowd has right passwords refused")
def full_queue(world, doors):
    name = doors.account()
    count = 150 if world.short else 400

    def sign_in():
        return doors.attacker.send(
            "POST", f"{ALPHA}/authenticate", {}, headers={"X-OpenAM-Username": name, "X-OpenAM-Password": PASSWORD})[0]
    statuses = [status for status in at_once([sign_in] * count) if isinstance(status, int)]
    world.check(401 not in statuses, f"a password that nobody looked at is no wrong one ({sorted(set(statuses))})")


@scenario("Accounts that look like others")
def unseen_letters(world, doors):
    for name in ["amAdm\u200bin", "\u202enimda", "door\u00a01", "amAdmin\ufe0f"]:
        status, _, _ = doors.admin.send(
            "POST", f"{ALPHA}/users?_action=create", {"username": name, "userpassword": PASSWORD}, doors.administrator)
        world.check(status == 400, f"{name!a} is no name ({status})")


# Mail


@scenario("Mail with an attacker's text from this server's address")
def borrowed_sender(world, doors):
    step = doors.attacker.start("Invite")
    text = "You have won!\r\n\r\nhttps://evil.example/prize www.evil.example " + "Hurry. " * 100
    doors.attacker.reply(step, "victim@example.org", text)
    for _ in range(100):
        if doors.mails():
            break
        time.sleep(0.1)
    mails = doors.mails()
    world.check(mails, "the mail is sent")
    text = "\n".join(mails)
    world.check("won!" in text and "evil.example" not in text, "no page of the attacker's is in it")
    world.check(text.count("Hurry.") < 20 * len(mails), f"and no more than a line of text ({text.count('Hurry.')} words)")


@scenario("The time of an answer tells whose address is known")
def timed_answers(world, doors):
    name = doors.account(mail=["somebody@example.org"])

    def took(who):
        step = doors.attacker.start("Forgot")
        begin = time.monotonic()
        doors.attacker.reply(step, who)
        return time.monotonic() - begin
    rounds = 8 if world.short else 40
    known, unknown = [took(name) for _ in range(rounds)], [took(f"nobody{n}") for n in range(rounds)]
    least = min(known + unknown)
    world.check(least >= 0.095, f"both wait for the same moment (at least {least * 1000:.0f} ms)")


# Requests


@scenario("A proxy goes by one host, the server by another")
def two_hosts(world, doors):
    with doors.attacker.raw() as connection:
        connection.sendall(
            b"GET /am/json/serverinfo/version HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
        answer = connection.recv(4096).split(b"\r\n")[0]
    world.check(b" 400 " in answer + b" ", f"two Host headers are refused ({answer.decode()})")


@scenario("Strangers have pictures drawn")
def free_pictures(world, doors):
    uri = "otpauth://totp/" + "x" * 1400
    statuses = [doors.attacker.send("POST", "/am/XUI/qr", {"uri": uri})[0] for _ in range(5)]
    world.check(statuses == [400] * 5, f"nothing is drawn without a journey ({statuses})")
    step = doors.attacker.start("Login")["authId"]
    statuses = [doors.attacker.send("POST", "/am/XUI/qr", {"authId": step, "uri": uri})[0] for _ in range(10)]
    world.check(statuses.count(200) == 3, f"a step has a few pictures ({statuses})")
