import Crypto
import CTAP
import Testing

@testable import CTAPAuthenticator

struct TokenTests {
  private func token(
    _ permissions: CTAPPermissions = [.getAssertion], party: String? = nil,
    agreed: CTAPPermissions = .getAssertion
  ) -> VerificationToken {
    VerificationToken(permissions, relyingPartyID: party, agreed: agreed, at: .zero) {
      [UInt8](repeating: 5, count: $0)
    }
  }

  private func proof(_ version: PINProtocol, _ bytes: [UInt8] = [UInt8](repeating: 5, count: 32)) -> [UInt8] {
    let code = Array(HMAC<SHA256>.authenticationCode(for: [1, 2, 3], using: SymmetricKey(data: bytes)))
    return version == .one ? Array(code.prefix(16)) : code
  }

  private func isProved(
    _ token: inout VerificationToken, version: PINProtocol = .two,
    for permission: CTAPPermissions = .getAssertion,
    party: String? = "a.example", at now: Duration = .zero
  ) -> Bool {
    token.isProved(
      by: proof(version), of: [1, 2, 3], version: version, for: permission, relyingPartyID: party, at: now)
  }

  @Test(arguments: PINProtocol.allCases)
  func `only the token's bytes prove it`(version: PINProtocol) {
    var one = token()
    #expect(isProved(&one, version: version))
    let forged = one.isProved(
      by: proof(version, [UInt8](repeating: 6, count: 32)), of: [1, 2, 3], version: version,
      for: .getAssertion, relyingPartyID: "a.example", at: .zero)
    #expect(!forged)
    #expect("\(one)" == "VerificationToken(redacted)")
  }

  @Test func `it is first used within 30 seconds or never, and not after ten minutes`() {
    var late = token()
    #expect(!isProved(&late, at: .seconds(30)))
    var used = token()
    #expect(isProved(&used, at: .seconds(29)) && isProved(&used, at: .seconds(599)))
    #expect(!isProved(&used, at: .seconds(600)))
  }

  @Test func `it is good for what it was asked for, and one relying party`() {
    var one = token()
    #expect(!isProved(&one, for: .makeCredential) && !isProved(&one, for: .credentialManagement))
    #expect(isProved(&one) && !isProved(&one, party: "b.example") && isProved(&one))
    var bound = token(party: "b.example")
    #expect(!isProved(&bound) && isProved(&bound, party: "b.example"))
  }

  @Test func `a person who was asked for it stands for one use, for 30 seconds`() {
    var one = token()
    #expect(one.provesPresence(for: .getAssertion, at: .seconds(29)))
    #expect(!one.provesPresence(for: .getAssertion, at: .seconds(30)))
    one.spend()
    #expect(!one.provesPresence(for: .getAssertion, at: .zero) && !isProved(&one))
    #expect(!token(agreed: []).provesPresence(for: .getAssertion, at: .zero))
  }

  @Test func `who agreed to a new passkey has not agreed to a sign-in`() {
    let both = token([.makeCredential, .getAssertion], agreed: .makeCredential)
    #expect(both.provesPresence(for: .makeCredential, at: .zero))
    #expect(!both.provesPresence(for: .getAssertion, at: .zero))
  }
}
