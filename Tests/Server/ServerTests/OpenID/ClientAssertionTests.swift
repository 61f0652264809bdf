import Bytes
import CommonFixtures
import Crypto
import Foundation
import ProofFixtures
import StrictJSON
import Testing

extension OpenIDFixture {
  /// What the bank signs of itself.
  func assertion(
    _ change: (inout JSONObject) -> Void = { _ in }, key: P256.Signing.PrivateKey? = nil,
    id: String = UUID().uuidString
  ) async throws -> String {
    var claims: JSONObject = [
      "iss": "bank", "sub": "bank", "aud": .string(Self.issuer), "jti": .string(id),
      "exp": .integer(Int64(local.clock.now.timeIntervalSince1970) + 120),
    ]
    change(&claims)
    return try await Tokens.es256(claims, signer: KeyHolder(key ?? bankKey), keyID: "bank-1")
  }

  /// What the token endpoint says to an assertion; nothing is asked of it that could succeed.
  func answer(to assertion: String, client: String? = nil) async throws -> String? {
    var parameters = [
      "grant_type": "refresh_token", "refresh_token": "none",
      "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      "client_assertion": assertion,
    ]
    parameters["client_id"] = client
    return try await post("/access_token", parameters).error
  }
}

@Suite("OpenID Connect: clients that sign") struct ClientAssertionTests {
  @Test func `an assertion proves the client once`() async throws {
    try await OpenIDFixture.run { world in
      let assertion = try await world.assertion()
      // Past the proof: then the refresh token is looked at.
      #expect(try await world.answer(to: assertion) == "invalid_grant")
      #expect(try await world.answer(to: assertion) == "invalid_client")
      #expect(try await world.answer(to: try await world.assertion(), client: "bank") == "invalid_grant")
      #expect(try await world.answer(to: try await world.assertion(), client: "app") == "invalid_client")
    }
  }

  @Test func `an assertion that lives for an hour was refused, and is good once in all that time`()
    async throws
  {
    try await OpenIDFixture.run { world in
      let assertion = try await world.assertion {
        $0["exp"] = .integer(Int64(LocalServer.morning.timeIntervalSince1970) + 3600)
      }
      #expect(try await world.answer(to: assertion) == "invalid_grant")
      world.local.clock.advance(by: 3599)
      #expect(try await world.answer(to: assertion) == "invalid_client")
    }
  }

  @Test func `of twenty at once one counts`() async throws {
    try await OpenIDFixture.run { world in
      let assertion = try await world.assertion()
      let answers = try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 0..<20 { group.addTask { try await world.answer(to: assertion) } }
        return try await group.reduce(into: [String?]()) { $0.append($1) }
      }
      #expect(answers.count { $0 == "invalid_grant" } == 1)
    }
  }

  private static let faults: [(String, @Sendable (inout JSONObject) -> Void)] = [
    ("another audience", { $0["aud"] = "https://evil.example/" }),
    ("another realm's audience", { $0["aud"] = "https://id.example.com/am/oauth2" }),
    ("no audience", { $0["aud"] = nil }), ("another issuer", { $0["iss"] = "web" }),
    ("another subject", { $0["sub"] = "web" }), ("no end", { $0["exp"] = nil }),
    ("no id", { $0["jti"] = nil }),
    ("over", { $0["exp"] = .number(LocalServer.morning.timeIntervalSince1970 - 61) }),
    ("too long a life", { $0["exp"] = .number(LocalServer.morning.timeIntervalSince1970 + 3661) }),
    ("not yet", { $0["nbf"] = .number(LocalServer.morning.timeIntervalSince1970 + 120) }),
  ]

  @Test(arguments: faults.indices)
  func `an assertion with a fault proves nothing`(index: Int) async throws {
    let (name, change) = Self.faults[index]
    try await OpenIDFixture.run { world in
      let assertion = try await world.assertion(change)
      #expect(try await world.answer(to: assertion) == "invalid_client", "\(name)")
    }
  }

  @Test func `another key, and no algorithm or one with the public key as secret, prove nothing`()
    async throws
  {
    try await OpenIDFixture.run { world in
      #expect(
        try await world.answer(to: try await world.assertion(key: P256.Signing.PrivateKey()))
          == "invalid_client")
      let parts = try await world.assertion().split(separator: ".").map(String.init)
      for algorithm in ["none", "HS256", "RS256"] {
        let header = Base64URL.encode(#"{"alg":"\#(algorithm)","kid":"bank-1"}"#.utf8)
        #expect(try await world.answer(to: "\(header).\(parts[1]).\(parts[2])") == "invalid_client")
        #expect(try await world.answer(to: "\(header).\(parts[1]).") == "invalid_client")
      }
    }
  }
}
