"""Takes the pictures of the sign-in page that the documents show: a server of its own, a real browser, real devices. See scripts/screenshots."""
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

    def picture(self, name):
        # The cursor blinks, and where it is does not matter.
        self.run("document.activeElement?.blur(); for (const a of document.getAnimations()) a.pause()")
        # As high as the page, so that nothing is cut off.
        height = self.run("return Math.max(innerHeight, Math.ceil(document.documentElement.scrollHeight))")
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

    def end(self):
        for process in reversed(self.started):
            process.terminate()
            process.wait()


def shoot(scene):
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
    driver = scene.start("chromedriver", "--port=0", beginning="started successfully on port ").rstrip(".")
    browser = Browser(f"http://127.0.0.1:{driver}")
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


def main():
    tool = sys.argv[1] if len(sys.argv) > 1 else shutil.which("sealring")
    IMAGES.mkdir(exist_ok=True)
    # Chromium puts a socket below, whose path may have 107 bytes.
    with tempfile.TemporaryDirectory(prefix="shots-", dir="/tmp") as folder:
        scene = Scene(tool, pathlib.Path(folder))
        try:
            shoot(scene)
        finally:
            scene.end()


main()
