import CommonFixtures
import Concurrency
import Foundation
import PingCommons
import PrivateFiles

@testable import PingOath

/// A folder that ends with the test.
func withHome(_ body: (ClientHome) async throws -> Void) async throws {
  let folder = TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  try await body(ClientHome(directory: folder.url))
}

extension ManualDate {
  convenience init(seconds: TimeInterval) { self.init(Date(timeIntervalSince1970: seconds)) }
}

func makeClient(
  _ storage: any OathStorage = MemoryOathStorage(), clock: ManualDate = ManualDate(seconds: 1_700_000_010),
  _ configure: (OathConfiguration) -> Void = { _ in }
) async throws -> OathClient {
  try await OathClient.createClient { config in
    config.storage = storage
    config.now = { clock.now }
    configure(config)
  }
}

/// A storage of an app: the five published requirements. Fails when told to.
actor MemoryOathStorage: OathStorage {
  private var credentials: [String: OathCredential] = [:]
  private var isFailing = false
  private var keepsOld = false
  private var forgets = false

  struct Broken: Error {}

  func fail(_ value: Bool = true) { isFailing = value }
  /// Takes everything and keeps nothing.
  func forget() { forgets = true }
  func storeNow(_ credential: OathCredential) { credentials[credential.id] = credential }
  /// Says that it stored, and has not.
  func keepOld() { keepsOld = true }

  func storeOathCredential(_ credential: OathCredential) throws {
    if isFailing { throw Broken() }
    if forgets { return }
    if keepsOld, credentials[credential.id] != nil { return }
    credentials[credential.id] = credential
  }

  func retrieveOathCredential(credentialId: String) async -> OathCredential? {
    let found = credentials[credentialId]
    // Others get their turn between reading and writing.
    await Task.yield()
    return found
  }

  func getAllOathCredentials() -> [OathCredential] {
    credentials.values.sorted { $0.createdAt < $1.createdAt }
  }
  func removeOathCredential(credentialId: String) -> Bool {
    credentials.removeValue(forKey: credentialId) != nil
  }
  func clearOathCredentials() { credentials = [:] }
}

/// A policy that a test switches.
final class SwitchedPolicy: MfaPolicy {
  let name = "switched"
  private let isMet = Locked(true)
  private let meanwhile = Locked<(@Sendable () async -> Void)?>(nil)

  func set(_ value: Bool) { isMet.withLock { $0 = value } }

  /// Runs `body` during the next evaluation.
  func interrupt(_ body: @escaping @Sendable () async -> Void) { meanwhile.withLock { $0 = body } }

  func evaluate(data: [String: Any]?) async -> Bool {
    let body = meanwhile.withLock { meanwhile in
      defer { meanwhile = nil }
      return meanwhile
    }
    await body?()
    return isMet.withLock { $0 }
  }
}

/// The case of an error, to compare by.
func name(of error: (any Error)?) -> String {
  guard let error else { return "none" }
  return Mirror(reflecting: error).children.first?.label ?? "\(error)"
}

/// The case of what `body` throws.
func thrown<Value>(_ body: () async throws -> Value) async -> String {
  do {
    _ = try await body()
    return "none"
  } catch { return name(of: error) }
}

/// The Base32 of the secret of the RFCs' vectors, of so many bytes.
func vectorSecret(_ count: Int) -> String {
  Data((0..<count).map { UInt8(ascii: "0") + UInt8(($0 + 1) % 10) }).base32EncodedString()
}
