#!/usr/bin/env python3
"""A client of OpenID Connect that knows only the standards: Authlib and PyJWT against the server.

Usage: oidc_over_http.py SETTINGS.json

The settings have: `issuer`; `base` and `realm`, `username`, `password` of somebody who signs in; `public` and `confidential`, two
registered clients with `client_id` and `redirect_uri`, the second with `client_secret`, and `own_tokens` if it is registered for `client_credentials`; optionally `signing`, one that proves itself by
assertions, with `key`, its private key in PEM; `older`, optionally: a client with RS256 that sends its `client_secret` in the form; `logout`, optionally: `listen`, the port at which the confidential client's back-channel
logout address is on this machine.

Prints one line per check; exits 1 when one failed. Needs what `scripts/bootstrap --test` puts into .build/test-python-oidc.
"""

import base64
import http.server
import json
import os
import secrets
import sys
import threading
import urllib.parse

import jwt
# Authlib asks for https otherwise; the server of the test is on this machine.
os.environ.setdefault("AUTHLIB_INSECURE_TRANSPORT", "1")

from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from joserfc.jwk import ECKey

from oidc_tools import Person, Pkce, ProofKey, Provider, check, finish, redirect_parameters, send, with_query

LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"

settings = json.load(open(sys.argv[1], encoding="utf-8"))
provider = Provider(settings["issuer"])
person = Person(settings["base"], settings["realm"], settings["username"], settings["password"])
public, confidential = settings["public"], settings["confidential"]


def authorize(client, parameters, who=person, pushed=False):
    """The parameters of the redirect with which the provider answers."""
    request = {
        "response_type": "code", "client_id": client["client_id"], "redirect_uri": client["redirect_uri"],
        "scope": "openid profile", "state": secrets.token_urlsafe(16), "nonce": secrets.token_urlsafe(16), **parameters,
    }
    if pushed:
        answer = send("POST", provider["pushed_authorization_request_endpoint"], form=request, headers=basic(client))
        check(answer.status == 201 and answer["request_uri"], "PAR takes the request (RFC 9126)")
        sent = {"client_id": client["client_id"], "request_uri": answer["request_uri"] or ""}
    else:
        sent = request
    answer = send("GET", with_query(provider["authorization_endpoint"], sent), headers=who.headers)
    return request, redirect_parameters(answer, client["redirect_uri"]), answer


def basic(client):
    if "client_secret" not in client:
        return {}
    text = urllib.parse.quote(client["client_id"], safe="") + ":" + urllib.parse.quote(client["client_secret"], safe="")
    return {"Authorization": "Basic " + base64.b64encode(text.encode()).decode()}


def exchange(client, code, verifier, proof=None, **changes):
    form = {
        "grant_type": "authorization_code", "code": code, "redirect_uri": client["redirect_uri"], "code_verifier": verifier,
        "client_id": client["client_id"], **changes,
    }
    if proof:
        return proof.send("POST", provider["token_endpoint"], form=form, headers=basic(client))
    return send("POST", provider["token_endpoint"], form=form, headers=basic(client))


def refresh(client, token, proof=None):
    form = {"grant_type": "refresh_token", "refresh_token": token, "client_id": client["client_id"]}
    if proof:
        return proof.send("POST", provider["token_endpoint"], form=form, headers=basic(client))
    return send("POST", provider["token_endpoint"], form=form, headers=basic(client))


def introspect(token):
    return send(
        "POST", provider["introspection_endpoint"], form={"token": token, "client_id": confidential["client_id"]},
        headers=basic(confidential))


def with_authlib():
    """The whole way with Authlib's own client: nothing of the request is written here."""
    session = OAuth2Session(
        confidential["client_id"], confidential["client_secret"], scope="openid profile offline_access",
        redirect_uri=confidential["redirect_uri"], token_endpoint_auth_method="client_secret_basic")
    pkce = Pkce()
    check(create_s256_code_challenge(pkce.verifier) == pkce.challenge, "Authlib's code challenge is ours")
    nonce = secrets.token_urlsafe(16)
    url, state = session.create_authorization_url(
        provider["authorization_endpoint"], code_verifier=pkce.verifier, code_challenge_method="S256",
        code_challenge=pkce.challenge, nonce=nonce)
    answer = send("GET", url, headers=person.headers)
    location = answer.headers.get("location", "")
    if not check(location.startswith(confidential["redirect_uri"] + "?"), "Authlib's request is answered by a code"):
        return None
    token = session.fetch_token(
        provider["token_endpoint"], authorization_response=location, code_verifier=pkce.verifier, state=state)
    claims = provider.id_token(token["id_token"], confidential["client_id"])
    check(claims["nonce"] == nonce, "Authlib gets tokens, and PyJWT accepts the ID token")
    check(claims["sub"], "the ID token names the person")
    info = session.get(provider["userinfo_endpoint"])
    check(info.status_code == 200 and info.json()["sub"] == claims["sub"], "userinfo is about the same person")
    renewed = session.refresh_token(provider["token_endpoint"], refresh_token=token["refresh_token"])
    check(renewed["access_token"] != token["access_token"], "Authlib renews the tokens")
    revoked = session.revoke_token(provider["revocation_endpoint"], token=renewed["refresh_token"])
    check(revoked.status_code == 200, "Authlib revokes them (RFC 7009)")
    check(introspect(renewed["access_token"])["active"] is False, "with the refresh token the access token ends")
    return token["id_token"]


