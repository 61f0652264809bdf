import CommonFixtures
import Concurrency
import Crypto
import DeviceKeys
import Foundation
import Testing
import UserVerification
import WebAuthnAuthenticator
import WebAuthnFormats
import WebAuthnVerification

/// Leaves records as they are.
struct PlainRecords: CredentialEncryption {
  func encrypt(_ record: Data) async throws -> Data { record }

  func decrypt(_ record: Data) async throws -> Data? { record }
}

/// AES-GCM with a key of its own.
struct EncryptedRecords: CredentialEncryption {
  private let key = SymmetricKey(size: .bits256)

  func encrypt(_ record: Data) async throws -> Data {
    try #require(AES.GCM.seal(record, using: key).combined)
  }

  func decrypt(_ record: Data) async throws -> Data? {
    try? AES.GCM.open(AES.GCM.SealedBox(combined: record), using: key)
  }
}

/// A device with an authenticator, and what a relying party makes of its answers.
struct AuthenticatorDevice {
  let folder: TemporaryFolder
  var keyStore: any DeviceKeyStore
  var encryption: any CredentialEncryption = PlainRecords()
  var reader: MemoryBiometricVerifier?
  var password: String?
  let clock = Locked(Date(timeIntervalSince1970: 1_763_703_600))

  init(keyStore: any DeviceKeyStore = MemoryKeyStore()) throws {
    folder = try TemporaryFolder.make()
    self.keyStore = keyStore
  }

  var credentials: CredentialStore {
    CredentialStore(directory: folder.url.appending(path: "credentials"), encryption: encryption)
  }

  var authenticator: Authenticator {
    let clock = clock
    return Authenticator(
      keyStore: keyStore, credentials: credentials,
      verifiers: UserVerifiers(
        biometric: reader, deviceCredential: MemoryCredentialVerifier(password: password),
        credentialSource: FixedCredentialSource(CredentialSecret("secret")),
        vault: AuthorizationVault(directory: folder.url.appending(path: "vault"))),
      clock: { clock.withLock { $0 } }, timeZone: TimeZone(identifier: "UTC") ?? .current)
  }

  func later(by seconds: TimeInterval) { clock.withLock { $0 += seconds } }

  var sources: [PublicKeyCredentialSource] { get async throws { try await credentials.credentials() } }

  /// Expects that there are as many keys as credentials, and no leftover of others.
  func expectNoOrphans(count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    #expect(try await keyStore.keys().count == count, sourceLocation: sourceLocation)
    #expect(try await sources.count == count, sourceLocation: sourceLocation)
    let files = try FileManager.default.contentsOfDirectory(
      atPath: folder.url.appending(path: "credentials").path)
    #expect(files.filter { $0.hasSuffix(".credential") }.count == count, sourceLocation: sourceLocation)
    #expect(!files.contains { $0.hasSuffix(".tmp") }, sourceLocation: sourceLocation)
  }
}

/// A person who answers what the test says, and remembers what was asked.
final class Person: AuthenticatorConsent {
  enum Question: Sendable, Hashable {
    case excluded
    case create(CredentialDescription)
    case choose([String])
    case use(CredentialUse)
  }

  private let asked = Locked<[Question]>([])
  let reveals: Bool
  let creates: Bool
  let uses: Bool
  /// The place of the key to choose.
  let choice: Int?

  init(reveals: Bool = true, creates: Bool = true, uses: Bool = true, choice: Int? = nil) {
    self.reveals = reveals
    self.creates = creates
    self.uses = uses
    self.choice = choice
  }

  var questions: [Question] { asked.withLock { $0 } }

  func mayRevealExcludedCredential() async -> Bool {
    asked.withLock { $0.append(.excluded) }
    return reveals
  }

  func mayCreate(_ credential: CredentialDescription) async -> Bool {
    asked.withLock { $0.append(.create(credential)) }
    return creates
  }

  func choose(among credentials: [PublicKeyCredentialSource]) async -> PublicKeyCredentialSource? {
    asked.withLock { $0.append(.choose(credentials.map(\.otherUI))) }
    return choice.map { credentials[$0] }
  }

