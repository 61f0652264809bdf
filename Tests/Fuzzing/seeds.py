"""What the fuzzers start from: test vectors, bundled journeys, and texts that are written out here. See scripts/fuzz.

    write(TARGET, FOLDER)    puts a target's inputs into a folder
"""

import base64
import functools
import json
import pathlib
import struct

ROOT = pathlib.Path(__file__).resolve().parents[2]


def write(target, folder):
    for number, content in enumerate(seeds().get(target, [])):
        content = content.encode() if isinstance(content, str) else content
        (folder / f"vector-{number}").write_bytes(content)


def int8(data):
    return ",".join(str(byte - 256 if byte > 127 else byte) for byte in data)


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def sized(*fields):
    return b"".join(struct.pack(">H", len(field)) + field for field in fields)


def string(data):
    return struct.pack(">I", len(data)) + data


def ssh_key():
    """The base point of P-256 (FIPS 186-4, D.1.2.3) as a key."""
    point = bytes.fromhex(
        "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
    return string(b"ecdsa-sha2-nistp256") + string(b"nistp256") + string(point)


@functools.cache
def seeds():
    found = {
        "json": ['{"a":[1,-2.5e3,true,null,"\\u00e9\\ud83d\\ude00\\n"],"b":{"":{}}}', "[[[[]]]]", '"\u202e\u0000"', "-0", "1e400"],
        "toml": [
            'profile = "bank" # in use\nutc = true\n\n[profiles.bank]\nserver = "https://id.example/am"\nuser = \'a\'\n',
            '[serve]\nport = -12\ntrusted-proxy = [ "10.0.0.0/8", "\\u00e9\\n", ]\r\n[ a . b ]\nc=[]',
        ],
        "settings": [
            'profile = "bank"\nutc = true\nserver = "https://id.example/am"\nadmin-password-file = "/x"\n[profiles.bank]\nrealm = "beta"\nuser = "ada"\n',
            'server = "https://a:b@c/am"\n', '[profiles.a]\n[profiles.b]\nserver = "x"\n',
        ],
        "codings": ["aGVsbG8", "aGVsbG8=", "+/+/", "-_-_", "MZXW6===", "mzxw6", "00ff", "%C3%A9%20x", "%zz"],
        "accept-language": ["de-CH, fr;q=0.9, en;q=0.8, *;q=0.5", "en", "x;q=nan, y;q=1e9, z;q=-1"],
        "advice": [
            "<Advices><AttributeValuePair><Attribute name=\"AuthLevelConditionAdvice\"/><Value>10</Value></AttributeValuePair></Advices>",
            "<Advices>\n <AttributeValuePair><Attribute name=\"A\"></Attribute><Value>/alpha:Step&amp;Up</Value><Value>b</Value></AttributeValuePair>\n</Advices>",
        ],
        "argon2": [
            "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
            "$argon2id$v=19$m=19456,t=2,p=1$" + base64.b64encode(bytes(16)).decode().rstrip("=") + "$" + base64.b64encode(bytes(32)).decode().rstrip("="),
        ],
        "forwarded": [
            "203.0.113.7, 10.0.0.2\nfor=203.0.113.7;proto=https;host=\"id.example.com:8443\";by=_edge\nid.example.com\nhttps",
            "[2001:db8::7]:4711\nfor=\"[2001:db8::7]:4711\", for=unknown, for=_x\nh:1\nhttp",
            "\"\\\", ::ffff:1.2.3.4\n;,=\"\n,\n,",
        ],
        "query-filter": [
            '/mail eq "ada@example.com"', '!(/preferences pr) or /preferences/marketing eq false',
            '(a pr and b co \'x\') or !(n ge -1.5 and l sw "\\u0061\\"")', "/a~1b/0 lt 7", "true", "!!false",
        ],
        "policies": [
            "https://*.example.com:443/-*-/x\nhttps://a.example.com/b/x\n(&(mail=*@example.com)(!(n>=7)))", "a*b*\nab\n(uid=\\2a)",
            '{"policy":{"p":{"applicationName":"a","resources":["*"],"actionValues":{"GET":true},"subject":{"type":"AuthenticatedUsers"},'
            '"condition":{"type":"OR","conditions":[{"type":"SimpleTime","startTime":"08:00","endTime":"17:00"},{"type":"IPv4",'
            '"startIp":"10.0.0.1","endIp":"10.0.0.9"},{"type":"AuthLevel","authLevel":1}]}}}}',
        ],
        "ip-address": ["10.0.0.0/8", "2001:db8::/32", "::ffff:10.0.0.1", "::1", "0.0.0.0/0", "fe80::1/64", "::ffff:0:0/96"],
        "openid-provider": [
            "client_id=app&redirect_uri=https%3A%2F%2Fa.example%2Fcb&scope=openid+email&state=%C3%A9", "a=1&a=2", "=&a=%zz",
            '{"acr_journeys":{"a":"B"},"clients":[{"client_id":"a","token_endpoint_auth_method":"none","redirect_uris":["com.example.a:/cb"]}]}',
        ],
        "query": [
            "_action=create&_queryFilter=true&a=%C3%A9+x", 'username eq "ada" and realm eq "/alpha"', "a=%zz&&=&x",
            'username eq "a\\"\\\\b"',
        ],
        "web-address": [
            "https://id.example.com:8443/am?x=1", "http://[::1]:8080", "http://127.0.0.1", "www.example.co.uk",
            "b\u00fccher.example", "xn--bcher-kva.example", "foo.kawasaki.jp", "city.kawasaki.jp", "0x7f.1", "localhost",
            "https://EXAMPLE.com./", "\u0130.example", "\uff45xample\u3002com",
        ],
        "header-word": ["=?utf-8?B?w6k=?= =?UTF-8*de?q?=C3=A9_x?=", "=?iso-8859-1?Q?=E9?=", "=?x", "plain"],
        "basic-credentials": ["Basic YWRhOnNlY3JldA==", "ada:se:cret", "basic  x", "Basic OjoK"],
        "event-stream": ["\x03\ufeffdata: {\"a\":1}\ndata: b\n\nretry: 5000\r\n: ping\r\rdata\n\nid: 7\nevent: x\ndata:y\n\n"],
        "set-cookie": [
            "iPlanetDirectoryPro=abc; Path=/; Secure; HttpOnly; SameSite=Lax, amlbcookie=01; Domain=.example.co.uk; Expires=Wed, 21 Oct 2026 07:28:00 GMT",
            "a=b; Max-Age=-1", "a=b; domain=co.uk; path=x; max-age=99999999999999", "Sun Nov  6 08:49:37 1994", "06-Nov-94 08:49:37",
        ],
        "push-uri": [
            "pushauth://push/Acme:ada?l=YW1sYmNvb2tpZT0wMQ&issuer=QWNtZQ&m=REGISTER:x1&s=" + base64url(bytes(32)) + "&c=" + base64url(bytes(32))
            + "&r=" + base64url(b"https://id.example/am/json/push/sns/message?_action=register") + "&a="
            + base64url(b"https://id.example/am/json/push/sns/message?_action=authenticate") + "&uid=YWRh&pid=cGlk&b=032b75&image="
            + base64url(b"https://id.example/logo.png") + "&policies=e30",
            "https://id.example:8443/am/json/push/sns/message?_action=register&x=1",
        ],
        "legacy-entry": [
            '{"id":"Acme-ada","issuer":"Acme","accountName":"ada","mechanismUID":"u","secret":"GEZDGNBVGY3TQOJQ","type":"otpauth","oathType":"TOTP","digits":6}',
            '{"issuer":"Acme","accountName":"ada","policies":"{}","lock":true,"timeAdded":1700000000000,"version":1}',
            base64.b64decode(
                "YnBsaXN0MDDUAQIDBAUGBwpYJHZlcnNpb25ZJGFyY2hpdmVyVCR0b3BYJG9iamVjdHMSAAGGoF8QD05TS2V5ZWRBcmNoaXZlctEICVRyb290gAGpCwwjJCUm"
                "Jy8wVSRudWxs2w0ODxAREhMUFRYXGBkaGxwdHh8gISJWJGNsYXNzXW1lY2hhbmlzbVVVSURUdHlwZVZpc3N1ZXJbYWNjb3VudE5hbWVWc2VjcmV0WWFsZ29y"
                "aXRobVZkaWdpdHNXY291bnRlcld2ZXJzaW9uWXRpbWVBZGRlZIAGgAKAA4AEgAWAB4AIEAYRASwQASNB2VT8QCAAAFd1aWQtYWRhVGhvdHBnAMQAYwBtAGUA"
                "IGXlZyxTYWRh0igpKitaJGNsYXNzbmFtZVgkY2xhc3Nlc18QHUZSQXV0aGVudGljYXRvci5IT1RQTWVjaGFuaXNtpCosLS5fEB1GUkF1dGhlbnRpY2F0b3Iu"
                "T2F0aE1lY2hhbmlzbV8QGUZSQXV0aGVudGljYXRvci5NZWNoYW5pc21YTlNPYmplY3RfECBKQlNXWTNEUEVIUEszUFhQSkJTV1kzRFBFSFBLM1BYUFRzaGEx"
                "AAgAEQAaACQAKQAyADcASQBMAFEAUwBdAGMAegCBAI8AlACbAKcArgC4AL8AxwDPANkA2wDdAN8A4QDjAOUA5wDpAOwA7gD3AP8BBAETARcBHAEnATABUAFV"
                "AXUBkQGaAb0AAAAAAAACAQAAAAAAAAAxAAAAAAAAAAAAAAAAAAABwg=="
            ),
        ],
        "oath-uri": [
            "otpauth://totp/Acme:ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Acme&algorithm=SHA256&digits=8&period=60&uid=YWRh&oid=b2lk&b=fff&image=https%3A%2F%2Fx%2Fl.png",
            "otpauth://hotp/ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&counter=7",
            "mfauth://totp/Acme:ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=QWNtZQ&policies=e30",
        ],
        "push-body": [
            '{"messageId":"AUTHENTICATE:x1","jwt":"a.b.c"}', '{"mechanismUid":"u","username":"ada","jwt":"a.b.c"}',
            '{"mechanismUid":"u","jwt":"a.b.c","wait":30}', '{"messages":[{"messageId":"AUTHENTICATE:x1","message":"a.b.c"},{}]}',
            "REGISTER:0f1e2d3c-0000-4000-8000-0000000000001700000000000",
        ],
        "callback-answers": [
            '[{"type":"NameCallback","input":[{"name":"IDToken1","value":"ada"}],"_id":0},{"type":"TextOutputCallback","output":[]},'
            '{"type":"DeviceBindingCallback","input":[{"name":"IDToken3jws","value":"a.b.c"},{"name":"IDToken3deviceName","value":"x"}]},'
            '{"type":"NameCallback","input":[{"value":"x"}]}]',
        ],
        "transaction": [
            '{"version":1,"id":"t1","fields":{"amount":"42.00","currency":"EUR","payee":"Bookshop","account":"DE89370400440532013000","text":"Order 7"},"nonce":"'
            + base64url(bytes(32)) + '","context":{"application":"Shop","expiresAt":1800000000000}}',
            '{"amount":"0.05","currency":"CHF"}', "id=ada,ou=user,o=alpha,ou=services,ou=am-config", "id=ada,ou=user,ou=am-config",
            base64.b64encode(bytes(32)), "My phone \U0001f468\u200d\U0001f469",
        ],
        "fido-options": [
            '{"challenge":"' + base64url(bytes(32)) + '","rp":{"id":"example.com","name":"Example"},"user":{"id":"YWRh","name":"ada","displayName":"Ada"},'
            '"pubKeyCredParams":[{"type":"public-key","alg":-7}],"excludeCredentials":[{"type":"public-key","id":"AQID"}],"timeout":60000,'
            '"authenticatorSelection":{"userVerification":"required","residentKey":"required","authenticatorAttachment":"platform"},"attestation":"direct"}',
            '{"_action":"webauthn_registration","challenge":"' + base64.b64encode(bytes(32)).decode() + '","attestationPreference":"none","userName":"ada",'
            '"userId":"YWRh","relyingPartyName":"x","authenticatorSelection":"{\\"userVerification\\":\\"preferred\\"}","_authenticatorSelection":{},'
            '"pubKeyCredParams":"[ { \\"type\\": \\"public-key\\", \\"alg\\": -7 } ]","timeout":"60000","excludeCredentials":"","displayName":"Ada",'
            '"relyingPartyId":"id: \\"example.com\\",","_relyingPartyId":"example.com"}',
            '{"challenge":[1,-2,255],"rpId":"example.com","allowCredentials":[{"type":"public-key","id":"AQID"}],"userVerification":"discouraged"}',
            '{"_action":"webauthn_authentication","challenge":"AQID","acceptableCredentials":"allowCredentials: [{ \\"type\\": \\"public-key\\", \\"id\\": new Int8Array([1, -2]).buffer }]","timeout":"60000","userVerification":"preferred","relyingPartyId":""}',
        ],
        "imported-accounts": ['ada,"a@x.example;b@x.example",Active', '"a""b","c\nd",', '{"username":"ada","mail":["a@x.example"],"Status":"Inactive"}', "x"],
        "pam": [
            "sealring-pam 1\nnonce " + 32 * "0f" + "\ntime 1800000000\nhost laptop\nservice sudo\nuser mira\ncaller mira\nremote \nterminal /dev/pts/3\n"
            "program /usr/bin/sudo\ncommand -u root sh -c rm%20-rf%0A %FF '\nleft-out 0\nverify pin\nkey 04" + 64 * "ab" + "\n\n",
            "sealring-pam 1\nnonce " + 32 * "00" + "\ntime 0\nhost a\nservice b\nuser c\ncaller \nremote d\nterminal \nprogram \ncommand\nleft-out 7\n"
            "verify consent\nkey 04" + 64 * "00" + "\nkey 04" + 64 * "01" + "\n\n",
            "sealring-pam 1\nnonce " + 32 * "00" + "\ntime 0\nhost a\nservice b\nuser c\ncaller \nremote \nterminal \nprogram \ncommand a  b\nleft-out 0\n"
            "verify transaction\n\n",
        ],
        "ssh": [
            b"\x0b", b"\x1b" + string(b"query"), b"\x0d" + string(b"k") + string(b"d") + bytes(4),
            string(bytes(32)) + b"\x32" + string(b"ada") + string(b"ssh-connection") + string(b"publickey") + b"\x01"
            + string(b"ecdsa-sha2-nistp256") + string(ssh_key()),
            ssh_key(), string(b"sk-ecdsa-sha2-nistp256@openssh.com") + ssh_key()[23:] + string(b"ssh:"), string(b"ssh-ed25519") + string(bytes(32)),
            string(string(b"ssh-ed25519") + string(bytes(32))) + string(bytes(32))
            + string(string(b"ssh-ed25519") + string(bytes(64))) + b"\x00",
            string(b"ecdsa-sha2-nistp256-cert-v01@openssh.com") + string(bytes(32)) + ssh_key()[23:] + struct.pack(">QI", 7, 1) + string(b"id")
            + string(string(b"ada")) + struct.pack(">QQ", 1, 2) + string(string(b"force-command") + string(string(b"id"))) + string(string(b"permit-pty") + string(b""))
            + string(b"") + string(ssh_key()) + string(string(b"ecdsa-sha2-nistp256") + string(string(b"\1") + string(b"\1"))),
            b"SSHKRL\n\0" + struct.pack(">IQQQ", 1, 3, 1, 0) + string(b"") + string(b"note") + b"\1"
            + string(string(ssh_key()) + string(b"") + b"\x20" + string(struct.pack(">Q", 7)) + b"\x21" + string(struct.pack(">QQ", 8, 9))
                     + b"\x22" + string(struct.pack(">Q", 20) + string(b"\x05")) + b"\x23" + string(string(b"lost")))
            + b"\2" + string(string(ssh_key())),
            "ecdsa-sha2-nistp256 " + base64.b64encode(ssh_key()).decode() + " ada@laptop",
            "bank.example,10.0.0.1 ssh-ed25519 AQID\n@revoked x ssh-ed25519 AQID\n|1|c2FsdA==|aGFzaA== ssh-ed25519 AQID\n",
        ],
        "ctap": [
            b"\xff\xff\xff\xff\x86\x00\x08" + bytes(range(8)) + bytes(49), b"\x00\x00\x00\x01\x90\x00\x01\x04" + bytes(56),
            b"\x00\x00\x00\x01\x81\x00\x64" + bytes(57) + b"\x00\x00\x00\x01\x00" + bytes(59), b"\x0c\x00\x00\x00\x02\x00ab",
            b"\x06\x00\x00\x00" + bytes(4096) + b"\x41\x00\x01", b"\x04", b"\x06\xa2\x01\x02\x02\x02",
            b"\x02\xa2\x01\x6bexample.com\x02\x58\x20" + bytes(32),
            b"\x01\xa4\x01\x58\x20" + bytes(32) + b"\x02\xa1\x62id\x6bexample.com\x03\xa1\x62id\x41\x07\x04\x81\xa2\x63alg\x26\x64type\x6apublic-key",
        ],
        "security-key": [
            bytes(32) + b"\x45\x00\x00\x00\x01" + bytes(16) + b"\x00\x10" + bytes(range(16)) + b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20" + bytes(32)
            + b"\x22\x58\x20" + bytes(32), bytes(32) + b"\x05\x00\x00\x00\x02", b"\x58\x25" + bytes(32) + b"\x01\x00\x00\x00\x00",
            b"\x06\xd0\xf1\x09\x01\xa1\x01\x09\x20\x15\x00\x26\xff\x00\x75\x08\x95\x40\x81\x02\xc0",
        ],
        "signing-link": [
            "sealring://sign?server=http%3A%2F%2Flocalhost%3A8080%2Fam&realm=%2Falpha&id=" + "0a" * 16 + "&challenge=J9EwcIHJMpiI9N0XZKk2bY1BWPhm19UKa7QE49Cqay0%3D",
            "sealring://sign?server=https://id.example/am/&realm=/&id=" + "f9" * 16 + "&challenge=x&user=id%3Dada&timeout=60&transaction=%7B%22version%22%3A1%2C%22id%22%3A%22t%22%2C%22fields%22%3A%7B%22text%22%3A%22x%22%7D%2C%22nonce%22%3A%22AAAA%22%7D",
            "sealring://sign?server=https%3A%2F%2Fid.example%40evil.example&realm=a&id=" + "00" * 16 + "&challenge=%E2%80%AE",
        ],
        "qr-text": ["otpauth://totp/x?secret=AAAA", "01234567", "HELLO", "\u00e9" * 40, "a" * 2953],
        "known-devices-cookie": ["sealring-device=a.1.b~c.2.d; x=y"],
        "outcome": ["unsupported", "ERROR::NotAllowedError:no"],
        "cbor": [], "authenticator-data": [], "tpm": [], "certificate": [],
    }
    add_vectors(found)
    add_tpm(found)
    found["journey"] = journeys()
    found["jwk"] = ['{"kty":"RSA","n":"' + base64url(b"\x80" + bytes(254) + b"\x01") + '","e":"AQAB","alg":"RS256","use":"sig","key_ops":["verify"],"x5c":["AAAA"]}']
    return found


def add_vectors(found):
    """The test vectors of WebAuthn Level 3, and ours of what those do not have."""
    for name in ["webauthn-vectors.json", "webauthn-more-vectors.json"]:
        add_file(found, json.loads((ROOT / "Tests/Interoperability" / name).read_text()))


def add_file(found, vectors):
    root = bytes.fromhex(vectors["attestationRoot"])
    found["certificate"] += [root, "-----BEGIN CERTIFICATE-----\n" + base64.encodebytes(root).decode() + "-----END CERTIFICATE-----\n", sized(root)]
    for vector in vectors["vectors"]:
        made = {name: bytes.fromhex(text) for name, text in vector["registration"].items()}
        got = {name: bytes.fromhex(text) for name, text in vector["authentication"].items()}
        found["cbor"].append(made["attestationObject"])
        found["authenticator-data"] += [made["attestationObject"], got["authenticatorData"]]
        start = made["attestationObject"].find(b"hauthData")
        if start >= 0:
            rest = made["attestationObject"][start + 9 :]
            found["authenticator-data"].append(rest[2:] if rest[0] == 0x58 else rest[3:])
        credential = base64url(made["credential_id"])
        for text in [
            "::".join([made["clientDataJSON"].decode(), int8(made["attestationObject"]), credential, "My Laptop"]),
            "::".join([got["clientDataJSON"].decode(), int8(got["authenticatorData"]), int8(got["signature"]), credential]),
        ]:
            found["outcome"] += [text, json.dumps({"authenticatorAttachment": "platform", "legacyData": text})]


def add_tpm(found):
    """The structures of a TPM (TPM 2.0 Library, Part 2), of keys that are no keys."""
    point = sized(bytes([1] * 32), bytes([2] * 32))
    key = struct.pack(">HHI", 0x23, 0xB, 0x40072) + sized(b"") + struct.pack(">HHHHH", 0x10, 0x18, 0xB, 3, 0x10) + point
    attestation = struct.pack(">HHI", 0x23, 0xB, 0x50072) + sized(b"") + struct.pack(">HHHHH", 0x10, 0x18, 0xB, 3, 0x10) + point
    rsa = struct.pack(">HHI", 1, 0xB, 0x40072) + sized(b"") + struct.pack(">HHHHI", 0x10, 0x14, 0xB, 2048, 0) + sized(b"\x80" + bytes(254) + b"\x01")
    endorsement = (
        struct.pack(">HHI", 1, 0xB, 0x300B2) + sized(bytes(32)) + struct.pack(">HHHHHI", 6, 128, 0x43, 0x10, 2048, 0)
        + sized(b"\x80" + bytes(254) + b"\x01"))
    certified = struct.pack(">IH", 0xFF544347, 0x8017) + sized(bytes(34), bytes(32)) + bytes(17) + bytes(8) + sized(bytes(34), bytes(34))
    signature = struct.pack(">HH", 0x18, 0xB) + sized(bytes([1] * 32), bytes([2] * 32))
    texts = {name: base64url(data) for name, data in [("ek", endorsement), ("ak", attestation), ("sig", signature), ("info", certified)]}
    found["tpm"] += [
        key, attestation, rsa, endorsement, certified, signature,
        json.dumps({"ver": "2.0", "certInfo": texts["info"], "sig": texts["sig"], "pubArea": texts["ak"]}),
        json.dumps({"version": 1, "ekCertificate": "MAA", "ekIntermediates": ["MAA"], "ekPublic": texts["ek"], "akPublic": texts["ak"]}),
        json.dumps({"version": 1, "credentialBlob": "AAAA", "encryptedSecret": "AAAA", "encryptedChain": {"nonce": "A" * 16, "ciphertext": "A" * 40}}),
    ]


def journeys():
    """One small journey of everything that a file may hold, and the smallest bundled ones."""
    small = {
        "meta": {"origin": "x"},
        "nodes": {
            "n1": {"_id": "n1", "_type": {"_id": "PageNode"}, "nodes": [{"_id": "i1", "nodeType": "UsernameCollectorNode"}], "pageHeader": {"en": "Hi"}},
            "n2": {"_id": "n2", "_type": {"_id": "TestNode"}, "_outcomes": [{"id": "true", "displayName": "True"}, {"id": "false", "displayName": "F"}], "inputs": ["username"]},
            "n3": {"_id": "n3", "_type": {"_id": "ModifyAuthLevelNode"}, "authLevelIncrement": 10},
        },
        "innerNodes": {"i1": {"_id": "i1", "_type": {"_id": "UsernameCollectorNode"}}},
        "tree": {
            "_id": "Login", "entryNodeId": "n1", "enabled": True, "innerTreeOnly": False, "description": "d",
            "nodes": {
                "n1": {"connections": {"outcome": "n2"}, "nodeType": "PageNode", "displayName": "Page"},
                "n2": {"connections": {"true": "n3", "false": "e301438c-0bd0-429c-ab0c-66126501069a"}, "nodeType": "TestNode"},
                "n3": {"connections": {"outcome": "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"}, "nodeType": "ModifyAuthLevelNode"},
            },
        },
    }
    page = {"_id": "n1", "_type": {"_id": "PageNode"}, "nodes": [{"_id": "n1"}]}
    own = {**small, "nodes": {**small["nodes"], "n1": page}}
    bundled = sorted(ROOT.glob("Sources/Server/JourneyFiles/journeys/**/*.json"), key=lambda file: file.stat().st_size)[:8]
    return [json.dumps(small), json.dumps(own), json.dumps({"trees": {"A": small, "B": {**small, "tree": {**small["tree"], "_id": "B"}}}})] + [
        file.read_bytes() for file in bundled]
