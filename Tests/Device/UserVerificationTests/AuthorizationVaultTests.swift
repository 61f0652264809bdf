import CommonFixtures
import DeviceKeys
import Foundation
import Testing
@testable import UserVerification

/// An authorisation is released for a verification only, and as its key was made.
@Suite struct AuthorizationVaultTests {
  let folder = TemporaryFolder()
  let value = AuthorizationValue()
  let thumb = EnrolmentFingerprint(digesting: [[1]])
  let twoFingers = EnrolmentFingerprint(digesting: [[1], [2]])
  let password = PersonVerification.deviceCredential(DeviceCredentialVerification())

  /// A new one each time, as after a restart.
  var vault: AuthorizationVault { AuthorizationVault(directory: folder.url) }

  func finger(_ enrolment: EnrolmentFingerprint) -> PersonVerification {
    .biometric(BiometricVerification(enrolment: enrolment))
  }

  func files() throws -> [URL] {
    try folder.names().filter { $0.hasSuffix(".authorization") }.map(folder.file)
  }

  @Test(arguments: [KeyProtection.biometricOnly, .biometricOrCredential])
  func `a finger releases the value`(protection: KeyProtection) throws {
    try vault.store(value, tag: "k", protection: protection, enrolment: thumb)
    #expect(try vault.release(tag: "k", for: finger(thumb)) == value)
  }

