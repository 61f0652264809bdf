import Foundation
import PingCommons
import PingStorage
import PushFormats
import SealedRecords
import StrictJSON
import Testing

@testable import PingPush

/// Enrolment, credentials and policies (reference push §6.7).
struct CredentialTests {
  // MARK: Faults before anything is sent

  @Test(arguments: ["", "  \n", "not a uri", "https://example.com", "pushauth://push/a:b?r=x"])
  func `what is no enrolment address is refused`(uri: String) async throws {
    let server = try ScriptedServer()
    let client = try await makeClient(MemoryPushStorage()) { $0.httpClient = server }
    await expect("invalidUri") { try await client.addCredentialFromUri(uri) }
    #expect(server.asked.isEmpty)
  }

  @Test(arguments: ["m", "c"]) func `an address without what registers is refused by its parameter's name`(
    name: String
  ) async throws {
    let server = try ScriptedServer()
    let storage = MemoryPushStorage()
    let client = try await makeClient(storage) { $0.httpClient = server }
    let uri = try server.uri()
    let parts = uri.split(separator: "?")
    let query = parts[1].split(separator: "&").filter { !$0.hasPrefix("\(name)=") }.joined(separator: "&")
    await #expect {
      try await client.addCredentialFromUri("\(parts[0])?\(query)")
    } throws: {
      guard case PushError.invalidUri(let text) = $0 else { return false }
      return text.contains("\(name): missing required parameter")
    }
    #expect(server.asked.isEmpty)
    #expect(await storage.getAllPushCredentials().isEmpty)
  }

  @Test func `different issuers are an invalid address, not a network failure`() async throws {
    let server = try ScriptedServer()
    let client = try await makeClient(MemoryPushStorage()) { $0.httpClient = server }
    let uri = try server.uri().replacing("Example%20Bank", with: "Other%20Bank")
    await expect("invalidUri") { try await client.addCredentialFromUri(uri) }
  }

  @Test func `an address of the authentication module, with the label forgerock, was refused`() async throws {
    let server = try ScriptedServer()
    let client = try await makeClient(MemoryPushStorage()) { $0.httpClient = server }
    let uri = try server.uri().replacing("Example%20Bank", with: "forgerock")
    let credential = try await client.addCredentialFromUri(uri)
    #expect(credential.issuer == "Example Bank" && credential.displayIssuer == "Example Bank")
  }

  @Test func `a server without https is refused, unless it is this machine or allowed`() async throws {
    for (address, allowed, isRefused) in [
      ("http://am.example.com", false, true), ("http://am.example.com", true, false),
      ("http://127.0.0.1:8080", false, false), ("http://localhost", false, false),
    ] {
      let server = try ScriptedServer(endpoint: "\(address)/am/json/alpha/push/sns/message")
      let client = try await makeClient(MemoryPushStorage()) {
        $0.httpClient = server
        $0.allowsUnencryptedServers = allowed
      }
      if isRefused {
        await expect("invalidUri") { try await client.addCredentialFromUri(server.uri()) }
        #expect(server.asked.isEmpty)
      } else {
        try await client.addCredentialFromUri(server.uri())
      }
    }
  }

  @Test func `without a token of the push service nothing is sent`() async throws {
    let server = try ScriptedServer()
    let client = try await makeClient(MemoryPushStorage()) {
      $0.httpClient = server
      $0.device = PushDeviceDescription(
        type: "ios", communicationType: PushDeviceDescription.apns, name: "Phone")
    }
    await expect("deviceTokenNotSet") { try await client.addCredentialFromUri(server.uri()) }
    #expect(server.asked.isEmpty)
    try await client.setDeviceToken(data: Data([0xAB, 0x01]))
    let credential = try await client.addCredentialFromUri(server.uri())
    let jwt = try #require(server.asked.first?.body["jwt"]?.stringValue)
    let registration = try PushRegistration(verifying: jwt, secret: server.secret)
    #expect(registration.address.deviceID == "ab01" && registration.address.communicationType == "apns")
    #expect(registration.mechanismUID == credential.id && registration.address.deviceType == "ios")
    #expect(server.secret.isResponse(registration.response, to: server.challenge))
  }

  @Test func `a failing policy keeps the device from registering`() async throws {
    let (server, policy) = (try ScriptedServer(), SwitchedPolicy())
    policy.set(false)
    let client = try await makeClient(MemoryPushStorage()) {
      $0.httpClient = server
      $0.policyEvaluator = .create { $0.policies = [policy] }
    }
    await expect("policyViolation") {
      try await client.addCredentialFromUri(server.uri(policies: #"{"deviceTampering":{}}"#))
    }
    #expect(server.asked.isEmpty)
    #expect(try await client.getCredentials().isEmpty)
    // A policy that nobody knows is ignored, and so is what is not valid JSON.
    try await client.addCredentialFromUri(server.uri(policies: #"{"unknown":{}}"#))
  }

  @Test func `a second credential of issuer and account is refused before the server is told`() async throws {
    let device = try await RegisteredDevice()
    await expect("duplicateCredential") { try await device.client.addCredentialFromUri(device.server.uri()) }
    #expect(device.server.asked.count == 1)
    try await device.client.addCredentialFromUri(device.server.uri(account: "other"))
    var copy = PushCredential(
      issuer: "Example Bank", accountName: "bjensen", serverEndpoint: "https://a.example",
      sharedSecret: "AAAA")
    await expect("duplicateCredential") { try await device.client.saveCredential(copy) }
    copy = PushCredential(
      issuer: "example bank", accountName: "bjensen", serverEndpoint: "https://a.example",
      sharedSecret: "AAAA")
    try await device.client.saveCredential(copy)
  }

  @Test(arguments: [400, 404, 500, 302, 0])
  func `nothing is stored when the server refuses or is not there`(status: Int) async throws {
    let (server, storage) = (try ScriptedServer(), MemoryPushStorage())
    let client = try await makeClient(storage) { $0.httpClient = server }
    server.answer(status)
    await expect("networkFailure") { try await client.addCredentialFromUri(server.uri()) }
    #expect(await storage.getAllPushCredentials().isEmpty)
    try await client.addCredentialFromUri(server.uri())
  }

  @Test func `a storage that fails after the registration is told`() async throws {
    let (server, storage) = (try ScriptedServer(), MemoryPushStorage())
    let client = try await makeClient(storage) { $0.httpClient = server }
    await storage.fail("storePushCredential")
    await expect("storageFailure") { try await client.addCredentialFromUri(server.uri()) }
  }

  @Test func `secrets of sixteen bytes and challenges of eight were refused`() async throws {
    let device = try await RegisteredDevice(server: try ScriptedServer(secretCount: 16, challengeCount: 8))
    let registration = try PushRegistration(
      verifying: device.server.asked.first?.body["jwt"]?.stringValue ?? "", secret: device.server.secret)
    #expect(device.server.secret.isResponse(registration.response, to: device.server.challenge))
    #expect(try await device.client.approveNotification(try await device.receive().id))
    let answer = try PushAnswer(
      verifying: device.answers.first?.body["jwt"]?.stringValue ?? "", secret: device.server.secret)
    let asked = device.server.challenge(of: device.answers.first?.body["messageId"]?.stringValue)
    #expect(device.server.secret.isResponse(answer.response, to: try #require(asked)))
  }

  @Test func `the device has the name that the system gives it, unless the app says another`() async throws {
    let host = try String(contentsOfFile: "/proc/sys/kernel/hostname", encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(SystemDeviceName.current() == host)
    #expect(PushDeviceDescription.current.name == nil)
    for (name, expected) in [(nil, host), ("", host), ("Till 4", "Till 4")] as [(String?, String)] {
      let device = try await RegisteredDevice { $0.device.name = name }
      try await device.client.setDeviceToken("new")
      let secret = device.server.secret
      let jwts = device.server.asked.map { $0.body["jwt"]?.stringValue ?? "" }
      #expect(try PushRegistration(verifying: jwts[0], secret: secret).address.deviceName == expected)
      #expect(try PushRefresh(verifying: jwts[1], secret: secret).address.deviceName == expected)
    }
  }

  // MARK: Stored credentials

  @Test func `credentials are changed, listed and deleted with their notifications`() async throws {
    let device = try await RegisteredDevice()
    var credential = device.credential
    credential.displayIssuer = "My bank"
    credential.displayAccountName = "Babs"
    try await device.client.saveCredential(credential)
    let stored = try #require(try await device.client.getCredential(credentialId: credential.id))
    #expect(stored.displayIssuer == "My bank" && stored.issuer == "Example Bank")
    _ = try await device.receive()
    #expect(try await device.client.deleteCredential(credential.id))
    #expect(try await device.client.deleteCredential(credentialId: credential.id) == false)
    #expect(try await device.client.getCredential(credential.id) == nil)
    #expect(try await device.client.getAllNotifications().isEmpty)
    #expect(device.server.asked.count == 1)
  }

  @Test(arguments: [false, true]) func `a credential locks and unlocks by itself, cached or not`(
    cached: Bool
  ) async throws {
    let policies = [SwitchedPolicy("biometricAvailable"), SwitchedPolicy("deviceTampering")]
    let device = try await RegisteredDevice(
      policies: #"{"biometricAvailable":{},"deviceTampering":{"score":0.8}}"#
    ) {
      $0.enableCredentialCache = cached
      $0.policyEvaluator = .create { $0.policies = policies }
    }
    func lock() async throws -> String? {
      let one = try #require(try await device.client.getCredential(device.credential.id))
      let all = try await device.client.getCredentials()
      #expect(all.map(\.lockingPolicy) == [one.lockingPolicy] && one.isLocked == (one.lockingPolicy != nil))
      let kept = try await device.storage.retrievePushCredential(credentialId: device.credential.id)
      #expect(kept?.lockingPolicy == one.lockingPolicy)
      return one.lockingPolicy
    }
    #expect(try await lock() == nil)
    policies[1].set(false)
    #expect(try await lock() == "deviceTampering")
    policies[0].set(false)
    #expect(try await lock() == "biometricAvailable")
    policies[0].set(true)
    policies[1].set(true)
    #expect(try await lock() == nil)
  }

  @Test(arguments: [false, true])
  func `a credential that is deleted while it is read does not come back`(isListed: Bool) async throws {
    let policy = SwitchedPolicy()
    let device = try await RegisteredDevice(policies: #"{"deviceTampering":{}}"#) {
      $0.enableCredentialCache = true
      $0.policyEvaluator = .create { $0.policies = [policy] }
    }
    let (client, id) = (device.client, device.credential.id)
    policy.interrupt { _ = try? await client.deleteCredential(id) }
    if isListed { _ = try await client.getCredentials() } else { _ = try await client.getCredential(id) }
    #expect(try await client.getCredential(id) == nil)
  }

  @Test func `the list is whole although the cache is not`() async throws {
    let device = try await RegisteredDevice { $0.enableCredentialCache = true }
    // Added past the client, as another process does.
    try await device.storage.storePushCredential(
      PushCredential(issuer: "B", accountName: "b", serverEndpoint: "https://b.example", sharedSecret: "AAAA")
    )
    #expect(try await device.client.getCredentials().count == 2)
  }

  // MARK: What is printed

  @Test func `neither descriptions nor errors nor logs have secrets`() async throws {
    let log = KeptLog()
    let device = try await RegisteredDevice { $0.logger = log }
    let notification = try await device.receive()
    device.server.answer(400)
    _ = try? await device.client.approveNotification(notification.id)
    let secret = device.server.secret.base64
    let texts =
      [
        "\(device.credential)", String(reflecting: device.credential), "\(notification)",
        "\(PushDeviceToken(token: secret))",
      ] + log.lines
    var dumped = ""
    dump(device.credential, to: &dumped)
    for text in texts + [dumped] {
      #expect(!text.contains(secret) && !text.contains(device.server.challenge.base64))
    }
  }

  @Test func `an address that was written is read again`() async throws {
    let device = try await RegisteredDevice(policies: #"{"deviceTampering":{}}"#)
    let uri = try await device.credential.toUri()
    let read = try await PushCredential.fromUri(uri)
    #expect(read.issuer == "Example Bank" && read.accountName == "bjensen" && read.userId == "bjensen")
    #expect(
      read.sharedSecret == device.credential.sharedSecret && read.policies == device.credential.policies)
    #expect(read.serverEndpoint == device.server.endpoint && read.platform == .pingAM)
    #expect(read.id != device.credential.id)
    await expect("invalidUri") { try await device.client.addCredentialFromUri(uri) }
    let bad = PushCredential(issuer: "", accountName: "", serverEndpoint: "nowhere", sharedSecret: "")
    await expect("uriFormatting") { try await bad.toUri() }
  }

  @Test func `endpoints keep the rest of the query, and answers go where the address says`() async throws {
    let server = try ScriptedServer(endpoint: "https://a.example/json/push/sns/message?realm=/alpha")
    let enrolment = PushEnrolmentURI(
      issuer: "I", accountName: "a",
      registrationURL: try PushServerURL(
        "https://a.example/json/push/sns/message?realm=/alpha&_action=register"),
      authenticationURL: try PushServerURL("https://b.example/json/push/sns/message?_action=authenticate"),
      secret: server.secret)
    let credential = PushUriParser.credential(of: enrolment)
    #expect(
      credential.registrationEndpoint
        == "https://a.example/json/push/sns/message?realm=/alpha&_action=register")
    #expect(credential.updateEndpoint.hasSuffix("?realm=/alpha&_action=refresh"))
    #expect(
      credential.authenticationEndpoint == "https://b.example/json/push/sns/message?_action=authenticate")
    let data = try RecordCoder.encode(credential)
    #expect(
      try RecordCoder.decode(PushCredential.self, from: data).authenticationEndpoint
        == credential.authenticationEndpoint)
  }

  // MARK: Enums and errors

  @Test func `names are read in any case, and no others`() throws {
    #expect(try PushType.fromString("CHALLENGE") == .challenge)
    #expect(PushType.allCases.map(\.rawValue) == ["default", "challenge", "biometric"])
    #expect(throws: PushError.self) { try PushType.fromString("code") }
    for name in ["pingam", "PING_AM", "Ping-AM"] { #expect(try PushPlatform.fromString(name) == .pingAM) }
    #expect(throws: PushError.self) { try PushPlatform.fromString("other") }
    #expect(PushPlatform.allCases.map(\.rawValue) == ["pingam"])
  }

  @Test(
    arguments: [
      (.notInitialized, "Push client not initialized"), (.invalidUri("x"), "Invalid URI: x"),
      (.missingRequiredParameter("x"), "Missing required parameter: x"),
      (.invalidParameterValue("x"), "Invalid parameter value: x"),
      (.uriFormatting("x"), "URI formatting error: x"),
      (.invalidPushType("x"), "Invalid push type: x"), (.invalidPlatform("x"), "Invalid platform: x"),
      (.storageFailure("x", nil), "Storage failure: x"),
      (.noHandlerForPlatform("x"), "No handler for platform: x"),
      (.messageParsingFailed("x"), "Message parsing failed: x"),
      (.credentialNotFound("x"), "Credential not found: x"),
      (.credentialLocked("x"), "Credential is locked: x"),
      (.notificationNotFound("x"), "Notification not found: x"),
      (.policyViolation("x"), "Policy violation: x"), (.registrationFailed("x"), "Registration failed: x"),
      (.networkFailure("x", nil), "Network failure: x"),
      (.networkFailure("x", PushError.credentialLocked("y")), "Network failure: x: Credential is locked: y"),
    ] as [(PushError, String)])
  func `an error says a phrase of its kind, then the detail`(error: PushError, sentence: String) {
    #expect(error.localizedDescription == sentence)
  }

  @Test func `errors had a description and neither a reason nor a suggestion`() {
    struct Cause: LocalizedError { var errorDescription: String? { "the disk is full" } }
    let errors: [PushError] = [
      .notInitialized, .initializationFailed("x", Cause()), .invalidUri("x"), .missingRequiredParameter("x"),
      .invalidParameterValue("x"), .uriFormatting("x"), .invalidPushType("x"), .invalidPlatform("x"),
      .storageFailure("x", Cause()), .deviceTokenNotSet, .noHandlerForPlatform("x"),
      .messageParsingFailed("x"),
      .credentialNotFound("x"), .credentialLocked("x"), .notificationNotFound("x"), .policyViolation("x"),
      .registrationFailed("x"), .networkFailure("x", Cause()),
      .duplicateCredential(issuer: "x", accountName: "y"), .pushNumberChallengeError("x"),
    ]
    for error in errors {
      #expect(
        error.errorDescription?.isEmpty == false && error.localizedDescription == error.errorDescription)
      #expect(error.failureReason?.isEmpty == false && error.recoverySuggestion?.isEmpty == false)
      #expect(error.failureReason != error.recoverySuggestion)
    }
    for error in [
      PushStorageError.storageFailure("x", nil), .duplicateCredential("x"), .duplicateNotification("x"),
    ] {
      #expect(error.failureReason?.isEmpty == false && error.recoverySuggestion?.isEmpty == false)
    }
    #expect(errors[1].localizedDescription.contains("the disk is full"))
    #expect(PushStorageError.storageFailure("x", Cause()).localizedDescription.contains("the disk is full"))
  }
}
