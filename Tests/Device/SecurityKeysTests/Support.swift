#if os(Linux)
  import CommonFixtures
  import Concurrency
  import Crypto
  import CTAPAuthenticator
  import DeviceKeys
  import Foundation
  import SecurityKeyFixtures
  import WebAuthnAuthenticator

  @testable import SecurityKeys

  /// A person with a security key, who has its PIN, or the answers of a test.
  final class KeyOwner: SecurityKeyPerson {
    struct Seen: Sendable {
      var touches: [SecurityKeyUse] = []
      var questions: [SecurityKeyPINQuestion] = []
      var accounts: [SecurityKeyAccount] = []
    }

    private let pins: Locked<[PIN?]>
    private let choice: Int?
    private let state = Locked(Seen())

    init(pins: [PIN?] = [], choice: Int? = 0) { (self.pins, self.choice) = (Locked(pins), choice) }

    var seen: Seen { state.withLock { $0 } }

    func showTouch(for use: SecurityKeyUse) { state.withLock { $0.touches.append(use) } }

    func pin(for question: SecurityKeyPINQuestion) async -> PIN? {
      state.withLock { $0.questions.append(question) }
      return pins.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    func choose(among accounts: [SecurityKeyAccount], for use: SecurityKeyUse) async -> Int? {
      state.withLock { $0.accounts = accounts }
      return choice
    }
  }

  /// A security key that is plugged in, and who has it.
  struct KeyScene {
    static let pin = PIN("739184")
    static let hash = [UInt8](repeating: 3, count: 32)

    let folder: TemporaryFolder
    let owner: KeyOwner
    let key: PlayedSecurityKey
    let client: SecurityKeyAuthenticator

    init(
      pin: PIN? = nil, owner: KeyOwner = KeyOwner(), isFIDO2: Bool = true, vanishingAt command: UInt8? = nil,
      answer: @escaping PlayedSecurityKey.Answer = { $1 }
    ) async throws {
      folder = try TemporaryFolder.make()
      self.owner = owner
      key = try PlayedSecurityKey(
        await .played(pin: pin, in: folder.url), in: folder.url, isFIDO2: isFIDO2, vanishingAt: command,
        answer: answer)
      client = SecurityKeyAuthenticator(person: owner, path: key.path, attached: { [] })
    }

    func register(
      _ user: String = "mira", resident: Bool = false, excluded: [[UInt8]] = [],
      attestation: MakeCredentialRequest.Attestation = .none,
      verifying verification: SecurityKeyAuthenticator.Verification = .discouraged
    ) async throws -> SecurityKeyCredential {
      try await client.makeCredential(
        MakeCredentialRequest(
          clientDataHash: Self.hash, relyingPartyID: "example.com", relyingPartyName: "Example",
          userHandle: Array(user.utf8), userName: user, userDisplayName: user, algorithms: [-8, -7],
          excluded: excluded, requiresResidentKey: resident, verifiesUser: false, attestation: attestation),
        verification)
    }

    func signIn(
      _ allowed: [[UInt8]] = [], party: String = "example.com",
      verifying verification: SecurityKeyAuthenticator.Verification = .discouraged
    ) async throws -> SecurityKeyAssertion {
      try await client.getAssertion(
        GetAssertionRequest(
          clientDataHash: Self.hash, relyingPartyID: party, allowed: allowed, verifiesUser: false),
        verification)
    }
  }
#endif
