import CommonFixtures
import Concurrency
import DeviceKeys
import Foundation
import Testing
import WebAuthnAuthenticator
import WebAuthnFormats
import WebAuthnVerification

/// What stays on the device after crashes, damage and haste.
@Suite struct CredentialStoreTests {
  /// More writes than making a credential takes.
  static let writes = 0..<5

  @Test(arguments: writes)
  func `after a crash at any write, the next registration leaves no key without a credential`(
    after writes: Int
  ) async throws {
    let device = try AuthenticatorDevice()
    let crash = Crash(after: writes)
    var dying = device
    dying.keyStore = DyingKeyStore(keyStore: device.keyStore, crash: crash)
    dying.encryption = DyingEncryption(crash: crash)
    let outcome = await failure {
      try await dying.authenticator.makeCredential(.ordinary, consent: Person())
    }
    let survivors = try await device.sources.count
    #expect(survivors == (outcome == nil ? 1 : 0))

    device.later(by: 601)
    let made = try await device.authenticator.makeCredential(.ordinary, consent: Person())
    try await device.expectNoOrphans(count: survivors + 1)
    let registration = try await Server.verify(made)
    try Server.verify(
      try await device.authenticator.getAssertion(
        .request(allowed: [made.source.id]), consent: Person()), by: registration)
  }

  @Test(arguments: writes)
  func `a write that fails is taken back at once`(number: Int) async throws {
    let device = try AuthenticatorDevice()
    let crash = Crash(after: number, lasts: false)
    var failing = device
    failing.keyStore = DyingKeyStore(keyStore: device.keyStore, crash: crash)
    failing.encryption = DyingEncryption(crash: crash)
    let outcome = await failure {
      try await failing.authenticator.makeCredential(.ordinary, consent: Person())
    }
    if number == 0 {
      #expect(outcome == "failed Dead()")
      #expect(try await device.keyStore.keys().isEmpty)
    } else {
      try await device.expectNoOrphans(count: outcome == nil ? 1 : 0)
    }
  }

  @Test func `a credential that another process is just making is left alone`() async throws {
    let device = try AuthenticatorDevice()
    let crash = Crash(after: 2)
    var dying = device
    dying.keyStore = DyingKeyStore(keyStore: device.keyStore, crash: crash)
    dying.encryption = DyingEncryption(crash: crash)
    _ = await failure { try await dying.authenticator.makeCredential(.ordinary, consent: Person()) }
    #expect(try await device.keyStore.keys().count == 1)
    _ = try await device.authenticator.makeCredential(.ordinary, consent: Person())
    #expect(try await device.keyStore.keys().count == 2)
    device.later(by: 601)
    _ = try await device.authenticator.makeCredential(.ordinary, consent: Person())
    try await device.expectNoOrphans(count: 2)
  }

  @Test func `several that sign at once get different counts`() async throws {
    let device = try AuthenticatorDevice()
    let made = try await device.authenticator.makeCredential(.ordinary, consent: Person())
    let counts = try await withThrowingTaskGroup(of: UInt32.self) { group in
      for _ in 0..<20 {
        // A lock of its own for each, as processes have.
        let authenticator = device.authenticator
        group.addTask {
          try await authenticator.getAssertion(
            .request(allowed: [made.source.id]), consent: Person()
          ).authenticatorData.signCount
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts.sorted() == Array(1...20))
  }

  @Test func `several that register at once all succeed`() async throws {
    let device = try AuthenticatorDevice()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<10 {
        let authenticator = device.authenticator
        group.addTask { _ = try await authenticator.makeCredential(.ordinary, consent: Person()) }
      }
      try await group.waitForAll()
    }
    try await device.expectNoOrphans(count: 10)
  }

  @Test func `files are encrypted, their owner's alone, and tell nothing of the account`() async throws {
    var device = try AuthenticatorDevice()
    device.encryption = EncryptedRecords()
    let made = try await device.authenticator.makeCredential(.ordinary, consent: Person())
    let folder = device.folder.url.appending(path: "credentials")
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.hasSuffix(".credential") })
    let file = folder.appending(path: name)
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let content = try Data(contentsOf: file)
    #expect(content.range(of: Data("demo".utf8)) == nil)
    #expect(content.range(of: Data("example.com".utf8)) == nil)

    // A changed file is reported by its path, and left as it is.
    var changed = content
    changed[changed.count - 1] ^= 1
    try changed.write(to: file)
    let outcome = await failure {
      try await device.authenticator.getAssertion(.request(allowed: [made.source.id]), consent: Person())
    }
    #expect(outcome?.contains(name) == true)
    #expect(try Data(contentsOf: file) == changed)
  }

  @Test func `a file that was put in another one's place is not used`() async throws {
    let device = try AuthenticatorDevice()
    let first = try await device.authenticator.makeCredential(.ordinary, consent: Person())
    let folder = device.folder.url.appending(path: "credentials")
    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".credential") }
    }
    let firstName = try names()[0]
    _ = try await device.authenticator.makeCredential(.ordinary, consent: Person())
    let secondName = try #require(try names().first { $0 != firstName })
    try Data(contentsOf: folder.appending(path: secondName)).write(to: folder.appending(path: firstName))
    let outcome = await failure {
      try await device.authenticator.getAssertion(.request(allowed: [first.source.id]), consent: Person())
    }
    #expect(outcome?.contains("another credential") == true)
  }
}

/// Lets a number of writes through, and then none, or all but one.
private final class Crash: Sendable {
  struct Dead: Error {}

  private let remaining: Locked<Int>
  private let lasts: Bool

  init(after writes: Int, lasts: Bool = true) {
    remaining = Locked(writes)
    self.lasts = lasts
  }

  func write() throws {
    let left = remaining.withLock { remaining in
      remaining -= 1
      return remaining
    }
    if lasts ? left < 0 : left == -1 { throw Dead() }
  }
}

private struct DyingEncryption: CredentialEncryption {
  let crash: Crash

  func encrypt(_ record: Data) async throws -> Data {
    try crash.write()
    return record
  }

  func decrypt(_ record: Data) async throws -> Data? { record }
}

private struct DyingKeyStore: DeviceKeyStore {
  let keyStore: any DeviceKeyStore
  let crash: Crash

  var kind: KeyStoreKind { keyStore.kind }
  func supports(_ protection: KeyProtection) -> Bool { keyStore.supports(protection) }
  func createKey(tag: String, protection: KeyProtection, unlock: KeyUnlock) async throws -> any DeviceKey {
    try crash.write()
    return try await keyStore.createKey(tag: tag, protection: protection, unlock: unlock)
  }
  func openKey(tag: String, unlock: KeyUnlock) async throws -> any DeviceKey {
    try await keyStore.openKey(tag: tag, unlock: unlock)
  }
  func deleteKey(tag: String) async throws {
    try crash.write()
    try await keyStore.deleteKey(tag: tag)
  }
  func keys() async throws -> [StoredKey] { try await keyStore.keys() }
}
