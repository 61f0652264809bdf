import CommonFixtures
import Concurrency
import DeviceKeys
import Foundation
import FRDeviceBinding
import Testing

/// What an app's own authenticator of the earlier SDK meets, in the earlier SDK's order and with its errors.
extension FRDeviceBindingTests {
  // MARK: Order

  @Test func `an authenticator was asked in another order and not initialised without a user name`()
    async throws
  {
    try device.start()
    let calls = Locked<[String]>([])
    #expect(try await bind(Recording(calls)) == nil)
    #expect(calls.withLock { $0 } == ["initialize id=mira", "isSupported", "generateKeys", "domain", "sign"])
    calls.withLock { $0 = [] }
    // The server does not know the user yet.
    #expect(try await sign(Recording(calls), user: "") == nil)
    #expect(calls.withLock { $0 } == ["initialize id=mira", "isSupported", "claims", "sign"])
  }

  @Test func `a failed binding left the keys of an app's authenticator`() async throws {
    try device.start()
    #expect(try await bind(None()) == nil)
    let earlier = FRUserKeys().loadAll()
    let calls = Locked<[String]>([])
    #expect(try await bind(Recording(calls, fails: true)) == .unAuthorize)
    #expect(calls.withLock { $0.last } == "deleteKeys")
    // The default of deleteKeys, which it calls, does not touch what was bound before.
    #expect(FRUserKeys().loadAll() == earlier)
    let tags = await device.keyStore.keys().map(\.tag)
    #expect(tags == earlier.map(\.id))
  }

  @Test func `keys are deleted after a timeout too and an authenticator that hangs ends nothing`()
    async throws
  {
    let clock = ManualClock()
    try device.start(clock: clock)
    let hanging = Hanging()
    defer { hanging.release() }
    async let status = bind(hanging)
    try await hanging.entered.wait(until: "the authenticator is asked")
    clock.advance(by: .seconds(61))
    #expect(try await status == .timeout)
    #expect(FRUserKeys().loadAll().isEmpty)
  }

  @Test func `the stored type was the authenticator's and not the server's`() async throws {
    try device.start()
    #expect(try await bind(None(), type: "BIOMETRIC_ALLOW_FALLBACK") == nil)
    #expect(FRUserKeys().loadAll().map(\.authType) == [.biometricAllowFallback])
    #expect(try await bind(Recording(Locked([])), type: "APPLICATION_PIN") == nil)
    #expect(FRUserKeys().loadAll().map(\.authType) == [.applicationPin])
  }

  // MARK: Changed biometrics

  @Test func `a changed biometric domain went unnoticed`() async throws {
    try device.start()
    let domain = Locked<Data?>(Data([1]))
    func authenticator() -> Recording { Recording(Locked([]), domain: { domain.withLock { $0 } }) }
    #expect(try await bind(authenticator(), type: "BIOMETRIC_ALLOW_FALLBACK") == nil)
    #expect(FRUserKeys().loadAll().first?.biometricDomainState == Data([1]))
    #expect(try await sign(authenticator()) == nil)
    domain.withLock { $0 = Data([2]) }
    #expect(try await sign(authenticator()) == .clientNotRegistered)
    // Nothing is deleted: the earlier set may be restored. Locked biometrics tell nothing.
    #expect(FRUserKeys().loadAll().count == 1)
    domain.withLock { $0 = nil }
    #expect(try await sign(authenticator()) == nil)
    domain.withLock { $0 = Data([1]) }
    #expect(try await sign(authenticator()) == nil)
  }

  @Test func `a migrated key was opened after the biometrics had changed`() async throws {
    try device.start()
    let key = try await device.keyStore.createKey(tag: "old", protection: .none, unlock: .nothing)
    let repository = LocalDeviceBindingRepository()
    try repository.persist(
      userKey: UserKey(
        id: key.tag, userId: "id=mira", userName: "mira", kid: "kid", authType: .biometricAllowFallback,
        biometricDomainState: Data([1])))
    #expect(try await sign(Recording(Locked([]), domain: { Data([2]) })) == .clientNotRegistered)
    #expect(try await sign(Recording(Locked([]), domain: { Data([1]) })) == nil)
  }