def with_older_client(client):
    """A client that knows only RS256 and `client_secret_post`, as older libraries do."""
    check("RS256" in (provider["id_token_signing_alg_values_supported"] or []), "RS256 is offered where a client has it")
    check("client_secret_post" in (provider["token_endpoint_auth_methods_supported"] or []), "and the secret in the form")

    def session(method):
        return OAuth2Session(
            client["client_id"], client["client_secret"], scope="openid", redirect_uri=client["redirect_uri"],
            token_endpoint_auth_method=method)

    def fetch(method):
        pkce = Pkce()
        own = session(method)
        url, state = own.create_authorization_url(
            provider["authorization_endpoint"], code_verifier=pkce.verifier, code_challenge_method="S256",
            code_challenge=pkce.challenge)
        location = send("GET", url, headers=person.headers).headers.get("location", "")
        return own.fetch_token(
            provider["token_endpoint"], authorization_response=location, code_verifier=pkce.verifier, state=state)

    token = fetch("client_secret_post")["id_token"]
    header = jwt.get_unverified_header(token)
    key = next(key for key in provider.keys.keys if key.key_id == header["kid"])
    claims = jwt.decode(
        token, key.key, algorithms=["RS256"], audience=client["client_id"], issuer=provider["issuer"])
    check(header["alg"] == "RS256" and claims["sub"], "PyJWT accepts the ID token with RS256 and nothing else")
    try:
        fetch("client_secret_basic")
        check(False, "its secret in the header is refused")
    except OAuthError as error:
        check(error.error == "invalid_client", "its secret in the header is refused")


def with_assertions():
    """A client with a key of its own (RFC 7523), as Authlib makes its assertions."""
    client = settings["signing"]
    session = OAuth2Session(
        client["client_id"], ECKey.import_key(client["key"]), scope="openid", redirect_uri=client["redirect_uri"],
        token_endpoint_auth_method="private_key_jwt")
    session.register_client_auth_method(PrivateKeyJWT(provider["token_endpoint"], alg="ES256"))
    pkce = Pkce()
    url, state = session.create_authorization_url(
        provider["authorization_endpoint"], code_verifier=pkce.verifier, code_challenge_method="S256",
        code_challenge=pkce.challenge, nonce=secrets.token_urlsafe(16))
    location = send("GET", url, headers=person.headers).headers.get("location", "")
    try:
        token = session.fetch_token(
            provider["token_endpoint"], authorization_response=location, code_verifier=pkce.verifier, state=state)
    except OAuthError as error:
        check(False, f"Authlib's assertion proves the client: {error}")
        return
    claims = provider.id_token(token["id_token"], client["client_id"])
    check(claims["aud"] in (client["client_id"], [client["client_id"]]), "Authlib's assertion proves the client")
    code = redirect_parameters(send("GET", url, headers=person.headers), client["redirect_uri"])["code"]
    unproven = exchange(client, code, pkce.verifier)
    check(unproven.status in (400, 401) and unproven["error"] == "invalid_client", "without one it gets nothing")