  @Test(arguments: [KeyProtection.biometricOnly, .biometricOrCredential])
  func `another enrolment cannot decrypt`(protection: KeyProtection) throws {
    try vault.store(value, tag: "k", protection: protection, enrolment: thumb)
    #expect(throws: AuthorizationVaultError.enrolmentChanged(tag: "k")) {
      try vault.release(tag: "k", for: finger(twoFingers))
    }
    // What was enrolled once counts again.
    #expect(try vault.release(tag: "k", for: finger(thumb)) == value)
  }

  @Test func `a key that accepts changes is released to whoever is enrolled`() throws {
    try vault.store(value, tag: "k", protection: .biometricOrCredential, enrolment: thumb, policy: .accept)
    #expect(try vault.release(tag: "k", for: finger(twoFingers)) == value)
    for current in [CurrentEnrolment.nothing, .enrolled(twoFingers)] {
      #expect(try vault.release(tag: "k", for: password, current: current) == value)
    }
    #expect(try vault.conditions(tag: "k").policy == .accept)
  }

  @Test func `a key for biometrics only is not released for the password`() throws {
    try vault.store(value, tag: "k", protection: .biometricOnly, enrolment: thumb)
    #expect(throws: AuthorizationVaultError.biometricOnly(tag: "k")) {
      try vault.release(tag: "k", for: password, current: .enrolled(thumb))
    }
    #expect(
      try vault.conditions(tag: "k")
        == ReleaseConditions(byBiometric: true, byDeviceCredential: false, policy: .invalidate))
  }

  @Test func `the password releases a key whose enrolment is the same or cannot be read`() throws {
    try vault.store(value, tag: "k", protection: .biometricOrCredential, enrolment: thumb)
    for current in [CurrentEnrolment.enrolled(thumb), .unknown] {
      #expect(try vault.release(tag: "k", for: password, current: current) == value)
    }
    for current in [CurrentEnrolment.enrolled(twoFingers), .nothing] {
      #expect(throws: AuthorizationVaultError.enrolmentChanged(tag: "k")) {
        try vault.release(tag: "k", for: password, current: current)
      }
    }
  }

  @Test func `a key made while nothing was enrolled is released for the password only`() throws {
    try vault.store(value, tag: "k", protection: .biometricOrCredential, enrolment: nil)
    #expect(
      try vault.conditions(tag: "k")
        == ReleaseConditions(byBiometric: false, byDeviceCredential: true, policy: .invalidate))
    #expect(try vault.release(tag: "k", for: password, current: .enrolled(thumb)) == value)
    #expect(throws: AuthorizationVaultError.credentialOnly(tag: "k")) {
      try vault.release(tag: "k", for: finger(thumb))
    }
  }

  @Test(arguments: [KeyProtection.none, .applicationPIN, .biometricOnly])
  func `keys that cannot be released are not kept`(protection: KeyProtection) throws {
    #expect(throws: AuthorizationVaultError.self) {
      try vault.store(value, tag: "k", protection: protection, enrolment: nil)
    }
    #expect(!FileManager.default.fileExists(atPath: folder.url.path))
  }

  @Test func `a value is not replaced and removing is idempotent`() throws {
    try vault.store(value, tag: "k", protection: .biometricOnly, enrolment: thumb)
    #expect(throws: AuthorizationVaultError.exists(tag: "k")) {
      try vault.store(AuthorizationValue(), tag: "k", protection: .biometricOnly, enrolment: thumb)
    }
    #expect(try vault.release(tag: "k", for: finger(thumb)) == value)
    try vault.remove(tag: "k")
    try vault.remove(tag: "k")
    #expect(throws: AuthorizationVaultError.notFound(tag: "k")) {
      try vault.release(tag: "k", for: finger(thumb))
    }
  }

  @Test func `files are their owner's alone and say nothing`() throws {
    try vault.store(value, tag: "k", protection: .biometricOrCredential, enrolment: thumb)
    for name in try folder.names() {
      let path = folder.file(name).path
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
      #expect(mode?.intValue == 0o600)
    }
    let content = try String(contentsOf: try #require(files().first), encoding: .utf8)
    for secret in [value.withBytes { Data($0) }, Data(thumb.bytes)] {
      let base64 = secret.base64EncodedString().replacingOccurrences(of: "+", with: "-")
        .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
      #expect(!content.contains(base64))
    }
  }

  @Test(arguments: [
    ("policy", "\"accept\""), ("policy", "\"never\""), ("enrolment", "null"), ("credential", "\"AAAA\""),
    ("biometric", "null"), ("tag", "\"other\""), ("version", "2"), ("mac", "\"\""), ("salt", "\"\""),
  ])
  func `a changed file is told from a changed enrolment`(member: String, json: String) throws {
    try vault.store(value, tag: "k", protection: .biometricOrCredential, enrolment: thumb)
    let file = try #require(files().first)
    try vault.store(value, tag: "sound", protection: .biometricOnly, enrolment: thumb)
    var object = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    object[member] = try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
    if object[member] is NSNull { object[member] = nil }
    let changed = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
    try changed.write(to: file)

    for verification in [finger(thumb), finger(twoFingers), password] {
      let error = #expect(throws: AuthorizationVaultError.self) {
        try vault.release(tag: "k", for: verification)
      }
      guard case .unreadable(file.path, _) = error else {
        Issue.record("\(String(describing: error))"); return
      }
    }
    #expect(try Data(contentsOf: file) == changed)
    #expect(try vault.release(tag: "sound", for: finger(thumb)) == value)
  }

  @Test(arguments: ["", "{", "[]", String(repeating: " ", count: 5000)])
  func `a damaged file is reported by path`(content: String) throws {
    try vault.store(value, tag: "k", protection: .biometricOnly, enrolment: thumb)
    let file = try #require(files().first)
    try Data(content.utf8).write(to: file)
    let error = #expect(throws: AuthorizationVaultError.self) {
      try vault.release(tag: "k", for: finger(thumb))
    }
    guard case .unreadable(file.path, _) = error else { Issue.record("\(String(describing: error))"); return }
  }

  @Test func `one key's file is not another's`() throws {
    try vault.store(value, tag: "a", protection: .biometricOnly, enrolment: thumb)
    let file = try #require(files().first)
    try vault.store(AuthorizationValue(), tag: "b", protection: .biometricOnly, enrolment: thumb)
    let other = try #require(files().first { $0 != file })
    try Data(contentsOf: file).write(to: other)
    #expect(throws: AuthorizationVaultError.self) { try vault.release(tag: "b", for: finger(thumb)) }
  }

  @Test func `a file is worthless without the vault's secret which is not replaced`() throws {
    try vault.store(value, tag: "k", protection: .biometricOrCredential, enrolment: thumb)
    let secret = folder.file("vault.secret")
    let saved = try Data(contentsOf: secret)
    try Data(repeating: 7, count: 32).write(to: secret)
    #expect(throws: AuthorizationVaultError.self) { try vault.release(tag: "k", for: password) }
    try FileManager.default.removeItem(at: secret)
    for attempt in ["k", "new"] {
      let error = #expect(throws: AuthorizationVaultError.self) {
        if attempt == "k" { _ = try vault.release(tag: "k", for: password) }
        if attempt == "new" {
          try vault.store(value, tag: "new", protection: .biometricOnly, enrolment: thumb)
        }
      }
      guard case .unreadable(secret.path, _) = error else {
        Issue.record("\(String(describing: error))"); return
      }
    }
    try saved.write(to: secret)
    #expect(try vault.release(tag: "k", for: password) == value)
  }

  @Test func `a released value unlocks its key and no other`() async throws {
    let store = try SoftwareKeyStore(directory: folder.file("keys"))
    let key = try await store.createKey(tag: "k", protection: .biometricOnly, unlock: .authorization(value))
    try vault.store(value, tag: "k", protection: .biometricOnly, enrolment: thumb)
    let released = try vault.release(tag: "k", for: finger(thumb))
    #expect(try await store.openKey(tag: "k", unlock: .authorization(released)).publicKey == key.publicKey)
  }

  @Test func `what is enrolled now is asked of the reader`() async throws {
    let reader = MemoryBiometricVerifier(enrolled: ["thumb"])
    #expect(try await CurrentEnrolment(of: reader) == .enrolled(try await reader.enrolment()))
    reader.enrolled = []
    #expect(try await CurrentEnrolment(of: reader) == .nothing)
    #expect(try await CurrentEnrolment(of: MemoryBiometricVerifier(isConnected: false)) == .unknown)
  }

  @Test func `errors say what to do`() throws {
    let errors: [AuthorizationVaultError] = [
      .notFound(tag: "k"), .exists(tag: "k"), .enrolmentChanged(tag: "k"), .biometricOnly(tag: "k"),
      .credentialOnly(tag: "k"), .unreadable(path: "/p", reason: "r"), .unwritable(path: "/p", reason: "r"),
    ]
    for error in errors { #expect(try #require(error.errorDescription).hasSuffix(".")) }
  }
}
