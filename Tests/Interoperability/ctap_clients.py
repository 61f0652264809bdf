"""Programs that use a virtual security key: python-fido2 with a connection of its own, and what plays the kernel for it.

ctap_clients.py SCENARIO...; standard input is a socket of whole messages (SOCK_SEQPACKET) with uhid's events (linux/uhid.h), or CTAP_LISTEN
is the path at which the security key finds one. `scripts/verifiers` puts fido2 into .build/verifiers. Ends with status 1 and the reason when something is not as it
should be. The PIN of the person is 739184; a question about wait.example is never answered, one about no.example with no.
"""
import os
import queue
import socket
import struct
import sys
import threading

from fido2.client import DefaultClientDataCollector, Fido2Client, UserInteraction
from fido2.cose import ES256
from fido2.ctap import CtapError
from fido2.ctap2 import ClientPin, CredentialManagement, Ctap2
from fido2.ctap2.extensions import CredProtectExtension, HmacSecretExtension
from fido2.ctap2.pin import PinProtocolV1, PinProtocolV2
from fido2.hid import CtapHidDevice
from fido2.hid.base import CtapHidConnection, HidDescriptor
from fido2.server import Fido2Server
from fido2.utils import sha256
from fido2.webauthn import PublicKeyCredentialRpEntity

PIN = "739184"
ERR = CtapError.ERR
HASH = sha256(b"client data")


class Kernel:
    """Does with events what the kernel does, for as many programs as open the device."""

    def __init__(self):
        if path := os.environ.get("CTAP_LISTEN"):
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            listener.settimeout(60)
            listener.bind(path)
            listener.listen()
            self.socket, _ = listener.accept()
        else:
            self.socket = socket.socket(fileno=0)
        self.socket.settimeout(60)
        event = self.socket.recv(8192)
        kind, = struct.unpack_from("=I", event)
        assert kind == 11, "the first event creates the device"
        self.name = event[4:132].rstrip(b"\0").decode()
        size, bus, vendor, product = struct.unpack_from("=HHII", event, 260)
        assert size == len(event[280:]) and b"\x06\xd0\xf1" in event[280:], "the report descriptor is FIDO's"
        self.programs = []
        self.say(2, struct.pack("=Q", 0))
        self.say(4)
        threading.Thread(target=self.listen, daemon=True).start()

    def say(self, kind, payload=b""):
        self.socket.send((struct.pack("=I", kind) + payload).ljust(4376, b"\0"))

    def output(self, report):
        # Through hidraw the number of the report comes first.
        data = b"\0" + report
        self.say(6, data.ljust(4096, b"\0") + struct.pack("=HB", len(data), 1))

    def listen(self):
        while True:
            try:
                event = self.socket.recv(8192)
            except OSError:
                return
            if not event:
                return
            kind, size = struct.unpack_from("=IH", event)
            if kind == 12:
                for program in list(self.programs):
                    program.put(event[6:6 + size])