def code_and_pkce():
    pkce = Pkce()
    request, redirect, _ = authorize(
        public, {"code_challenge": pkce.challenge, "code_challenge_method": "S256", "scope": "openid offline_access"})
    if not check(redirect and "code" in redirect, "a public client gets a code with PKCE"):
        return
    check(redirect["state"] == request["state"], "the state comes back")
    check(redirect.get("iss") in (None, provider["issuer"]), "iss, if it is there, is the issuer (RFC 9207)")
    wrong = exchange(public, redirect["code"], "x" * 43)
    check(wrong.status == 400 and wrong["error"] == "invalid_grant", "another verifier gets nothing")
    request, redirect, _ = authorize(
        public, {"code_challenge": pkce.challenge, "code_challenge_method": "S256", "scope": "openid offline_access"})
    tokens = exchange(public, redirect["code"], pkce.verifier)
    check(tokens.status == 200 and tokens.headers.get("cache-control", "").startswith("no-store"), "the right one gets tokens, uncached")
    claims = provider.id_token(tokens["id_token"], public["client_id"])
    check(claims["nonce"] == request["nonce"], "the ID token has the nonce")
    again = exchange(public, redirect["code"], pkce.verifier)
    check(again.status == 400, "a code is good once")
    check(introspect(tokens["access_token"])["active"] is False, "tokens of a replayed code are revoked")

    _, redirect, _ = authorize(public, {})
    check(not redirect or redirect.get("error") == "invalid_request", "without PKCE a public client gets no code")
    _, redirect, answer = authorize({**public, "redirect_uri": public["redirect_uri"] + "/"}, {})
    check(redirect is None and answer.status == 400, "a redirect URI that differs by a slash is not redirected to")
    nobody = Person(settings["base"], settings["realm"], "nobody", "")
    _, redirect, answer = authorize(
        public, {"prompt": "none", "code_challenge": pkce.challenge, "code_challenge_method": "S256"}, who=nobody)
    check(redirect and redirect.get("error") == "login_required", "prompt=none without a session is login_required")


def rotation():
    pkce = Pkce()
    _, redirect, _ = authorize(
        public, {"code_challenge": pkce.challenge, "code_challenge_method": "S256", "scope": "openid offline_access"})
    first = exchange(public, redirect["code"], pkce.verifier)
    second = refresh(public, first["refresh_token"])
    check(second.status == 200 and second["refresh_token"] != first["refresh_token"], "a refresh token is replaced")
    if second["id_token"]:
        one, two = (provider.id_token(answer["id_token"], public["client_id"]) for answer in (first, second))
        check(one["sub"] == two["sub"] and one["iss"] == two["iss"], "a renewed ID token is about the same person")
    reused = refresh(public, first["refresh_token"])
    check(reused.status == 400 and reused["error"] == "invalid_grant", "a used refresh token is refused")
    stopped = refresh(public, second["refresh_token"])
    check(stopped.status == 400, "and its reuse ends the ones that came of it")


def pushed_requests():
    pkce = Pkce()
    parameters = {"code_challenge": pkce.challenge, "code_challenge_method": "S256"}
    _, redirect, _ = authorize(confidential, parameters, pushed=True)
    if not check(redirect and "code" in redirect, "a pushed request is answered by a code"):
        return
    tokens = exchange(confidential, redirect["code"], pkce.verifier)
    check(tokens.status == 200, "which is exchanged")
    unknown = with_query(
        provider["authorization_endpoint"],
        {"client_id": confidential["client_id"], "request_uri": "urn:ietf:params:oauth:request_uri:unknown"})
    check("code=" not in send("GET", unknown, headers=person.headers).headers.get("location", ""), "an unknown request_uri gets no code")


def proofs():
    key, thief, pkce = ProofKey(), ProofKey(), Pkce()
    parameters = {"code_challenge": pkce.challenge, "code_challenge_method": "S256", "scope": "openid offline_access"}
    _, redirect, _ = authorize(public, parameters)
    tokens = exchange(public, redirect["code"], pkce.verifier, proof=key)
    if not check(tokens.status == 200 and (tokens["token_type"] or "").lower() == "dpop", "a proof gets bound tokens (RFC 9449)"):
        return
    token = tokens["access_token"]
    check((introspect(token)["cnf"] or {}).get("jkt") == key.thumbprint, "introspection tells the key")
    info = key.send("GET", provider["userinfo_endpoint"], token=token)
    check(info.status == 200, "the key's owner uses the token")
    stolen = send("GET", provider["userinfo_endpoint"], headers={"Authorization": f"Bearer {token}"})
    check(stolen.status == 401, "a bound token is no bearer token")
    check(thief.send("GET", provider["userinfo_endpoint"], token=token).status == 401, "nor does another key use it")
    proof = key.proof("GET", provider["userinfo_endpoint"], token)
    headers = {"Authorization": f"DPoP {token}", "DPoP": proof}
    once, twice = (send("GET", provider["userinfo_endpoint"], headers=headers) for _ in range(2))
    check((once.status, twice.status) == (200, 401), "a proof is good once")
    for text, changes in [("method", {"htm": "POST"}), ("address", {"htu": "https://evil.example.com/"}), ("time", {"iat": 1})]:
        headers["DPoP"] = key.proof("GET", provider["userinfo_endpoint"], token, **changes)
        check(send("GET", provider["userinfo_endpoint"], headers=headers).status == 401, f"a proof for another {text} is refused")
    check(refresh(public, tokens["refresh_token"], proof=thief).status in (400, 401), "another key cannot renew the tokens")
    check(refresh(public, tokens["refresh_token"], proof=key).status == 200, "the key can")


