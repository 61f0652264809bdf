import Foundation
import GRDB
import PingCommons
import PingLogger
import PrivateFiles
import SealedRecords
import Testing

@testable import PingOath

@Suite("Credentials of one-time codes", .timeLimit(.minutes(2)))
struct CredentialTests {
  private static let secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"

  private func uri(_ account: String = "ada", policies: String? = nil) -> String {
    "otpauth://totp/Bank:\(account)?secret=\(Self.secret)"
      + (policies.map { "&policies=\($0.base64URLEncodedString())" } ?? "")
  }

  @Test func `an account has one credential`() async throws {
    for storage in [MemoryOathStorage() as any OathStorage] {
      let client = try await makeClient(storage)
      let first = try await client.addCredentialFromUri(uri())
      #expect(await thrown { try await client.addCredentialFromUri(uri()) } == "duplicateCredential")
      #expect(try await client.getCredentials().map(\.id) == [first.id])
      #expect(try await client.deleteCredential(first.id))
      #expect(try await client.deleteCredential(first.id) == false)
      #expect(try await client.getCredential(first.id) == nil)
      _ = try await client.addCredentialFromUri(uri())
    }
  }

  @Test func `an outdated copy that is stored in an app's storage brings no used counter back`() async throws
  {
    let storage = LockedOathStorage(MemoryOathStorage())
    let client = try await makeClient(storage)
    let added = try await client.addCredentialFromUri(
      "otpauth://hotp/Bank:ada?secret=\(Self.secret)&counter=5")
    _ = try await client.generateCode(added.id)
    try await storage.storeOathCredential(added)
    #expect(try await storage.retrieveOathCredential(credentialId: added.id)?.counter == 6)
  }