  // MARK: Errors

  @Test func `errors of the defaults were not the status`() async throws {
    try device.start()
    let authenticator = None()
    #expect(
      throws: DeviceBindingStatus.unsupported(
        errorMessage: "Cannot generate keys, missing key: call initialize(userId:) first.")
    ) { try authenticator.generateKeys() }
    authenticator.initialize(userId: "id=mira")
    let gone = UserKey(id: "gone", userId: "id=mira", userName: "mira", kid: "kid", authType: .none)
    #expect(throws: DeviceBindingStatus.clientNotRegistered) {
      try authenticator.sign(userKey: gone, challenge: "c", expiration: Date() + 60)
    }
    let pair = try authenticator.generateKeys()
    let key = UserKey(id: pair.keyAlias, userId: "id=mira", userName: "mira", kid: "kid", authType: .none)
    #expect(throws: DeviceBindingStatus.invalidCustomClaims) {
      try authenticator.sign(
        userKey: key, challenge: "c", expiration: Date() + 60, customClaims: ["iss": "me"])
    }
    #expect(throws: DeviceBindingStatus.self) {
      try DefaultDeviceAuthenticator().generateKeys()
    }
  }

  @Test func `support was claimed without asking the system`() async throws {
    try device.start()
    let expected: [(DefaultDeviceAuthenticator, Bool)] = [
      (None(), true), (ApplicationPinDeviceAuthenticator(), true), (BiometricOnly(), false),
      (BiometricAndDeviceCredential(), false), (DefaultDeviceAuthenticator(), false),
    ]
    for (authenticator, isSupported) in expected {
      #expect(authenticator.isSupported() == isSupported, "\(authenticator)")
    }
  }

  @Test func `an authenticator that throws at each of its calls leaves nothing and ends each call`()
    async throws
  {
    try device.start()
    for call in ["generateKeys", "sign"] {
      #expect(try await bind(Throwing(at: call)) == .abort)
      #expect(FRUserKeys().loadAll().isEmpty, "\(call)")
      let tags = await device.keyStore.keys().map(\.tag)
      #expect(tags.isEmpty, "\(call)")
    }
    #expect(try await bind(None()) == nil)
    #expect(try await sign(Throwing(at: "sign")) == .abort)
    #expect(FRUserKeys().loadAll().count == 1)
  }

  @Test func `an authenticator that deletes its key while it signs has none to sign with`() async throws {
    try device.start()
    #expect(try await bind(None()) == nil)
    #expect(try await sign(Deleting()) == .clientNotRegistered)
    #expect(FRUserKeys().loadAll().isEmpty)
  }

  // MARK: Callbacks

  @Test(arguments: ["userId", "challenge", "authenticationType", "jws"])
  func `a binding callback without what it needs was taken`(missing: String) {
    #expect(throws: AuthError.invalidCallbackResponse("Missing \(missing)")) {
      try DeviceBindingCallback(json: bindingJSON(without: missing))
    }
  }

  @Test(arguments: ["challenge", "jws"])
  func `a signing callback without what it needs was taken`(missing: String) {
    #expect(throws: AuthError.invalidCallbackResponse("Missing \(missing)")) {
      try DeviceSigningVerifierCallback(json: signingJSON(without: missing))
    }
  }

  @Test func `a callback of another type than is known was taken`() {
    #expect(throws: AuthError.invalidCallbackResponse("Unknown authenticationType")) {
      try DeviceBindingCallback(json: bindingJSON(type: "IRIS"))
    }
  }

  @Test func `timeouts are nil when absent and 0 is at once`() async throws {
    #expect(try DeviceBindingCallback(json: bindingJSON()).timeout == nil)
    #expect(try DeviceSigningVerifierCallback(json: signingJSON()).timeout == nil)
    #expect(try DeviceBindingCallback(json: bindingJSON(timeout: 20)).timeout == 20)
    try device.start()
    #expect(try await bind(None()) == nil)
    #expect(try await bind(None(), timeout: 0) == .timeout)
    #expect(FRUserKeys().loadAll().count == 1)
    let callback = try DeviceSigningVerifierCallback(json: signingJSON(timeout: 0))
    let status = await withCheckedContinuation { done in
      callback.sign(deviceAuthenticator: { _ in None() }) { done.resume(returning: $0.status) }
    }
    #expect(status == .timeout)
  }

  // MARK: Claims

  @Test func `the app's check of claims decides and reserved ones keep our values`() async throws {
    try device.start()
    #expect(try await bind(None()) == nil)
    let calls = Locked<[String]>([])
    let callback = try DeviceSigningVerifierCallback(json: signingJSON())
    let status = await withCheckedContinuation { done in
      callback.sign(
        deviceAuthenticator: { _ in Recording(calls, acceptsClaims: true) },
        customClaims: ["iss": "somebody", "sub": "id=babs", "till": 4]
      ) { done.resume(returning: $0.status) }
    }
    #expect(status == nil)
    let inputs = try #require(callback.response["input"] as? [[String: Any]])
    let jws = try #require(inputs.first { ($0["name"] as? String) == "IDToken1jws" }?["value"] as? String)
    let claims = try JWSClaims(jws)
    #expect(claims["iss"] as? String == "com.sealring.cli" && claims["sub"] as? String == "id=mira")
    #expect(claims["till"] as? Int == 4)
    #expect(try await sign(Recording(calls, acceptsClaims: false)) == .invalidCustomClaims)
  }

  // MARK: PINs

  @Test(arguments: [(["1234", "0000", "471108"], nil), (["1234", "0000", "1111", "471108"], 3)])
  func `a refused new PIN was not asked for again`(pins: [String], asked: Int?) async throws {
    try device.start()
    let collector = Answers(pins)
    let status = try await bind(
      ApplicationPinDeviceAuthenticator(pinCollector: collector), type: "APPLICATION_PIN")
    if let asked {
      guard case .unsupported(.some) = status else {
        Issue.record("\(String(describing: status))")
        return
      }
      #expect(collector.count == asked)
    } else {
      #expect(status == nil)
      // A wrong one is still asked for once.
      #expect(
        try await sign(ApplicationPinDeviceAuthenticator(pinCollector: Answers(["9", "471108"])))
          == .unAuthorize)
    }
  }

  // MARK: The program

  private func bind(
    _ authenticator: any DeviceAuthenticator, type: String = "NONE", timeout: Int? = nil
  ) async throws -> DeviceBindingStatus? {
    let callback = try DeviceBindingCallback(json: bindingJSON(type: type, timeout: timeout))
    let chosen = Transferred(authenticator)
    return await withCheckedContinuation { done in
      callback.bind(deviceAuthenticator: { _ in chosen.value }) { done.resume(returning: $0.status) }
    }
  }

  private func sign(
    _ authenticator: any DeviceAuthenticator, user: String = "id=mira"
  ) async throws -> DeviceBindingStatus? {
    let callback = try DeviceSigningVerifierCallback(json: signingJSON(user: user))
    let chosen = Transferred(authenticator)
    return await withCheckedContinuation { done in
      callback.sign(deviceAuthenticator: { _ in chosen.value }) { done.resume(returning: $0.status) }
    }
  }
}

