"""libfido2, which OpenSSH and systemd use, as the client of a virtual security key: by its own I/O functions, over a socket.

Standard input is a socket of whole messages (SOCK_SEQPACKET) with uhid's events. Ends with status 1 and the reason when something is not as it
should be. The PIN is 739184.
"""
import ctypes
import ctypes.util
import queue

from ctap_clients import PIN, Kernel

fido = ctypes.CDLL(ctypes.util.find_library("fido2"))
OPEN = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)
CLOSE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
READ = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_ubyte), ctypes.c_size_t, ctypes.c_int)
WRITE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_ubyte), ctypes.c_size_t)


class Functions(ctypes.Structure):
    """fido_dev_io_t"""
    _fields_ = [("open", OPEN), ("close", CLOSE), ("read", READ), ("write", WRITE)]


for name in ("fido_dev_new", "fido_cred_new", "fido_assert_new", "fido_credman_metadata_new"):
    getattr(fido, name).restype = ctypes.c_void_p
for name in ("fido_cred_id_ptr", "fido_cred_pubkey_ptr", "fido_assert_hmac_secret_ptr", "es256_pk_new"):
    getattr(fido, name).restype = ctypes.c_void_p
for name in ("fido_cred_id_len", "fido_cred_pubkey_len", "fido_assert_count", "fido_assert_hmac_secret_len"):
    getattr(fido, name).restype = ctypes.c_size_t
fido.fido_strerr.restype = ctypes.c_char_p
fido.fido_cred_flags.restype = ctypes.c_ubyte
fido.fido_assert_flags.restype = ctypes.c_ubyte
fido.fido_credman_rk_existing.restype = ctypes.c_uint64

ES256, TRUE, FALSE, OMIT = -7, 2, 1, 0
HMAC_SECRET, CRED_PROTECT = 1, 2
PIN_INVALID, NO_CREDENTIALS, UP_USER = 0x31, 0x2E, 0x01
HASH = bytes(range(32))


def pointer(value):
    return ctypes.c_void_p(value)


def call(name, *arguments, expected=0):
    code = getattr(fido, name)(*arguments)
    assert code == expected, f"{name}: {fido.fido_strerr(code).decode()} ({code:#x})"


def io(kernel):
    """The device's reports, one queue for the one program."""
    reports = queue.Queue()
    kernel.programs.append(reports)

    def read(_, buffer, size, milliseconds):
        try:
            report = reports.get(timeout=60 if milliseconds < 0 else milliseconds / 1000)
        except queue.Empty:
            return -1
        ctypes.memmove(buffer, report, len(report))
        return len(report)

    def write(_, buffer, size):
        # libfido2 writes as to hidraw: the report's number comes first.
        kernel.output(bytes(buffer[:size])[-64:])
        return size

    return Functions(OPEN(lambda path: 1), CLOSE(lambda handle: None), READ(read), WRITE(write))


def credential(device, user, pin=None, resident=OMIT):
    made = pointer(fido.fido_cred_new())
    call("fido_cred_set_type", made, ES256)
    call("fido_cred_set_clientdata_hash", made, HASH, ctypes.c_size_t(32))
    call("fido_cred_set_rp", made, b"example.com", b"Example")
    call("fido_cred_set_user", made, user, ctypes.c_size_t(len(user)), user, user.title(), None)
    call("fido_cred_set_extensions", made, HMAC_SECRET | CRED_PROTECT)
    call("fido_cred_set_prot", made, 1)
    call("fido_cred_set_rk", made, resident)
    call("fido_dev_make_cred", device, made, pin)
    return made


def assertion(device, made=None, pin=None, salt=None, verified=OMIT, expected=0):
    got = pointer(fido.fido_assert_new())
    call("fido_assert_set_clientdata_hash", got, HASH, ctypes.c_size_t(32))
    call("fido_assert_set_rp", got, b"example.com")
    if made:
        call("fido_assert_allow_cred", got, pointer(fido.fido_cred_id_ptr(made)), ctypes.c_size_t(fido.fido_cred_id_len(made)))
    if salt:
        call("fido_assert_set_extensions", got, HMAC_SECRET)
        call("fido_assert_set_hmac_salt", got, salt, ctypes.c_size_t(len(salt)))
    call("fido_assert_set_uv", got, verified)
    call("fido_dev_get_assert", device, got, pin, expected=expected)
    return got


def verify(got, made, verified, salt=False):
    key = pointer(fido.es256_pk_new())
    call("es256_pk_from_ptr", key, pointer(fido.fido_cred_pubkey_ptr(made)), ctypes.c_size_t(fido.fido_cred_pubkey_len(made)))
    call("fido_assert_set_up", got, TRUE)
    call("fido_assert_set_uv", got, TRUE if verified else OMIT)
    call("fido_assert_set_extensions", got, HMAC_SECRET if salt else 0)
    call("fido_assert_verify", got, ctypes.c_size_t(0), ES256, key)
    assert bool(fido.fido_assert_flags(got, ctypes.c_size_t(0)) & 4) == verified


def secret(got):
    return ctypes.string_at(fido.fido_assert_hmac_secret_ptr(got, ctypes.c_size_t(0)),
                            fido.fido_assert_hmac_secret_len(got, ctypes.c_size_t(0)))


def main():
    kernel = Kernel()
    fido.fido_init(0)
    device = pointer(fido.fido_dev_new())
    functions = io(kernel)
    call("fido_dev_set_io_functions", device, ctypes.byref(functions))
    call("fido_dev_open", device, b"virtual")
    assert fido.fido_dev_is_fido2(device) and not fido.fido_dev_has_pin(device)
    plain = credential(device, b"ada")
    assert not fido.fido_cred_flags(plain) & 4
    verify(assertion(device, plain), plain, verified=False)
    call("fido_dev_set_pin", device, PIN.encode(), None)
    tries = ctypes.c_int()
    assertion(device, plain, b"000000", expected=PIN_INVALID)
    call("fido_dev_get_retry_count", device, ctypes.byref(tries))
    assert 0 < tries.value <= 8
    resident = credential(device, b"bob", PIN.encode(), TRUE)
    assert fido.fido_cred_flags(resident) & 4
    one = assertion(device, resident, PIN.encode(), salt=b"s" * 32)
    verify(one, resident, verified=True, salt=True)
    two = assertion(device, resident, PIN.encode(), salt=b"s" * 32)
    assert len(secret(one)) == 32 and secret(one) == secret(two)
    assert secret(assertion(device, resident, salt=b"s" * 32)) != secret(one)
    found = assertion(device, pin=PIN.encode())
    assert fido.fido_assert_count(found) == 1
    verify(found, resident, verified=True)
    # Verified by the security key's own question, which libfido2 learns of when it opens a key that has a PIN.
    call("fido_dev_close", device)
    call("fido_dev_open", device, b"virtual")
    assert fido.fido_dev_has_pin(device) and fido.fido_dev_has_uv(device)
    verify(assertion(device, resident, verified=TRUE), resident, verified=True)
    metadata = pointer(fido.fido_credman_metadata_new())
    call("fido_credman_get_dev_metadata", device, metadata, PIN.encode())
    assert fido.fido_credman_rk_existing(metadata) == 1
    call("fido_credman_del_dev_rk", device, pointer(fido.fido_cred_id_ptr(resident)),
         ctypes.c_size_t(fido.fido_cred_id_len(resident)), PIN.encode())
    assertion(device, pin=PIN.encode(), expected=NO_CREDENTIALS)
    call("fido_dev_set_pin", device, b"482617", PIN.encode())
    call("fido_dev_close", device)
    print("as it should be")


if __name__ == "__main__":
    main()
