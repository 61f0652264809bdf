"""Scenarios of attacks.py: acts upon accounts, and the doors that lead to them."""

from attack_tools import ADMINISTRATOR, ALPHA, PASSWORD, ROOT, Client, Key, Server, scenario


class Strict:
    """A server that asks for the strongest factor, with an administrator who has one."""

    def __init__(self, world):
        self.server = Server(world.binary, "--factor-changes", "strong", "--bundled-journeys", "root=all")
        self.admin = Client(self.server, "127.0.0.5")
        self.thief = Client(self.server, "127.0.0.66")
        self.administrator = self.admin.administrator()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.close()


@scenario("A thief has an administrator's password, and not the second factor")
def administrators_password(world):
    with Strict(world) as house:
        house.admin.create(house.administrator, "mira")
        Key().bind(house.admin, "amAdmin", ADMINISTRATOR, realm=ROOT)
        stolen = house.thief.administrator()
        for method, path, body, what in (
                ("POST", f"{ALPHA}/users?_action=create", {"username": "eve", "userpassword": PASSWORD}, "creates no account"),
                ("POST", f"{ALPHA}/users/mira/roles?_action=grant", {"role": "administrator"}, "grants no role"),
                ("GET", f"{ALPHA}/users?_queryFilter=true", None, "reads no accounts"),
                ("PUT", f"{ALPHA}/users/mira", {"userpassword": "taken over by me"}, "sets no password"),
                ("POST", f"{ROOT}/applications?_action=create", {"name": "x"}, "registers no application")):
            status, answer, _ = house.thief.send(method, path, body, stolen)
            advice = ((answer or {}).get("detail") or {}).get("errorCode")
            world.check(status == 403 and advice == "stepUpRequired", f"it {what} ({status})")


@scenario("A stolen cookie turns recovery by mail to the thief")
def stolen_address(world):
    with Strict(world) as house:
        house.admin.create(house.administrator, "mira")
        house.admin.send("PUT", f"{ALPHA}/users/mira", {"mail": ["mira@example.com"]}, house.administrator)
        Key().bind(house.admin, "mira")
        stolen = house.admin.password_sign_in("mira", PASSWORD)
        status, _, _ = house.thief.send("PUT", f"{ALPHA}/users/mira", {"mail": ["thief@example.com"]}, stolen)
        world.check(status == 403, f"the address does not change without the key ({status})")


@scenario("A request spells a member otherwise, so that no event tells of it")
def other_spellings(world):
    name = world.account()
    for body, kind in (({"UserPassword": "an altogether new one"}, "password.reset"),
                       ({"inetuserstatus": ["Inactive"]}, "account.deactivated")):
        status, _, _ = world.admin.send("PUT", f"{ALPHA}/users/{name}", body, world.administrator)
        told = [event for event in world.server.events() if event["event"] == kind and event.get("account") == name]
        world.check(status == 200 and len(told) == 1, f"{kind} is told once ({len(told)})")


@scenario("Two changes of an account cross")
def lost_update(world):
    name = world.account()
    path = f"{ALPHA}/users/{name}"
    _, read, _ = world.admin.send("GET", path, token=world.administrator)
    world.admin.send("PUT", path, {"givenName": "Ada"}, world.administrator)
    status, _, _ = world.admin.send(
        "PUT", path, {"givenName": "Eve"}, world.administrator, headers={"If-Match": read["_rev"]})
    world.check(status == 412, f"a change of what was read before is refused ({status})")