private func callbackJSON(
  _ type: String, _ outputs: [(String, Any?)], inputs: [String], without missing: String?
) -> [String: Any] {
  [
    "type": type,
    "output": outputs.filter { $0.0 != missing }.compactMap { name, value -> [String: Any]? in
      value.map { ["name": name, "value": $0] }
    },
    "input": inputs.filter { $0 != missing }.map { ["name": "IDToken1\($0)", "value": ""] },
  ]
}

private func bindingJSON(
  type: String = "NONE", timeout: Int? = nil, without missing: String? = nil
) -> [String: Any] {
  callbackJSON(
    "DeviceBindingCallback",
    [
      ("userId", "id=mira"), ("username", "mira"), ("authenticationType", type),
      ("challenge", "mQ2o0C1bWmXk0m3v0r6J7c0cZq2Xr8m1nqk1n3l5xX0="),
      ("timeout", timeout),
    ], inputs: ["jws", "deviceName", "deviceId", "clientError"], without: missing)
}

private func signingJSON(
  user: String = "id=mira", timeout: Int? = nil, without missing: String? = nil
) -> [String: Any] {
  callbackJSON(
    "DeviceSigningVerifierCallback",
    [("userId", user), ("challenge", "mQ2o0C1bWmXk0m3v0r6J7c0cZq2Xr8m1nqk1n3l5xX0="), ("timeout", timeout)],
    inputs: ["jws", "clientError"],
    without: missing)
}

