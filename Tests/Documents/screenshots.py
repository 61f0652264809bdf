"""Takes the pictures of pages that the documents show: servers of its own, a real browser, real devices. See scripts/screenshots."""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
IMAGES = ROOT / "docs/images"
PASSWORD = "correct horse battery 1"

THEMES = {
    "themes": {"harbour": {
        "title": "Harbour Bank", "logo": "harbour.svg",
        "colours": {"light": {"accent": "#0b6b57", "ground": "#e6f2ef"}, "dark": {"accent": "#6fd6bd", "ground": "#0d1b18"}},
        "texts": {"en": {"signIn": "Welcome aboard"}, "de": {"signIn": "Willkommen an Bord"}},
    }},
    "use": [{"journey": "SignInAtHarbour", "theme": "harbour"}],
}
LOGO = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 165 32" width="165" height="32"><path fill="#0b9076" d="M4 20h24l-5 8H9zM15 4h2v14h-2zM18 6l8 11h-8z"/>\
<text x="36" y="22" font-family="sans-serif" font-size="16" font-weight="600" fill="#0b9076">Harbour Bank</text></svg>"""


class Browser:
    """Chromium over plain WebDriver HTTP."""

    def __init__(self, driver):
        self.driver = driver
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--lang=en"]
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": {"args": options}}}})
        self.session = f"/session/{answer['sessionId']}"
        self.call("POST", f"{self.session}/webauthn/authenticator", {
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
            "isUserVerified": True, "isUserConsenting": True})

    def end(self):
        # The browser outlives its driver otherwise.
        self.call("DELETE", self.session)

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.driver + path, data=data, method=method, headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{path}: {error.read().decode()[:500]}")

    def run(self, script, *arguments):
        return self.call("POST", f"{self.session}/execute/sync", {"script": script, "args": list(arguments)})

    def run_later(self, script, *arguments):
        return self.call("POST", f"{self.session}/execute/async", {"script": script, "args": list(arguments)})

    def cdp(self, command, **parameters):
        return self.call("POST", f"{self.session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, address):
        self.call("POST", f"{self.session}/url", {"url": address})

    def wait(self, selector):
        for _ in range(600):
            if self.run("return document.querySelector(arguments[0]) !== null", selector):
                return
            time.sleep(0.1)
        raise SystemExit(f"The page never had {selector}: {self.run('return document.body.innerText')}")

    def element(self, selector):
        found = self.call("POST", f"{self.session}/element", {"using": "css selector", "value": selector})
        return f"{self.session}/element/{next(iter(found.values()))}"

    def type(self, selector, text):
        self.call("POST", self.element(selector) + "/value", {"text": text})

    def click(self, selector):
        self.call("POST", self.element(selector) + "/click", {})

    def look(self, scheme="light", width=640, height=560):
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def picture(self, name, most=1400):
        """As high as the page, and not higher than `most` pixels."""
        # The cursor blinks, and where it is does not matter.
        self.run("document.activeElement?.blur(); for (const a of document.getAnimations()) a.pause()")
        height = min(most, self.run("return Math.max(innerHeight, Math.ceil(document.documentElement.scrollHeight))"))
        self.run("document.getElementById('notice')?.remove(); scrollTo(0, 0)")
        width = self.run("return innerWidth")
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        data = self.cdp("Page.captureScreenshot", format="png")["data"]
        (IMAGES / f"{name}.png").write_bytes(base64.b64decode(data))
        print(f"docs/images/{name}.png")


class Scene:
    def __init__(self, tool, folder):
        self.tool = tool
        self.folder = folder
        self.started = []
        self.browsers = []
        self.environment = os.environ | {"SEALRING_HOME": str(folder / "client"), "SEALRING_ADMIN_PASSWORD": "administrator of pictures",
                                         "XDG_CONFIG_HOME": str(folder / "none")}

    def start(self, *command, beginning):
        """Starts a program; returns what follows `beginning` in the line that begins so."""
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=self.environment)
        self.started.append(process)
        for line in process.stdout:
            if beginning in line:
                return line.split(beginning)[1].strip()
        raise SystemExit(f"{command[0]} ended before it was ready")

    def sealring(self, *arguments, input=""):
        done = subprocess.run([self.tool, *arguments], input=input, capture_output=True, text=True, env=self.environment)
        if done.returncode:
            raise SystemExit(f"sealring {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def browser(self):
        driver = self.start("chromedriver", "--port=0", beginning="started successfully on port ").rstrip(".")
        self.browsers.append(Browser(f"http://127.0.0.1:{driver}"))
        return self.browsers[-1]

    def end(self):
        for browser in self.browsers:
            browser.end()
        for process in reversed(self.started):
            process.terminate()
            process.wait()


def shoot_sign_in(scene):
    journeys = scene.folder / "journeys/alpha"
    journeys.mkdir(parents=True)
    login = (ROOT / "journeys/Login.journey.json").read_text()
    (journeys / "SignInAtHarbour.journey.json").write_text(login.replace('"_id": "Login"', '"_id": "SignInAtHarbour"'))
    (scene.folder / "themes.json").write_text(json.dumps(THEMES))
    (scene.folder / "harbour.svg").write_text(LOGO)
    address = scene.start(
        scene.tool, "serve", "--port", "0", "--data", str(scene.folder / "server"), "--journeys", str(scene.folder / "journeys"),
        "--page-themes", str(scene.folder / "themes.json"), beginning="listening on ")
    scene.sealring("user", "add", "mira", "--server", address, "--password-stdin", input=PASSWORD + "\n")
    browser = scene.browser()
    pages = address.replace("127.0.0.1", "localhost") + "/XUI/?realm=/alpha&ForceAuth=true"

    def play(journey, language="en"):
        browser.open(f"{pages}&service={journey}&lang={language}")

    def sign_in(journey, language="en"):
        play(journey, language)
        browser.wait("input[type=password]")
        browser.type("#IDToken1", "mira")
        browser.type("input[type=password]", PASSWORD)
        browser.click("button[type=submit]")

    for name, scheme, language, width in [
        ("signin", "light", "en", 640), ("signin-dark", "dark", "en", 640), ("signin-german", "light", "de", 640),
        ("signin-phone", "light", "en", 390),
    ]:
        browser.look(scheme, width, 640 if width < 500 else 520)
        play("Login", language)
        browser.wait("input[type=password]")
        browser.picture(name)
    browser.look()
    play("SignInAtHarbour")
    browser.wait("input[type=password]")
    browser.picture("signin-theme")

    sign_in("PushRegister")
    browser.wait("img.enrolment:not([hidden])")
    browser.picture("signin-enrolment")
    uri = browser.run("return document.querySelector('a[href^=pushauth]').href")
    scene.sealring("push", "enroll", "-", input=uri + "\n")
    browser.wait("#recovery")
    browser.picture("signin-recovery-codes")
    browser.click("button[type=submit]")
    browser.wait("#title[data-end=success]")

    for name, journey, scheme, language, width in [
        ("signin-push-number", "PushNumber", "light", "en", 640), ("signin-push-code-phone", "PushCode", "dark", "de", 390),
    ]:
        browser.look(scheme, width, 560)
        sign_in(journey, language)
        browser.wait(".number")
        browser.picture(name)

    browser.look()
    play("PasskeyOrPassword")
    browser.wait("#passkey")
    browser.picture("signin-passkey")
    play("SignIn")
    browser.wait("#desktop")
    browser.picture("signin-desktop-key")


#: What the demo's accounts are given.
DEMO_PASSWORD = "correct horse battery"
PIN = "271828"


def shoot_pages(scene):
    """The account and the administration, with the people and the past of `sealring demo --web`."""
    scene.environment |= {"SEALRING_ADMIN_PASSWORD": DEMO_PASSWORD}
    address = scene.start(scene.tool, "demo", "--web", "--data", str(scene.folder / "demo"), beginning="http://localhost:")
    server = f"http://localhost:{address.split('/')[0]}/am"
    # What is in the ledger is from a real device, which takes the place of one whose key nobody has.
    scene.environment |= {"SEALRING_HOME": str(scene.folder / "laptop")}
    mira = ["--server", server, "--username", "mira", "--password-stdin"]
    for device in json.loads(scene.sealring("devices", "list", "--json", *mira, input=DEMO_PASSWORD + "\n")):
        scene.sealring("devices", "delete", device["_id"], "--yes", *mira, input=DEMO_PASSWORD + "\n")
    scene.sealring("bind", "--server", server, "--username", "mira", "--password-stdin", "--pin-stdin", "--store", "software",
                   "--device-name", "Mira's desktop", input=f"{DEMO_PASSWORD}\n{PIN}\n")
    shop = json.loads(scene.sealring("app", "add", "Hausbank", "--server", server, "--json"))
    authorization = "Basic " + base64.b64encode(f"{shop['id']}:{shop['secret']}".encode()).decode()
    for fields in [
        {"amount": "1250.00", "currency": "EUR", "payee": "Hausverwaltung Krüger", "account": "DE89370400440532013000", "text": "Rent for May"},
        {"amount": "19.90", "currency": "EUR", "payee": "Buchhandlung am Markt"}, {"text": "Open the archive of 2025"},
    ]:
        request = urllib.request.Request(
            f"{server}/json/realms/root/realms/alpha/transactions?_action=create",
            data=json.dumps({"fields": fields, "username": "mira"}).encode(), method="POST",
            headers={"Content-Type": "application/json", "Authorization": authorization})
        with urllib.request.urlopen(request, timeout=60) as answer:
            transaction = json.load(answer)["_id"]
        scene.sealring("sign", "--server", server, "--transaction", transaction, "--yes", "--pin-stdin", input=PIN + "\n")

    def visit(name, path, width=1000, scheme="light", language="en", height=560, most=1000, before=""):
        browser.look(scheme, width, height)
        browser.open(f"{server}/{path}{'&' if '?' in path else '?'}lang={language}")
        browser.wait("main h1")
        if before:
            browser.run(before)
        browser.picture(name, most)

    def sign_in(name, path):
        browser.look()
        browser.open(f"{server}/{path}")
        browser.wait("input[type=password]")
        browser.type("#IDToken1", name)
        browser.type("input[type=password]", DEMO_PASSWORD)
        browser.click("button[type=submit]")
        browser.wait("nav.tabs")

    browser = scene.browser()
    sign_in("mira", "account/?realm=/alpha")
    visit("account", "account/?realm=/alpha")
    visit("account-methods-dark", "account/methods?realm=/alpha", scheme="dark")
    visit("account-activity-german", "account/activity?realm=/alpha", language="de")
    visit("account-phone", "account/methods?realm=/alpha", width=390, most=900)
    visit("account-signatures", "account/signatures?realm=/alpha")

    # Somebody to ask about.
    browser = scene.browser()
    browser.open(f"{server}/XUI/?realm=/alpha")
    browser.wait("input[type=password]")
    browser.type("#IDToken1", "mira")
    browser.type("input[type=password]", "not her password")
    browser.click("button[type=submit]")
    browser.wait("#message:not([hidden])")

    browser = scene.browser()
    sign_in("amAdmin", "admin/")
    visit("administration-plots", "admin/?realm=/alpha&span=hour")
    visit("administration-plots-dark", "admin/?realm=/alpha&span=hour", scheme="dark")
    visit("administration-why", "admin/signins?realm=/alpha&name=mira", most=820)
    visit("administration-signins-phone", "admin/signins?realm=/alpha", width=390, most=900, scheme="dark")
    visit("administration-users-german", "admin/users?realm=/alpha", language="de", most=900)
    visit("administration-user", "admin/users/mira?realm=/alpha")
    visit("administration-journey", "admin/journeys/Login?realm=/alpha&zoom=75", width=1120, most=860)
    browser.open(f"{server}/admin/signins?realm=/alpha&name=mira&lang=en")
    browser.wait("#attempts a")
    path = browser.run("return new URL(document.querySelector('#attempts a').href).pathname.replace('/am/', '')")
    visit("administration-signin", f"{path}?realm=/alpha", width=1400, most=900)
    visit("administration-ledger", "admin/ledger?realm=/alpha")
    visit("administration-server", "admin/server", most=1100)
    visit("administration-server-german-phone", "admin/server", language="de", width=390, most=1100, scheme="dark")
    browser.open(f"{server}/admin/verify?lang=en")
    browser.wait("#verifyServer")
    browser.click("#verifyServer")
    browser.wait("#result.notice")
    browser.look(width=1000)
    browser.picture("administration-verify")

    # What somebody outside sees of a proof.
    proof = browser.run_later(
        "const done = arguments[0]; fetch('proof/2?realm=/alpha').then((answer) => answer.text()).then(done);")
    looks = [("verify", "en", "light", 760)]
    # In a folder of their own: each page in each language, for somebody who looks through all.
    if len(sys.argv) > 2:
        looks += [(f"verify-{language}-phone", language, "dark", 390) for language in ["de", "fr", "es"]]
        for language in ["en", "de", "fr", "es"]:
            for page in ["", "methods", "sessions", "activity", "signatures", "password"]:
                visit(f"all-account-{page}-{language}", f"account/{page}?realm=/alpha", language=language)
            for page in ["", "users", "users/mira", "signins", "journeys", "ledger", "devices"]:
                visit(f"all-admin-{page.replace('/', '-')}-{language}", f"admin/{page}?realm=/alpha", language=language)
                visit(f"all-admin-{page.replace('/', '-')}-{language}-phone", f"admin/{page}?realm=/alpha", language=language, width=390, scheme="dark")
            visit(f"all-admin-server-{language}", "admin/server", language=language)
    for name, language, scheme, width in looks:
        browser.look(scheme, width, 560)
        browser.open(f"{server}/verify?lang={language}")
        browser.wait("#exportChoice")
        browser.run(
            "const files = new DataTransfer(); files.items.add(new File([arguments[0]], 'proof.json'));"
            "const input = document.getElementById('exportChoice'); input.files = files.files; input.dispatchEvent(new Event('change'));", proof)
        browser.wait("#result.notice")
        browser.picture(name, 1500)


def main():
    tool = sys.argv[1] if len(sys.argv) > 1 else shutil.which("sealring")
    if len(sys.argv) > 2:
        globals()["IMAGES"] = pathlib.Path(sys.argv[2])
    IMAGES.mkdir(exist_ok=True)
    # Chromium puts a socket below, whose path may have 107 bytes.
    with tempfile.TemporaryDirectory(prefix="shots-", dir="/tmp") as folder:
        scene = Scene(tool, pathlib.Path(folder))
        try:
            shoot_sign_in(scene)
            shoot_pages(scene)
        finally:
            scene.end()


main()
