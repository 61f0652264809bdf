import BindingFormats
import CommonFixtures
import Foundation
import JourneyStore
import StrictJSON
import Testing

@testable import Assembly
@testable import OpenIDProvider

@Suite("OpenID Connect: decoupled sign-in by push (CIBA)") struct DecoupledSignInTests {
  private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

  private func begin(_ world: OpenIDFixture, _ change: [String: String] = [:]) async throws -> Page {
    let parameters = [
      "scope": "openid", "login_hint": "ada", "binding_message": "Order 4711",
      "client_assertion_type": Self.assertionType, "client_assertion": try await world.assertion(),
    ]
    return try await world.post(
      "/bc-authorize", parameters.merging(change) { $1 }.filter { !$1.isEmpty })
  }

  private func poll(_ world: OpenIDFixture, _ id: String) async throws -> Page {
    try await world.post(
      "/access_token",
      [
        "grant_type": "urn:openid:params:grant-type:ciba", "auth_req_id": id,
        "client_assertion_type": Self.assertionType, "client_assertion": try await world.assertion(),
      ])
  }

  @Test func `the person approves on the phone, and the client gets tokens once`() async throws {
    try await OpenIDFixture.run { world in
      let phone = try await world.local.enrolled()
      let began = try await begin(world)
      #expect(
        began.status == 200 && began.json["interval"] == 5 && began.json["expires_in"] == 120, "\(began.text)"
      )
      let id = try #require(began["auth_req_id"])
      let message = try #require(try await phone.poll(world.local).first)
      #expect(message.claims["m"] == "bank: Order 4711")
      #expect(try await poll(world, id).error == "authorization_pending")
      #expect(try await poll(world, id).error == "slow_down")
      #expect(try await phone.answer(message, at: world.local).status == 200)
      world.local.clock.advance(by: 6)
      let page = try await poll(world, id)
      #expect(page.status == 200, "\(page.text)")
      let claims = try await world.claims(page["id_token"], type: "JWT")
      #expect(claims["aud"] == "bank" && claims["sid"] == nil && claims["auth_time"] != nil)
      // One tap is one factor.
      #expect(claims["amr"] == ["pop"] && claims["acr"] == nil)
      #expect(try await world.userinfo(try #require(page["access_token"])).status == 200)
      world.local.clock.advance(by: 6)
      #expect(try await poll(world, id).error == "invalid_grant")
    }
  }

  @Test func `a refusal and silence give nothing`() async throws {
    try await OpenIDFixture.run { world in
      let phone = try await world.local.enrolled()
      let id = try #require(try await begin(world)["auth_req_id"])
      let message = try #require(try await phone.poll(world.local).first)
      #expect(try await phone.answer(message, at: world.local, ["deny": true]).status == 200)
      #expect(try await poll(world, id).error == "access_denied")
      world.local.clock.advance(by: 6)
      #expect(try await poll(world, id).error == "invalid_grant")

      let late = try #require(try await begin(world)["auth_req_id"])
      world.local.clock.advance(by: 121)
      #expect(try await poll(world, late).error == "expired_token")
    }
  }

  @Test func `unknown people, people without a phone and bad questions are refused`() async throws {
    try await OpenIDFixture.run { world in
      for name in ["nobody", "bob", "zoe"] {
        #expect(try await begin(world, ["login_hint": name]).error == "unknown_user_id")
      }
      for (change, error) in [
        (["login_hint": ""], "invalid_request"), (["scope": "email"], "invalid_scope"),
        (["binding_message": "a\nb"], "invalid_binding_message"),
        (["binding_message": String(repeating: "x", count: 101)], "invalid_binding_message"),
        (["requested_expiry": "9000"], "invalid_request"),
        (["acr_values": "urn:mfa"], "unmet_authentication_requirements"),
        (["acr_values": "urn:unknown urn:level"], "unmet_authentication_requirements"),
      ] { #expect(try await begin(world, change).error == error) }
      let foreign = try await world.post(
        "/bc-authorize", ["scope": "openid", "login_hint": "ada"], headers: OpenIDFixture.basic("other"))
      #expect(foreign.error == "unauthorized_client")
      let open = try await world.post(
        "/bc-authorize", ["client_id": "bank", "scope": "openid", "login_hint": "ada"])
      #expect(open.status == 401)
    }
  }

  @Test func `a client that needs consent gets by a tap what it was given before, and nothing more`()
    async throws
  {
    try await OpenIDFixture.run({ json in
      var clients = json["clients"]?.arrayValue ?? []
      if var bank = clients[2].objectValue {
        bank["require_consent"] = true
        bank["scope"] = "openid email"
        clients[2] = .object(bank)
      }
      json["clients"] = .array(clients)
    }) { world in
      let phone = try await world.local.enrolled()
      let refused = try await begin(world)
      #expect(refused.error == "access_denied", "\(refused.text)")
      // Nor is it told whether there is such a person.
      for name in ["nobody", "bob", "zoe"] {
        let other = try await begin(world, ["login_hint": name])
        #expect(other.text == refused.text && other.status == refused.status)
      }
      #expect(try await phone.poll(world.local).isEmpty)
      try await world.local.server.openID.grants.setConsent(
        ["openid"], of: UniversalID(username: "ada", realm: "alpha"), id: nil, client: "bank",
        now: world.local.clock.now)
      #expect(try await begin(world, ["scope": "openid email"]).text == refused.text)
      #expect(try await phone.poll(world.local).isEmpty)
      let id = try #require(try await begin(world)["auth_req_id"])
      let message = try #require(try await phone.poll(world.local).first)
      #expect(try await phone.answer(message, at: world.local).status == 200)
      #expect(try await poll(world, id)["scope"] == "openid")
    }
  }

  @Test func `the id of one client is nothing to another`() async throws {
    try await OpenIDFixture.run { world in
      _ = try await world.local.enrolled()
      let id = try #require(try await begin(world)["auth_req_id"])
      let page = try await world.post(
        "/access_token", ["grant_type": "urn:openid:params:grant-type:ciba", "auth_req_id": id],
        headers: OpenIDFixture.basic("other"))
      #expect(page.error == "unauthorized_client")
      #expect(try await world.redeem(id).error == "invalid_grant")
      #expect(try await world.refresh(id).error == "invalid_grant")
    }
  }
}