/// Notes what it is asked, and has the defaults do it.
private final class Recording: None {
  private let calls: Locked<[String]>
  private let fails: Bool
  private let acceptsClaims: Bool?
  private let domain: @Sendable () -> Data?

  init(
    _ calls: Locked<[String]>, fails: Bool = false, acceptsClaims: Bool? = nil,
    domain: @escaping @Sendable () -> Data? = { nil }
  ) {
    (self.calls, self.fails, self.acceptsClaims, self.domain) = (calls, fails, acceptsClaims, domain)
  }

  private func note(_ call: String) { calls.withLock { $0.append(call) } }

  override func initialize(userId: String, prompt: Prompt) {
    note("initialize \(userId)")
    super.initialize(userId: userId, prompt: prompt)
  }

  override func isSupported() -> Bool {
    note("isSupported")
    return super.isSupported()
  }

  override func validateCustomClaims(_ customClaims: [String: Any]) -> Bool {
    if acceptsClaims == nil { note("claims") }
    return acceptsClaims ?? true
  }

  override func biometricDomainState() -> Data? {
    note("domain")
    return domain()
  }

  override func generateKeys() throws -> KeyPair {
    note("generateKeys")
    if fails { throw DeviceBindingStatus.unAuthorize }
    return try super.generateKeys()
  }

  override func sign(
    keyPair: KeyPair, kid: String, userId: String, challenge: String, expiration: Date
  ) throws -> String {
    note("sign")
    return try super.sign(
      keyPair: keyPair, kid: kid, userId: userId, challenge: challenge, expiration: expiration)
  }

  override func sign(
    userKey: UserKey, challenge: String, expiration: Date, customClaims: [String: Any]
  ) throws -> String {
    note("sign")
    return try super.sign(
      userKey: userKey, challenge: challenge, expiration: expiration, customClaims: customClaims)
  }

  override func deleteKeys() {
    note("deleteKeys")
    super.deleteKeys()
  }
}

private struct Unexpected: Error {}

private final class Throwing: None {
  private let call: String

  init(at call: String) { self.call = call }

  override func generateKeys() throws -> KeyPair {
    if call == "generateKeys" { throw Unexpected() }
    return try super.generateKeys()
  }

  override func sign(
    keyPair: KeyPair, kid: String, userId: String, challenge: String, expiration: Date
  ) throws -> String { throw Unexpected() }

  override func sign(
    userKey: UserKey, challenge: String, expiration: Date, customClaims: [String: Any]
  ) throws -> String { throw Unexpected() }
}

private final class Deleting: None {
  override func sign(
    userKey: UserKey, challenge: String, expiration: Date, customClaims: [String: Any]
  ) throws -> String {
    deleteKeys()
    return try super.sign(
      userKey: userKey, challenge: challenge, expiration: expiration, customClaims: customClaims)
  }
}

/// Never answers whether it is supported.
private final class Hanging: None, @unchecked Sendable {
  let entered = Signal()
  private let gate = DispatchSemaphore(value: 0)

  override func isSupported() -> Bool {
    entered.fire()
    gate.wait()
    return true
  }

  func release() { gate.signal() }
}

private final class Answers: PinCollector, Sendable {
  private let pins: Locked<[String]>
  private let total: Int

  init(_ pins: [String]) {
    self.pins = Locked(pins)
    total = pins.count
  }

  var count: Int { total - pins.withLock { $0.count } }

  func collectPin(prompt: Prompt, completion: @escaping (String?) -> Void) {
    completion(pins.withLock { $0.isEmpty ? nil : $0.removeFirst() })
  }
}