  @Test func `of several programs that enrol one address, one does`() async throws {
    try await withHome { home in
      let added = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<6 {
          group.addTask {
            let client = try? await makeClient(OathKeychainStorage(home: home))
            return (try? await client?.addCredentialFromUri(uri())) != nil
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(added == 1)
      let stored = try await OathKeychainStorage(home: home).getAllOathCredentials()
      #expect(stored.count == 1)
    }
  }

  @Test func `policies are asked for at enrolment and at every use`() async throws {
    for isCached in [false, true] {
      let policy = SwitchedPolicy()
      let client = try await makeClient {
        $0.policyEvaluator = MfaPolicyEvaluator.create { $0.policies = [policy] }
        $0.enableCredentialCache = isCached
      }
      policy.set(false)
      let uri = uri(policies: #"{"switched":{}}"#)
      #expect(await thrown { try await client.addCredentialFromUri(uri) } == "policyViolation")
      #expect(try await client.getCredentials().isEmpty)
      policy.set(true)
      let added = try await client.addCredentialFromUri(uri)
      _ = try await client.generateCode(added.id)
      policy.set(false)
      #expect(await thrown { try await client.generateCode(added.id) } == "credentialLocked")
      #expect(await thrown { try await client.takeCode(added.id) } == "credentialLocked")
      let locked = try #require(try await client.getCredential(added.id))
      #expect(locked.isLocked && locked.lockingPolicy == "switched")
      policy.set(true)
      _ = try await client.generateCode(added.id)
      #expect(try await client.getCredentials().allSatisfy { !$0.isLocked && $0.lockingPolicy == nil })
    }
  }

  @Test(arguments: [false, true])
  func `a credential that is deleted while it is read does not come back`(isListed: Bool) async throws {
    let policy = SwitchedPolicy()
    let client = try await makeClient {
      $0.policyEvaluator = MfaPolicyEvaluator.create { $0.policies = [policy] }
      $0.enableCredentialCache = true
    }
    let id = try await client.addCredentialFromUri(uri(policies: #"{"switched":{}}"#)).id
    policy.interrupt { _ = try? await client.deleteCredential(id) }
    if isListed { _ = try await client.getCredentials() } else { _ = try await client.getCredential(id) }
    #expect(await thrown { try await client.generateCode(id) } == "credentialNotFound")
  }

  @Test func `a locked credential of a counter loses none`() async throws {
    let policy = SwitchedPolicy()
    let client = try await makeClient {
      $0.policyEvaluator = MfaPolicyEvaluator.create { $0.policies = [policy] }
    }
    let saved = try await client.saveCredential(
      OathCredential(
        issuer: "Bank", accountName: "ada", oathType: .hotp, policies: #"{"switched":{}}"#,
        secretKey: Self.secret))
    _ = try await client.generateCode(saved.id)
    policy.set(false)
    #expect(await thrown { try await client.generateCode(saved.id) } == "credentialLocked")
    policy.set(true)
    #expect(try await client.generateCodeWithValidity(saved.id).counter == 2)
  }

  @Test func `no client without a storage that can be read and encrypts`() async throws {
    #expect(
      await thrown { try await OathClient.createClient { $0.encryptionEnabled = false } }
        == "initializationFailed")
    _ = try await makeClient { $0.encryptionEnabled = false }
    let standard = OathConfiguration()
    #expect(standard.timeoutMs == 15 && !standard.enableCredentialCache && standard.encryptionEnabled)
  }

  @Test(arguments: [false, true])
  func `a client works after it was closed`(isCached: Bool) async throws {
    let client = try await makeClient { $0.enableCredentialCache = isCached }
    let added = try await client.addCredentialFromUri(uri())
    let code = try await client.generateCode(added.id)
    try await client.close()
    try await client.close()
    #expect(try await client.generateCode(added.id) == code)
    #expect(try await client.getCredentials().map(\.id) == [added.id])
    #expect(try await client.deleteCredential(added.id))
  }

  // MARK: JSON

  private static let published: Set<String> = [
    "id", "issuer", "displayIssuer", "accountName", "displayAccountName", "oathType", "oathAlgorithm",
    "digits", "period", "counter", "createdAt", "isLocked",
  ]

  @Test func `secrets are in no description and not in the JSON`() async throws {
    let client = try await makeClient()
    let credential = try await client.addCredential(
      fromUri: uri(), enrolledBy: "https://am.example", isUnproven: true)
    var dumped = ""
    dump(credential, to: &dumped)
    #expect(!"\(credential) \(String(reflecting: credential)) \(dumped)".contains("JBSW"))
    let json = try JSONEncoder().encode(credential)
    let members = try #require(JSONSerialization.jsonObject(with: json) as? [String: Any])
    #expect(Set(members.keys) == Self.published)
    #expect(!String(decoding: json, as: UTF8.self).contains("JBSW"))
    let read = try JSONDecoder().decode(OathCredential.self, from: json)
    #expect(read.id == credential.id && read.accountName == "ada" && read.createdAt == credential.createdAt)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(OathCredential.self, from: Data("{}".utf8))
    }
  }

  @Test func `JSON without a secret makes no codes and replaces none`() async throws {
    try await withHome { home in
      let storage = OathKeychainStorage(home: home)
      let client = try await makeClient(storage)
      let added = try await client.addCredentialFromUri(uri())
      let code = try await client.generateCode(added.id)
      let read = try JSONDecoder().decode(OathCredential.self, from: JSONEncoder().encode(added))
      #expect(await thrown { try await client.saveCredential(read) } == "invalidSecret")
      #expect(await thrown { try await storage.storeOathCredential(read) } == "storageFailure")
      #expect(await thrown { try await read.toUri() } == "uriFormatting")
      #expect(try await client.generateCode(added.id) == code)
    }
  }

  @Test func `JSON with unknown members and long numbers is read, or refused as a whole`() throws {
    let long = String(repeating: "9", count: 300)
    func read(_ members: String) throws -> OathCredential {
      try JSONDecoder().decode(
        OathCredential.self,
        from: Data(
          #"{"id":"1","issuer":"Bank","accountName":"ada","oathType":"totp","createdAt":0\#(members)}"#.utf8))
    }
    let plain = try read(#","unknown":{"a":[1,null]},"x":\#(long)"#)
    #expect(plain.digits == 6 && plain.period == 30 && plain.counter == 0 && plain.issuer == "Bank")
    for member in ["digits", "period", "counter"] {
      #expect(throws: DecodingError.self) { try read(#","\#(member)":\#(long)"#) }
    }
    #expect(throws: DecodingError.self) { try read(#","isLocked":"no""#) }
  }

  @Test func `the stored form has the secret`() throws {
    let credential = OathCredential(
      issuer: "Bank", accountName: "ada", oathType: .hotp, counter: 7, secretKey: Self.secret)
    let stored = OathStoredCredential(credential)
    var dumped = ""
    dump(stored, to: &dumped)
    #expect(!"\(stored) \(String(reflecting: stored)) \(dumped)".contains("JBSW"))
    let read = try JSONDecoder().decode(OathStoredCredential.self, from: JSONEncoder().encode(stored))
      .credential
    #expect(read.secretKey.isSame(as: credential.secretKey) && read.counter == 7)
    let json = try JSONEncoder().encode(credential)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(OathStoredCredential.self, from: json) }
  }

  // MARK: What is saved is checked

  @Test(
    arguments: [
      ("digits", 3), ("digits", 9), ("digits", -6), ("period", 0), ("period", 3601), ("counter", -1),
      ("counter", Int.min),
    ])
  func `a number out of range is not saved`(name: String, value: Int) async throws {
    let storage = MemoryOathStorage()
    let client = try await makeClient(storage)
    let credential = OathCredential(
      issuer: "Bank", accountName: "ada", oathType: name == "counter" ? .hotp : .totp,
      digits: name == "digits" ? value : 6, period: name == "period" ? value : 30,
      counter: name == "counter" ? value : 0, secretKey: Self.secret)
    #expect(await thrown { try await client.saveCredential(credential) } == "invalidParameterValue")
    #expect(await storage.getAllOathCredentials().isEmpty)
  }

  @Test(arguments: ["", "no base32!", "JBSWY3DP", String(repeating: "A", count: 300)])
  func `an unusable secret is not saved`(secret: String) async throws {
    let client = try await makeClient()
    let credential = OathCredential(issuer: "Bank", accountName: "ada", oathType: .totp, secretKey: secret)
    #expect(await thrown { try await client.saveCredential(credential) } == "invalidSecret")
  }

  @Test(
    arguments: ["", " \t", String(repeating: "a", count: 257), "a\u{202E}b", "<b>", "../../etc", "a\nb"])
  func `a name that is empty, too long or unreadable is not saved`(name: String) async throws {
    let client = try await makeClient()
    for (issuer, account) in [(name, "ada"), ("Bank", name)] {
      let credential = OathCredential(
        issuer: issuer, accountName: account, oathType: .totp, secretKey: Self.secret)
      #expect(await thrown { try await client.saveCredential(credential) } == "invalidParameterValue")
    }
    guard name.count > 2 else { return }
    var shown = OathCredential(issuer: "Bank", accountName: "ada", oathType: .totp, secretKey: Self.secret)
    shown.displayAccountName = name
    #expect(await thrown { try await client.saveCredential(shown) } == "invalidParameterValue")
  }

  @Test func `a credential of an address without issuer can be renamed`() async throws {
    let client = try await makeClient()
    var added = try await client.addCredentialFromUri("otpauth://totp/ada?secret=\(Self.secret)")
    #expect(added.issuer == "")
    added.displayAccountName = "My account"
    #expect(try await client.saveCredential(added).displayAccountName == "My account")
  }

  @Test(
    arguments: [
      (.credentialNotFound("x"), "Credential not found: x"),
      (.credentialLocked("x"), "Credential is locked: x"),
      (.duplicateCredential("x"), "Duplicate credential: x"), (.invalidUri("x"), "Invalid URI: x"),
      (.missingRequiredParameter("x"), "Missing required parameter: x"),
      (.invalidParameterValue("x"), "Invalid parameter value: x"),
      (.uriFormatting("x"), "URI formatting error: x"),
      (.invalidSecret("x"), "Invalid secret: x"), (.invalidOathType("x"), "Invalid OATH type: x"),
      (.invalidAlgorithm("x"), "Invalid algorithm: x"),
      (
        .codeGenerationFailed("x", OathStorageError.accessDenied("y")),
        "Code generation failed: x: Access denied: y"
      ),
    ] as [(OathError, String)])
  func `an error says a phrase of its kind, then the detail`(error: OathError, sentence: String) {
    #expect(error.localizedDescription == sentence)
  }

  @Test func `errors say what failed and what to do`() {
    let errors: [any LocalizedError] = [
      OathError.credentialNotFound("c"), OathError.credentialLocked("c"), OathError.duplicateCredential("c"),
      OathError.invalidUri("d"), OathError.missingRequiredParameter("d"),
      OathError.invalidParameterValue("d"),
      OathError.uriFormatting("d"), OathError.invalidSecret("d"), OathError.invalidOathType("d"),
      OathError.invalidAlgorithm("d"), OathError.codeGenerationFailed("d"),
      OathError.policyViolation("d", "p"),
      OathError.initializationFailed("d", OathStorageError.accessDenied("x")), OathError.cleanupFailed("d"),
      OathStorageError.storageFailure("d"), OathStorageError.duplicateCredential("d"),
      OathStorageError.storageCorrupted("d"), OathStorageError.accessDenied("d"),
    ]
    for error in errors {
      for text in [error.errorDescription, error.failureReason, error.recoverySuggestion] {
        #expect((text ?? "").count > 5, "\(error)")
      }
      #expect(error.localizedDescription == error.errorDescription)
    }
  }

  // MARK: What is on the disk

  @Test func `nothing of a credential can be read from the files, which are their owner's`() async throws {
    try await withHome { home in
      let storage = OathKeychainStorage(home: home)
      try await makeClient(storage).addCredentialFromUri(uri())
      let folder = home.directory.appending(path: "oath")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(names.count >= 2)
      for name in names {
        let path = folder.appending(path: name).path
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        let data = try Data(contentsOf: URL(filePath: path))
        for text in ["JBSW", "ada", "Bank", "totp"] {
          #expect(data.range(of: Data(text.utf8)) == nil, "\(text)")
        }
      }
      #expect(
        try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int == 0o700)
    }
  }

  @Test func `a record from before the stored form had a type of its own opens`() async throws {
    try await withHome { home in
      let client = try await makeClient(OathKeychainStorage(home: home))
      let added = try await client.addCredentialFromUri(
        "otpauth://hotp/Bank:ada?secret=\(vectorSecret(20))&counter=0")
      // What was written when the credential's own JSON was stored, at the place of this one.
      let earlier = """
        {"id":"\(added.id)","issuer":"Bank","displayIssuer":"Bank","accountName":"ada","displayAccountName":"Ada",
        "oathType":"hotp","oathAlgorithm":"SHA1","digits":6,"period":30,"counter":3,"createdAt":700000000.5,
        "backgroundColor":"#032b75","isLocked":false,"secretKey":"\(vectorSecret(20))",
        "enrolledBy":"https://am.example/am","isUnproven":true,"takenStep":7}
        """
      let box = try RecordSealer("oath", home: home).seal(
        Data(earlier.utf8), for: RecordSealer.place("credential", "com.pingidentity.oath", added.id))
      try await queue(home).write {
        try $0.execute(sql: "UPDATE oath_credentials SET box = ? WHERE id = ?", arguments: [box, added.id])
      }
      let stored = try #require(try await makeClient(OathKeychainStorage(home: home)).getCredentials().first)
      #expect(
        stored.counter == 3 && stored.displayAccountName == "Ada" && stored.backgroundColor == "#032b75")
      #expect(stored.enrolledBy == "https://am.example/am" && stored.isUnproven && stored.takenStep == 7)
      // RFC 4226 appendix D, and again after it was written in today's form.
      #expect(try await client.generateCode(stored.id) == "969429")
      #expect(try await makeClient(OathKeychainStorage(home: home)).generateCode(stored.id) == "338314")
      #expect(try await client.getCredential(stored.id)?.isUnproven == true)
    }
  }

  private func queue(_ home: ClientHome) throws -> DatabaseQueue {
    try DatabaseQueue(path: home.directory.appending(path: "oath/oath.sqlite").path)
  }

  @Test func `a damaged record hides no other and is never taken for an absent one`() async throws {
    try await withHome { home in
      let storage = OathKeychainStorage(home: home, logger: LogManager.none)
      let client = try await makeClient(storage)
      let good = try await client.addCredentialFromUri(uri("good"))
      let bad = try await client.addCredentialFromUri(uri("bad"))
      // One record in the place of the other does not open.
      try await queue(home).write {
        try $0.execute(
          sql:
            "UPDATE oath_credentials SET box = (SELECT box FROM oath_credentials WHERE id = ?) WHERE id = ?",
          arguments: [good.id, bad.id])
      }
      #expect(try await client.getCredentials().map(\.id) == [good.id])
      #expect(await thrown { try await client.getCredential(bad.id) } == "storageCorrupted")
      #expect(await thrown { try await client.generateCode(bad.id) } == "storageCorrupted")
      #expect(try await client.deleteCredential(bad.id))
    }
  }

  @Test func `without its key the file is an error, not an empty storage`() async throws {
    try await withHome { home in
      try await makeClient(OathKeychainStorage(home: home)).addCredentialFromUri(uri())
      try FileManager.default.removeItem(at: home.directory.appending(path: "secured-keys"))
      #expect(
        await thrown { try await makeClient(OathKeychainStorage(home: home)) } == "initializationFailed")
    }
  }

  @Test func `a link that another user put in place of the file is not followed`() async throws {
    try await withHome { home in
      let folder = try home.folder("oath")
      let foreign = home.directory.appending(path: "foreign.sqlite")
      // Empty, so that it would do as a new database.
      try Data().write(to: foreign)
      try FileManager.default.createSymbolicLink(
        at: folder.appending(path: "oath.sqlite"), withDestinationURL: foreign)
      #expect(
        await thrown { try await makeClient(OathKeychainStorage(home: home)) } == "initializationFailed")
      #expect(try Data(contentsOf: foreign).isEmpty)
    }
  }

  @Test func `services and groups do not see each other`() async throws {
    try await withHome { home in
      let one = OathKeychainStorage(home: home)
      try await makeClient(one).addCredentialFromUri(uri())
      let others = [
        OathKeychainStorage(home: home, service: "x"),
        OathKeychainStorage(home: home, accessGroup: "group.app"),
      ]
      for other in others {
        #expect(try await other.getAllOathCredentials().isEmpty)
        try await other.clearOathCredentials()
        try await makeClient(other).addCredentialFromUri(uri())
      }
      #expect(try await one.getAllOathCredentials().count == 1)
      try await one.clearOathCredentials()
      #expect(try await one.getAllOathCredentials().isEmpty)
    }
  }

  @Test func `options of the keychain compile as they are printed`() {
    #expect(OathKeychainSecurityOptions.biometric.requireDevicePasscode)
    #expect(!OathKeychainSecurityOptions.biometricOnly.requireDevicePasscode)
    #expect(OathKeychainSecurityOptions.shared(accessGroup: "g").accessGroup == "g")
    let options = OathKeychainSecurityOptions(accessibility: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly)
    #expect(options.accessibility == "cku" && !options.requireBiometrics && options.biometricPrompt == nil)
    _ = [
      OathKeychainStorage(), OathKeychainStorage(securityOptions: .biometric),
      OathKeychainStorage(accessGroup: "g", accessibility: kSecAttrAccessibleWhenUnlocked),
    ]
  }
}