  func mayUse(_ use: CredentialUse) async -> Bool {
    asked.withLock { $0.append(.use(use)) }
    return uses
  }
}

/// The relying party of the tests.
enum Server {
  static let id = "example.com"
  static let origin = "https://example.com"
  static let party = RelyingParty(id: id, origins: OriginPolicy([origin]))
  static let challenge = Array("a challenge of the server, random".utf8)
  static let created = ClientData(.create, challenge: challenge, origin: origin)
  static let gotten = ClientData(.get, challenge: challenge, origin: origin)

  static func verify(
    _ made: MadeCredential, verification: UserVerificationRequirement = .preferred,
    attestation: AttestationPolicy = AttestationPolicy()
  ) async throws -> VerifiedRegistration {
    try await RegistrationVerifier(
      .init(
        relyingParty: party, algorithms: [.es256], userVerification: verification, attestation: attestation),
      clock: { Date() }
    ).verify(
      RegistrationResponse(
        clientDataJSON: created.json, attestationObject: made.attestationObject.encoded,
        credentialID: made.source.id), challenge: challenge)
  }

  @discardableResult
  static func verify(
    _ assertion: AuthenticatorAssertion, by registration: VerifiedRegistration, storedCount: UInt32 = 0,
    verification: UserVerificationRequirement = .preferred
  ) throws -> VerifiedAssertion {
    try AssertionVerifier(
      .init(relyingParty: party, userVerification: verification, refusesSignCountMismatch: true)
    ).verify(
      AssertionResponse(
        clientDataJSON: gotten.json, authenticatorData: assertion.authenticatorData.encoded,
        signature: assertion.signature, credentialID: assertion.source.id,
        userHandle: assertion.source.userHandle), challenge: challenge,
      credential: RegisteredCredential(
        id: registration.credentialID, publicKey: registration.publicKey, signCount: storedCount,
        isBackupEligible: false, userHandle: Array("ZGVtbw".utf8)))
  }
}

extension MakeCredentialRequest {
  static var ordinary: MakeCredentialRequest {
    MakeCredentialRequest(
      clientDataHash: Server.created.hash, relyingPartyID: Server.id, relyingPartyName: "Example",
      userHandle: Array("ZGVtbw".utf8), userName: "demo", userDisplayName: "Demo User",
      algorithms: [-257, -7], verifiesUser: false)
  }

  func with(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }
}

extension GetAssertionRequest {
  static func request(
    allowed: [[UInt8]] = [], verifiesUser: Bool = false, scope: CredentialScope? = nil
  ) -> GetAssertionRequest {
    GetAssertionRequest(
      clientDataHash: Server.gotten.hash, relyingPartyID: Server.id, allowed: allowed,
      verifiesUser: verifiesUser, scope: scope)
  }
}

/// Which error `body` throws, in words that tests compare.
func failure(_ body: () async throws -> some Any) async -> String? {
  do {
    _ = try await body()
    return nil
  } catch let error as AuthenticatorError {
    return switch error {
    case .unsupported: "unsupported"
    case .excluded(let consented): "excluded \(consented)"
    case .constraint: "constraint"
    case .declined: "declined"
    case .notAllowed: "notAllowed"
    case .failed(let cause): "failed \(cause)"
    }
  } catch {
    return "\(error)"
  }
}

extension MadeCredential {
  /// An attestation object with the data of one registration and the statement of another.
  static func mixing(_ object: AttestationObject, statementOf other: AttestationObject) -> AttestationObject {
    AttestationObject(
      format: other.format, statement: other.statement, authenticatorData: object.authenticatorData)
  }
}

extension Server {
  static func verify(
    object: AttestationObject, id: [UInt8], attestation: AttestationPolicy
  ) async throws -> VerifiedRegistration {
    try await RegistrationVerifier(
      .init(relyingParty: party, algorithms: [.es256], attestation: attestation), clock: { Date() }
    ).verify(
      RegistrationResponse(
        clientDataJSON: created.json, attestationObject: object.encoded, credentialID: id),
      challenge: challenge)
  }
}
