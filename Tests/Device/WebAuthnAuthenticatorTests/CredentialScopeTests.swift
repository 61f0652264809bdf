import Foundation
import Testing
import WebAuthnAuthenticator

/// Credentials belong to a server and a realm, beside the relying party that servers may share.
@Suite struct CredentialScopeTests {
  private static let a = CredentialScope(server: "https://a.example.com", realm: "/alpha")
  private static let others = [
    CredentialScope(server: "https://b.example.com", realm: "/alpha"),
    CredentialScope(server: "https://a.example.com", realm: "/beta"),
  ]

  private func make(
    _ device: AuthenticatorDevice, _ scope: CredentialScope?, excluding excluded: [[UInt8]] = []
  ) async throws -> PublicKeyCredentialSource {
    let source = try await device.authenticator.makeCredential(
      .ordinary.with {
        $0.requiresResidentKey = true
        $0.excluded = excluded
        $0.scope = scope
      }, consent: Person()
    ).source
    device.later(by: 1)
    return source
  }

  @Test(arguments: others)
  func `another server, or realm, deleted the account's passkey by registering one`(other: CredentialScope)
    async throws
  {
    let device = try AuthenticatorDevice()
    let own = try await make(device, Self.a)
    // It is not seen: whether it exists is not told.
    let foreign = try await make(device, other, excluding: [own.id])
    try await device.authenticator.removePredecessors(of: foreign)
    #expect(try await Set(device.sources.map(\.id)) == [own.id, foreign.id])
    #expect(foreign.scope == other)

    // The own server sees and replaces what is its own.
    #expect(await failure { try await make(device, Self.a, excluding: [own.id]) } == "excluded true")
    let newer = try await make(device, Self.a)
    try await device.authenticator.removePredecessors(of: newer)
    #expect(try await Set(device.sources.map(\.id)) == [foreign.id, newer.id])
  }

  @Test(arguments: others)
  func `a key signs for its own server and realm, also when another names it`(other: CredentialScope)
    async throws
  {
    let device = try AuthenticatorDevice()
    let own = try await make(device, Self.a)
    for allowed in [[], [own.id]] {
      #expect(
        await failure {
          try await device.authenticator.getAssertion(
            .request(allowed: allowed, scope: other), consent: Person())
        } == "notAllowed")
      _ = try await device.authenticator.getAssertion(
        .request(allowed: allowed, scope: Self.a), consent: Person())
    }
    #expect(try await device.sources.map(\.signCount) == [2])
  }

  @Test func `a key from before is usable everywhere, and then belongs to the server that verified it first`()
    async throws
  {
    let device = try AuthenticatorDevice()
    let old = try await make(device, nil)
    let foreign = try await make(device, Self.others[0])
    try await device.authenticator.removePredecessors(of: foreign)
    #expect(try await device.sources.count == 2, "what is nobody's is not replaced")

    let used = try await device.authenticator.getAssertion(
      .request(allowed: [old.id], scope: Self.a), consent: Person()
    ).source
    #expect(used.scope == nil, "the server has not answered yet")
    try await device.authenticator.adopt(used, for: Self.a)
    try await device.authenticator.adopt(used, for: Self.others[0])
    let kept = try #require(try await device.sources.first { $0.id == old.id })
    #expect(kept.scope == Self.a && kept.signCount == 1)
    #expect(
      await failure {
        try await device.authenticator.getAssertion(
          .request(allowed: [old.id], scope: Self.others[0]), consent: Person())
      } == "notAllowed")
  }
}
