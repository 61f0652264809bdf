import CBOR
import CommonFixtures
import Concurrency
import Crypto
import DeviceKeys
import Foundation
import PersonPrompts
import UserVerification
import WebAuthnAuthenticator
import WebAuthnFormats

@testable import CTAP
@testable import CTAPAuthenticator

/// Leaves records as they are.
struct PlainRecords: CredentialEncryption {
  func encrypt(_ record: Data) async throws -> Data { record }

  func decrypt(_ record: Data) async throws -> Data? { record }
}

/// A virtual security key with its person, by a clock that a test moves.
struct SecurityKeyScene {
  let folder: TemporaryFolder
  let store: any DeviceKeyStore
  let person: SecurityKeyPerson
  let time = Locked(Duration.zero)
  let date = ManualDate()
  let key: CTAPAuthenticator

  static let pin = PIN("739184")

  init(
    store: any DeviceKeyStore = MemoryKeyStore(), person: SecurityKeyPerson = SecurityKeyPerson(),
    prompt: (any PersonPrompt)? = nil, reader: (any BiometricVerifier)? = nil,
    folder: TemporaryFolder? = nil
  ) throws {
    let folder = try folder ?? TemporaryFolder.make()
    (self.store, self.person, self.folder) = (store, person, folder)
    let (time, date) = (time, date)
    key = CTAPAuthenticator(
      keyStore: store,
      credentials: CredentialStore(
        directory: folder.url.appending(path: "passkeys"), encryption: PlainRecords()),
      prompt: prompt ?? person,
      fingers: reader.map {
        SecurityKeyFingers(
          reader: $0, vault: AuthorizationVault(directory: folder.url.appending(path: "fingers")))
      },
      // Passkeys are listed by their age.
      clock: {
        date.advance(by: 0.001)
        return date.now
      }, elapsed: { time.withLock { $0 } })
  }

  func later(by wait: Duration) { time.withLock { $0 += wait } }

  /// The reply's status, and its parameters.
  func send(
    _ command: UInt8, _ parameters: CBORMap? = nil, on channel: UInt32 = 1
  ) async throws -> (status: CTAPStatus?, map: CBORMap) {
    let request = [command] + (parameters.map { CBORValue.map($0).encoded } ?? [])
    let reply = await key.reply(to: request, on: channel)
    let map = reply.count > 1 ? try CBORValue(decoding: reply.dropFirst()).mapValue : nil
    return (reply.first.flatMap(CTAPStatus.init(rawValue:)), map ?? CBORMap())
  }

  func register(
    _ party: String = "example.com", user: [UInt8] = [7], options: CBORMap? = nil,
    extensions: CBORMap? = nil
  ) async throws -> (status: CTAPStatus?, map: CBORMap) {
    var parameters = Self.parameters(party, user: user)
    parameters[6] = extensions.map { .map($0) }
    parameters[7] = options.map { .map($0) }
    return try await send(1, parameters)
  }

  private static func parameters(_ party: String, user: [UInt8]) -> CBORMap {
    [
      1: .bytes(hash), 2: ["id": .text(party)],
      3: ["id": .bytes(user), "name": "ada", "displayName": "Ada Lovelace"],
      4: [["alg": -7, "type": "public-key"]],
    ]
  }

  /// The request for a new passkey.
  static func registration(_ party: String) -> [UInt8] {
    [1] + CBORValue.map(parameters(party, user: [7])).encoded
  }

  func signIn(
    _ party: String = "example.com", options: CBORMap? = nil, allowed: [[UInt8]] = []
  ) async throws -> (status: CTAPStatus?, map: CBORMap) {
    var parameters: CBORMap = [1: .text(party), 2: .bytes(Self.hash)]
    if !allowed.isEmpty {
      parameters[3] = .array(allowed.map { ["id": .bytes($0), "type": "public-key"] })
    }
    parameters[5] = options.map { .map($0) }
    return try await send(2, parameters)
  }

  /// Asks for a token by the key's own question.
  func token(_ permissions: CTAPPermissions, party: String? = nil) async throws -> CTAPStatus? {
    let platform = CTAPKeyAgreement(P256.KeyAgreement.PrivateKey().publicKey).cbor
    var parameters: CBORMap = [1: 2, 2: 6, 3: platform, 9: CBORValue(permissions.rawValue)]
    parameters[10] = party.map { .text($0) }
    return try await send(6, parameters).status
  }

  /// Sets the first PIN as a platform does, which the person is asked about.
  func setPINByPlatform(_ pin: PIN = pin) async throws -> CTAPStatus? {
    let own = P256.KeyAgreement.PrivateKey()
    let reply = try await send(6, [1: 2, 2: 2])
    guard let key = reply.map[1] else { return reply.status }
    let secret = try PINProtocol.two.sharedSecret(of: own, with: try CTAPKeyAgreement(key))
    let padded = pin.bytes + [UInt8](repeating: 0, count: 64 - pin.bytes.count)
    let encrypted = try PINProtocol.two.encrypt(padded, with: secret) { [UInt8](repeating: 9, count: $0) }
    let proof = Array(HMAC<SHA256>.authenticationCode(for: encrypted, using: secret.authentication))
    let request: CBORMap = [
      1: 2, 2: 3, 3: CTAPKeyAgreement(own.publicKey).cbor, 4: .bytes(proof), 5: .bytes(encrypted),
    ]
    return try await send(6, request).status
  }

  /// The ids of a reply to ``register(_:user:options:extensions:)``.
  static func id(_ reply: (status: CTAPStatus?, map: CBORMap)) throws -> [UInt8] {
    let data = try AuthenticatorData(parsing: reply.map[2]?.bytesValue ?? [])
    return data.attestedCredential?.id ?? []
  }

  /// The PIN's key as a platform that set it would have it.
  func setPIN(_ pin: PIN = pin) async throws {
    try await ClientPINKey(store: store).set(ClientPINKey.hash(pin))
  }

  static let hash = [UInt8](repeating: 1, count: 32)
}

/// Agrees, and has the PIN; says no for no.example, and nothing for wait.example.
final class SecurityKeyPerson: PersonPrompt {
  private let state: Locked<(answers: [PersonAnswer], questions: [PersonQuestion])>

  /// - Parameter answers: What is said first, one after the other.
  init(_ answers: [PersonAnswer] = []) { state = Locked((answers, [])) }

  var questions: [PersonQuestion] { state.withLock { $0.questions } }

  /// What was asked for, by the questions' titles.
  func wasAsked(_ purposes: [SecurityKeyQuestion.Purpose]) -> Bool {
    questions.map(\.title) == purposes.map { SecurityKeyQuestion($0).shown.title }
  }

  func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer {
    let prepared = state.withLock { state -> PersonAnswer? in
      state.questions.append(question)
      return state.answers.isEmpty ? nil : state.answers.removeFirst()
    }
    if let prepared { return prepared }
    switch question["Site"] {
    case "no.example": return .no
    case "wait.example":
      try? await untilCancelled()
      return .no
    default: return question.needsPIN ? .pin(SecurityKeyScene.pin) : .yes
    }
  }
}