class Connection(CtapHidConnection):
    """What one program reads and writes; it leaves alone what is for others, as programs on one device must."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.reports = queue.Queue()
        self.channel = None
        kernel.programs.append(self.reports)

    def write_packet(self, data):
        self.channel = bytes(data[:4])
        self.sent = bytes(data)
        self.kernel.output(bytes(data))

    def read_packet(self):
        while True:
            report = self.reports.get(timeout=60)
            if report[:4] != self.channel:
                continue
            if self.channel == b"\xff" * 4 and report[7:15] != self.sent[7:15]:
                continue
            return report

    def close(self):
        self.kernel.programs.remove(self.reports)


def device(kernel):
    return CtapHidDevice(HidDescriptor("virtual", 0, 0, 64, 64, kernel.name, None), Connection(kernel))


def refused(error, action, *arguments, **options):
    try:
        action(*arguments, **options)
    except CtapError as found:
        assert found.code == error, f"{found.code!r} instead of {error!r}"
        return
    raise AssertionError(f"{error!r} was expected")


ALGORITHMS = [{"type": "public-key", "alg": -7}]


def register(ctap, party="example.com", user=b"ada", name="ada", **more):
    return ctap.make_credential(
        HASH, {"id": party, "name": party}, {"id": user, "name": name, "displayName": name.title()}, ALGORITHMS, **more)


def listed(made):
    return [{"type": "public-key", "id": made.auth_data.credential_data.credential_id}]


def token(ctap, permissions, party=None, protocol=None):
    pin = ClientPin(ctap, protocol or PinProtocolV2())
    return pin.protocol, pin.get_pin_token(PIN, permissions, party)


PERMISSION = ClientPin.PERMISSION


def basics(kernel):
    key = device(kernel)
    for size in (0, 1, 57, 58, 1000, 7609):
        sent = os.urandom(size)
        assert key.ping(sent) == sent
    key.wink()
    ctap = Ctap2(key)
    assert ctap.info.options["rk"] and not ctap.info.options["clientPin"]
    assert "largeBlobKey" not in ctap.info.extensions
    ctap.selection()
    made = register(ctap)
    data = made.auth_data.credential_data
    assert made.fmt == "none" and made.auth_data.is_user_present() and not made.auth_data.is_user_verified()
    assert made.auth_data.rp_id_hash == sha256(b"example.com")
    got = ctap.get_assertion("example.com", HASH, listed(made))
    got.verify(HASH, data.public_key)
    assert got.user is None and got.auth_data.counter == 1
    again = ctap.get_assertion("example.com", HASH, listed(made))
    assert again.auth_data.counter == 2
    # Not asked, nothing is signed: there is one, and no more is said.
    silent = ctap.get_assertion("example.com", HASH, listed(made), options={"up": False})
    assert not silent.auth_data.is_user_present() and silent.auth_data.counter == 2
    try:
        silent.verify(HASH, data.public_key)
    except Exception:
        pass
    else:
        raise AssertionError("the key signed without a person")
    refused(ERR.NO_CREDENTIALS, ctap.get_assertion, "other.example", HASH, listed(made))
    refused(ERR.NO_CREDENTIALS, ctap.get_assertion, "example.com", HASH)
    refused(ERR.CREDENTIAL_EXCLUDED, register, ctap, exclude_list=listed(made))
    refused(ERR.OPERATION_DENIED, register, ctap, "no.example")
    refused(ERR.INVALID_OPTION, register, ctap, options={"uv": True})
    refused(ERR.INVALID_OPTION, register, ctap, options={"up": False})
    refused(ERR.UNSUPPORTED_OPTION, register, ctap, extensions={"largeBlobKey": True})
    refused(ERR.UNSUPPORTED_ALGORITHM, ctap.make_credential, HASH, {"id": "example.com"}, {"id": b"x"},
            [{"type": "public-key", "alg": -8}])
    refused(ERR.NOT_ALLOWED, ctap.get_next_assertion)
    refused(ERR.PIN_NOT_SET, register, ctap, pin_uv_param=b"", pin_uv_protocol=2)


def accounts(kernel):
    ctap = Ctap2(device(kernel))
    keys = {}
    for user in (b"ada", b"bob", b"eve"):
        made = register(ctap, user=user, name=user.decode(), options={"rk": True})
        keys[user] = made.auth_data.credential_data
    found = ctap.get_assertions("example.com", HASH)
    assert [one.user["id"] for one in found] == [b"eve", b"bob", b"ada"]
    # Without a verification an account has no name.
    assert all(list(one.user) == ["id"] for one in found)
    for one in found:
        one.verify(HASH, keys[one.user["id"]].public_key)
    refused(ERR.NOT_ALLOWED, ctap.get_next_assertion)
    # Another program cannot continue what one began, and a question in between ends it.
    other = Ctap2(device(kernel))
    assert ctap.get_assertion("example.com", HASH).number_of_credentials == 3
    refused(ERR.NOT_ALLOWED, other.get_next_assertion)
    ctap.get_assertion("example.com", HASH)
    ctap.get_info()
    refused(ERR.NOT_ALLOWED, ctap.get_next_assertion)
    # The same account again takes the place of its earlier passkey.
    register(ctap, user=b"ada", options={"rk": True})
    assert len(ctap.get_assertions("example.com", HASH)) == 3


def pin(kernel):
    ctap = Ctap2(device(kernel))
    one, two = ClientPin(ctap, PinProtocolV1()), ClientPin(ctap, PinProtocolV2())
    refused(ERR.PIN_NOT_SET, one.get_pin_token, PIN)
    refused(ERR.PIN_POLICY_VIOLATION, two.set_pin, "1234")
    one.set_pin("4826")
    refused(ERR.PIN_AUTH_INVALID, two.set_pin, "9999999")
    ctap = Ctap2(ctap.device)
    assert ctap.info.options["clientPin"] and ctap.info.options["uv"]
    two.change_pin("4826", PIN)
    before = two.get_pin_retries()[0]
    refused(ERR.PIN_INVALID, one.get_pin_token, "4826")
    assert two.get_pin_retries()[0] <= before
    for protocol in (one, two):
        assert len(protocol.get_pin_token(PIN)) == 32
        assert len(protocol.get_pin_token(PIN, PERMISSION.GET_ASSERTION, "example.com")) == 32
    refused(ERR.UNAUTHORIZED_PERMISSION, two.get_pin_token, PIN, PERMISSION.AUTHENTICATOR_CFG)
    refused(ERR.MISSING_PARAMETER, two.get_pin_token, PIN, PERMISSION.MAKE_CREDENTIAL)
    refused(ERR.PUAT_REQUIRED, register, ctap, options={"rk": True})
    for protocol in (PinProtocolV1(), PinProtocolV2()):
        used, secret = token(ctap, PERMISSION.MAKE_CREDENTIAL, "example.com", protocol)
        def proved(party, value=None):
            return dict(party=party, pin_uv_param=value or used.authenticate(secret, HASH), pin_uv_protocol=used.VERSION)
        refused(ERR.PIN_AUTH_INVALID, register, ctap, **proved("other.example"))
        refused(ERR.PIN_AUTH_INVALID, register, ctap, **proved("example.com", used.authenticate(b"x" * 32, HASH)))
        made = register(ctap, **proved("example.com"))
        assert made.auth_data.is_user_verified()
        # A token is good for one credential.
        refused(ERR.PIN_AUTH_INVALID, register, ctap, **proved("example.com"))
    used, secret = token(ctap, PERMISSION.MAKE_CREDENTIAL, "example.com")
    refused(ERR.PIN_AUTH_INVALID, ctap.get_assertion, "example.com", HASH, listed(made),
            pin_uv_param=used.authenticate(secret, HASH), pin_uv_protocol=2)
    refused(ERR.PIN_INVALID, two.get_pin_token, "000111")
    refused(ERR.PIN_INVALID, one.get_pin_token, "000222")
    refused(ERR.PIN_AUTH_BLOCKED, two.get_pin_token, "000333")
    assert two.get_pin_retries()[1], "a new start is needed"
    # Not even the right one, and not on another channel.
    refused(ERR.PIN_AUTH_BLOCKED, ClientPin(Ctap2(device(kernel))).get_pin_token, PIN)
    refused(ERR.PIN_AUTH_BLOCKED, two.change_pin, PIN, "4826")


def verification(kernel):
    ctap = Ctap2(device(kernel))
    refused(ERR.NOT_ALLOWED, by_question, ctap, PERMISSION.GET_ASSERTION)
    ClientPin(ctap).set_pin(PIN)
    ctap = Ctap2(ctap.device)
    used, secret = by_question(ctap, PERMISSION.MAKE_CREDENTIAL | PERMISSION.GET_ASSERTION)
    proof = dict(pin_uv_param=used.authenticate(secret, HASH), pin_uv_protocol=2)
    made = register(ctap, **proof)
    assert made.auth_data.is_user_verified()
    refused(ERR.PIN_AUTH_INVALID, register, ctap, **proof)
    # The question was about a new passkey; a sign-in with the same token is asked about by itself.
    used, secret = by_question(ctap, PERMISSION.MAKE_CREDENTIAL | PERMISSION.GET_ASSERTION)
    proof = dict(pin_uv_param=used.authenticate(secret, HASH), pin_uv_protocol=2)
    ctap.get_assertion("example.com", HASH, listed(made), **proof)
    used, secret = by_question(ctap, PERMISSION.GET_ASSERTION)
    proof = dict(pin_uv_param=used.authenticate(secret, HASH), pin_uv_protocol=2)
    ctap.get_assertion("example.com", HASH, listed(made), **proof)
    # What is deleted for a new passkey is asked about by itself: the question for the token did not say so.
    for _ in range(2):
        used, secret = by_question(ctap, PERMISSION.MAKE_CREDENTIAL)
        register(ctap, options={"rk": True}, pin_uv_param=used.authenticate(secret, HASH), pin_uv_protocol=2)


def by_question(ctap, permissions):
    pin = ClientPin(ctap, PinProtocolV2())
    # As what reads the options would: python-fido2 asks only when they say that it can.
    agreement, shared = pin._get_shared_secret()
    found = ctap.client_pin(2, ClientPin.CMD.GET_TOKEN_USING_UV, key_agreement=agreement, permissions=permissions,
                            permissions_rpid="example.com")
    return pin.protocol, pin.protocol.decrypt(shared, found[ClientPin.RESULT.PIN_UV_TOKEN])


def management(kernel):
    ctap = Ctap2(device(kernel))
    ClientPin(ctap).set_pin(PIN)
    ctap = Ctap2(ctap.device)
    for party, user in (("a.example", b"ada"), ("a.example", b"bob"), ("b.example", b"eve")):
        used, secret = token(ctap, PERMISSION.MAKE_CREDENTIAL, party)
        register(ctap, party, user, user.decode(), options={"rk": True},
                 pin_uv_param=used.authenticate(secret, HASH), pin_uv_protocol=2)
    refused(ERR.PIN_AUTH_INVALID, CredentialManagement(ctap, PinProtocolV2(), b"x" * 32).get_metadata)
    manager = CredentialManagement(ctap, *token(ctap, PERMISSION.CREDENTIAL_MGMT))
    R = CredentialManagement.RESULT
    assert manager.get_metadata()[R.EXISTING_CRED_COUNT] == 3
    parties = manager.enumerate_rps()
    assert [party[R.RP]["id"] for party in parties] == ["a.example", "b.example"]
    found = manager.enumerate_creds(parties[0][R.RP_ID_HASH])
    assert [one[R.USER]["name"] for one in found] == ["ada", "bob"]
    assert ES256(found[0][R.PUBLIC_KEY]) and found[0][R.CRED_PROTECT] == 1
    one = found[0][R.CREDENTIAL_ID]
    manager.update_user_info(one, {"id": b"ada", "name": "countess", "displayName": "Countess of Lovelace"})
    refused(ERR.INVALID_PARAMETER, manager.update_user_info, one, {"id": b"bob", "name": "bob", "displayName": "Bob"})
    assert manager.enumerate_creds(parties[0][R.RP_ID_HASH])[0][R.USER]["name"] == "countess"
    manager.delete_cred(one)
    refused(ERR.NO_CREDENTIALS, manager.delete_cred, one)
    assert manager.get_metadata()[R.EXISTING_CRED_COUNT] == 2
    # A token for one relying party manages that one's.
    bound = CredentialManagement(ctap, *token(ctap, PERMISSION.CREDENTIAL_MGMT, "b.example"))
    refused(ERR.PIN_AUTH_INVALID, bound.enumerate_creds, sha256(b"a.example"))
    refused(ERR.PIN_AUTH_INVALID, bound.enumerate_rps)
    # Not even whether others have some, and how many.
    refused(ERR.PIN_AUTH_INVALID, bound.enumerate_creds, sha256(b"unknown.example"))
    refused(ERR.PIN_AUTH_INVALID, bound.get_metadata)
    for credential in (found[1][R.CREDENTIAL_ID], one, {"type": "public-key", "id": b"x" * 16}):
        refused(ERR.PIN_AUTH_INVALID, bound.delete_cred, credential)
    assert len(bound.enumerate_creds(sha256(b"b.example"))) == 1


def secret(kernel):
    ctap = Ctap2(device(kernel))
    made = register(ctap, extensions={"hmac-secret": True})
    assert made.auth_data.extensions == {"hmac-secret": True}
    plain = register(ctap, user=b"bob")
    ClientPin(ctap).set_pin(PIN)

    def outputs(protocol, salts, credential=made, verified=False, damage=False):
        client = ClientPin(ctap, protocol)
        agreement, shared = client._get_shared_secret()
        encrypted = protocol.encrypt(shared, salts)
        proof = protocol.authenticate(shared, encrypted)
        asked = {1: agreement, 2: encrypted, 3: b"\0" * len(proof) if damage else proof, 4: protocol.VERSION}
        more = {}
        if verified:
            used, key = token(ctap, PERMISSION.GET_ASSERTION, "example.com", protocol)
            more = dict(pin_uv_param=used.authenticate(key, HASH), pin_uv_protocol=used.VERSION)
        got = ctap.get_assertion("example.com", HASH, listed(credential), {"hmac-secret": asked}, **more)
        got.verify(HASH, credential.auth_data.credential_data.public_key)
        found = (got.auth_data.extensions or {}).get("hmac-secret")
        return found and protocol.decrypt(shared, found)

    a, b = b"a" * 32, b"b" * 32
    first = outputs(PinProtocolV2(), a)
    assert len(first) == 32 and first == outputs(PinProtocolV1(), a)
    both = outputs(PinProtocolV2(), a + b)
    assert both[:32] == first and both[32:] == outputs(PinProtocolV1(), b) != first
    assert outputs(PinProtocolV2(), a, verified=True) != first
    assert outputs(PinProtocolV2(), a, plain) is None
    refused(ERR.PIN_AUTH_INVALID, outputs, PinProtocolV2(), a, damage=True)
    refused(ERR.INVALID_LENGTH, outputs, PinProtocolV2(), a + b"c" * 16)


def protection(kernel):
    ctap = Ctap2(device(kernel))
    by_id = register(ctap, user=b"two", options={"rk": True}, extensions={"credProtect": 2})
    never = register(ctap, user=b"three", options={"rk": True}, extensions={"credProtect": 3})
    assert never.auth_data.extensions == {"credProtect": 3}
    refused(ERR.NO_CREDENTIALS, ctap.get_assertion, "example.com", HASH)
    ctap.get_assertion("example.com", HASH, listed(by_id))
    refused(ERR.NO_CREDENTIALS, ctap.get_assertion, "example.com", HASH, listed(never))
    refused(ERR.NO_CREDENTIALS, ctap.get_assertion, "example.com", HASH, listed(never), options={"up": False})
    ClientPin(ctap).set_pin(PIN)
    got = ctap.get_assertion("example.com", HASH, listed(never), options={"uv": True})
    assert got.auth_data.is_user_verified()
    used, key = token(ctap, PERMISSION.GET_ASSERTION, "example.com")
    found = ctap.get_assertions("example.com", HASH, pin_uv_param=used.authenticate(key, HASH), pin_uv_protocol=2)
    assert [one.user["name"] for one in found] == ["ada", "ada"]


def channels(kernel):
    one, two = Ctap2(device(kernel)), Ctap2(device(kernel))
    event, statuses, results = threading.Event(), [], []
    asked = threading.Event()

    def wait():
        try:
            register(one, "wait.example", event=event, on_keepalive=lambda status: (statuses.append(status), asked.set()))
        except CtapError as error:
            results.append(error.code)

    thread = threading.Thread(target=wait)
    thread.start()
    assert asked.wait(60)
    # python-fido2 asks again while a channel is busy, so the packet is its own.
    connection = two.device._connection
    connection.write_packet(struct.pack(">IBH", two.device._channel_id, 0x90, 1).ljust(64, b"\x04"))
    assert connection.read_packet()[4:8] == b"\xbf\0\1\6", "the other one is told that the key is busy"
    event.set()
    thread.join(60)
    assert results == [ERR.KEEPALIVE_CANCEL] and 2 in statuses, (results, statuses)
    assert two.get_info().versions


class Person(UserInteraction):
    def request_pin(self, permissions, rp_id):
        return PIN


def relying_party(kernel):
    key = device(kernel)
    ClientPin(Ctap2(key)).set_pin(PIN)
    client = Fido2Client(key, client_data_collector=DefaultClientDataCollector("https://example.com"), user_interaction=Person(),
                         extensions=[HmacSecretExtension(), CredProtectExtension()])
    server = Fido2Server(PublicKeyCredentialRpEntity(id="example.com", name="Example"), attestation="none")
    options, state = server.register_begin(
        {"id": b"ada", "name": "ada", "displayName": "Ada"}, resident_key_requirement="required", user_verification="required",
        extensions={"prf": {}, "credentialProtectionPolicy": "userVerificationRequired"})
    made = client.make_credential(options.public_key)
    assert made.client_extension_results.prf.enabled
    auth = server.register_complete(state, made)
    assert auth.is_user_verified()
    options, state = server.authenticate_begin(
        user_verification="required", extensions={"prf": {"eval": {"first": "AAAA"}}})
    selection = client.get_assertion(options.public_key)
    assert len(selection.get_assertions()) == 1
    response = selection.get_response(0)
    assert response.client_extension_results.prf.results.first
    server.authenticate_complete(state, [auth.credential_data], response)
    # It is known already, by the list and by pre-flight.
    options, state = server.register_begin({"id": b"ada", "name": "ada"}, [auth.credential_data], user_verification="required")
    try:
        client.make_credential(options.public_key)
    except Exception as error:
        assert "DEVICE_INELIGIBLE" in repr(error), error
    else:
        raise AssertionError("registered twice")


def one_account(kernel):
    ctap = Ctap2(device(kernel))
    made = register(ctap, options={"rk": True})
    ctap.get_assertion("example.com", HASH).verify(HASH, made.auth_data.credential_data.public_key)
    refused(ERR.OPERATION_DENIED, register, ctap, "other.example")


def verified(kernel):
    ctap = Ctap2(device(kernel))
    ClientPin(ctap).set_pin(PIN)
    made = register(ctap, options={"rk": True, "uv": True})
    assert made.auth_data.is_user_verified()
    got = ctap.get_assertion("example.com", HASH, options={"uv": True})
    got.verify(HASH, made.auth_data.credential_data.public_key)
    assert got.auth_data.is_user_verified()


def fingers(kernel):
    """No PIN is set, and a finger is enrolled that is on the reader each time that it is waited for."""
    ctap = Ctap2(device(kernel))
    assert ctap.info.options["uv"] and not ctap.info.options["clientPin"]
    pin = ClientPin(ctap, PinProtocolV2())
    assert pin.get_uv_retries() == 3
    secret = pin.get_uv_token(PERMISSION.MAKE_CREDENTIAL, "example.com")
    made = register(ctap, options={"rk": True}, pin_uv_param=pin.protocol.authenticate(secret, HASH), pin_uv_protocol=2)
    assert made.auth_data.is_user_verified()
    got = ctap.get_assertion("example.com", HASH, options={"uv": True})
    got.verify(HASH, made.auth_data.credential_data.public_key)
    assert got.auth_data.is_user_verified()
    got = ctap.get_assertion("example.com", HASH, listed(made))
    assert not got.auth_data.is_user_verified()


SCENARIOS = dict(fingers=fingers, verification=verification, one_account=one_account, verified=verified, basics=basics, accounts=accounts, pin=pin, management=management, secret=secret, protection=protection,
                 channels=channels, relying_party=relying_party)

if __name__ == "__main__":
    kernel = Kernel()
    for name in sys.argv[1:]:
        SCENARIOS[name](kernel)
    print("as it should be")