def introspection():
    check(introspect("made-up")["active"] is False, "a made-up token is not active")
    answer = send("POST", provider["introspection_endpoint"], form={"token": "x"})
    check(answer.status in (400, 401), "introspection is for clients that say who they are")


def client_credentials():
    """A token of the client for itself (RFC 6749 §4.4), where the confidential client is registered for it."""
    session = OAuth2Session(confidential["client_id"], confidential["client_secret"])
    token = session.fetch_token(provider["token_endpoint"], grant_type="client_credentials")
    check("refresh_token" not in token and "id_token" not in token, "a client's own token comes alone")
    about = introspect(token["access_token"])
    check(
        about["active"] is True and about["sub"] == confidential["client_id"] and about.get("username") is None,
        "it is about the client and nobody else")
    answer = send(
        "GET", provider["userinfo_endpoint"], headers={"Authorization": "Bearer " + token["access_token"]})
    check(answer.status in (401, 403), "it opens no userinfo")
    form = {"grant_type": "client_credentials", "scope": "openid"}
    answer = send("POST", provider["token_endpoint"], form=form, headers=basic(confidential))
    check(answer["error"] == "invalid_scope", "a scope about people is not for it")
    form = {"grant_type": "client_credentials", "client_id": public["client_id"]}
    answer = send("POST", provider["token_endpoint"], form=form)
    check(answer.status in (400, 401), "a public client gets none")


def back_channel_logout():
    """Ends the session, and waits for the logout token that the provider sends (OpenID Connect Back-Channel Logout 1.0 §2.5)."""
    received, arrived = [], threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            length = min(int(self.headers.get("Content-Length", "0")), 1 << 16)
            received.append(urllib.parse.parse_qs(self.rfile.read(length).decode()))
            self.send_response(200)
            self.end_headers()
            arrived.set()

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", settings["logout"]["listen"]), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        person.sign_in()
        pkce = Pkce()
        _, redirect, _ = authorize(confidential, {"code_challenge": pkce.challenge, "code_challenge_method": "S256"})
        tokens = exchange(confidential, redirect["code"], pkce.verifier)
        claims = provider.id_token(tokens["id_token"], confidential["client_id"])
        ended = send(
            "GET", with_query(provider["end_session_endpoint"], {"id_token_hint": tokens["id_token"]}), headers=person.headers)
        check(ended.status < 400, "the session is ended by the client")
        if not check(arrived.wait(60), "the provider tells the client"):
            return
        token = received[0].get("logout_token", [""])[0]
        check(jwt.get_unverified_header(token).get("typ") in (None, "logout+jwt", "JWT"), "by a logout token")
        header = jwt.get_unverified_header(token)
        key = next(key for key in provider.keys.keys if key.key_id == header["kid"])
        logout = jwt.decode(
            token, key.key, algorithms=["ES256", "RS256"], audience=confidential["client_id"], issuer=provider["issuer"],
            options={"require": ["iss", "aud", "iat", "jti", "events"]})
        check(LOGOUT_EVENT in logout["events"] and "nonce" not in logout, "which says what happened, and is no ID token")
        check(logout.get("sub") == claims["sub"] or logout.get("sid") == claims.get("sid"), "to the same person or session")
        _, redirect, _ = authorize(
            confidential, {"prompt": "none", "code_challenge": pkce.challenge, "code_challenge_method": "S256"})
        check(redirect and redirect.get("error") == "login_required", "and the session is over")
    finally:
        server.shutdown()


def main():
    person.sign_in()
    for algorithm in ("none", "HS256"):
        check(algorithm not in (provider["id_token_signing_alg_values_supported"] or []), f"ID tokens are never {algorithm}")
    check("S256" in (provider["code_challenge_methods_supported"] or []), "PKCE by S256 is offered")
    check("plain" not in (provider["code_challenge_methods_supported"] or []), "and not in plain text")
    with_authlib()
    if "signing" in settings:
        with_assertions()
    if "older" in settings:
        with_older_client(settings["older"])
    code_and_pkce()
    rotation()
    pushed_requests()
    proofs()
    introspection()
    if "client_credentials" in (provider["grant_types_supported"] or []) and confidential.get("own_tokens"):
        client_credentials()
    if "logout" in settings:
        back_channel_logout()
    finish()


if __name__ == "__main__":
    main()
