import Concurrency
import DeviceKeys
import Foundation
import FRDeviceBinding
import SealringTesting
import Testing

/// Authenticators that an app wrote for the earlier SDK: they make keys and sign by themselves, without waiting for anything.
///
/// One at a time: the earlier SDK is one for the process.
extension FRDeviceBindingTests {
  @Test func `an app's generate keys and sign were not there`() async throws {
    try await run { (server) async throws in
      let calls = Locked<[String]>([])
      let bound = try await play(on: server, "BindDeviceNoPin") { callback, next in
        callback.bind(deviceAuthenticator: { _ in Noting(calls) }) { next($0.status) }
      }
      #expect(bound != nil)
      let key = try #require(FRUserKeys().loadAll().first)
      let signed = try await play(
        on: server, "SignIn",
        sign: { callback, next in
          callback.sign(
            deviceAuthenticator: { _ in Noting(calls) }, customClaims: ["platform": "till"]
          ) { next($0.status) }
        })
      #expect(signed != nil)
      #expect(
        calls.withLock { $0 } == [
          "key of \(key.userId)", "generate", "bind \(key.kid)", "key of \(key.userId)", "sign \(key.kid)",
        ])
    }
  }

  @Test func `an authenticator that keeps its keys itself binds and signs`() async throws {
    try await run { (server) async throws in
      let store = MemoryKeyStore()
      let bound = try await play(on: server, "BindDeviceNoPin") { callback, next in
        callback.bind(deviceAuthenticator: { _ in OwnKeys(store) }) { next($0.status) }
      }
      #expect(bound != nil)
      #expect(await store.keys().map(\.tag) == FRUserKeys().loadAll().map(\.id))
      let signed = try await play(
        on: server, "SignIn",
        sign: { callback, next in
          callback.sign(deviceAuthenticator: { _ in OwnKeys(store) }) { next($0.status) }
        })
      #expect(signed != nil)
    }
  }

  @Test func `an app's PIN authenticator that changes one thing still asks`() async throws {
    try await run { (server) async throws in
      let calls = Locked<[String]>([])
      for journey in ["BindDevice", "SignIn"] {
        let played = try await play(
          on: server, journey,
          bind: { callback, next in
            callback.bind(deviceAuthenticator: { _ in NotingPIN(calls) }) { next($0.status) }
          },
          sign: { callback, next in
            callback.sign(deviceAuthenticator: { _ in NotingPIN(calls) }) { next($0.status) }
          })
        #expect(played != nil)
      }
      #expect(calls.withLock { $0 } == ["bind", "sign"])
    }
  }

  @Test func `what an app's generate keys throws is the status`() async throws {
    try await run { (server) async throws in
      let statuses = Locked<[DeviceBindingStatus?]>([])
      _ = try await play(on: server, "BindDeviceNoPin") { callback, next in
        callback.bind(deviceAuthenticator: { _ in Failing() }) { result in
          statuses.withLock { $0.append(result.status) }
          next(result.status)
        }
      }
      #expect(statuses.withLock { $0 } == [.unAuthorize])
      #expect(FRUserKeys().loadAll().isEmpty)
      let devices = try await server.devices(of: "mira")
      #expect(devices.isEmpty)
    }
  }

  @Test func `authenticators work by themselves`() async throws {
    try await run { (server) async throws in
      try device.start(on: server.address)
      let authenticator = None()
      authenticator.initialize(userId: "id=mira", prompt: Prompt(title: "t", subtitle: "", description: ""))
      #expect(authenticator.cryptoKey == CryptoKey(keyId: "id=mira"))
      #expect(authenticator.cryptoKey?.keyAlias.count == 44)
      let pair = try authenticator.generateKeys()
      let proof = try authenticator.sign(
        keyPair: pair, kid: "kid", userId: "id=mira", challenge: "c", expiration: Date() + 60)
      #expect(proof.split(separator: ".").count == 3)
      let key = UserKey(
        id: pair.keyAlias, userId: "id=mira", userName: "mira", kid: "kid", authType: .none)
      let signed = try authenticator.sign(
        userKey: key, challenge: "c", expiration: Date() + 60, customClaims: ["a": 1])
      #expect(signed.split(separator: ".").count == 3)
      #expect(throws: (any Error).self) {
        try authenticator.sign(
          userKey: key, challenge: "c", expiration: Date() + 60, customClaims: ["iss": "me"])
      }
    }
  }

  @Test func `the repository keeps descriptions`() async throws {
    try await run { (server) async throws in
      try device.start(on: server.address)
      let repository: any DeviceBindingRepository = LocalDeviceBindingRepository()
      #expect(repository.getAllKeys().isEmpty)
      for (kid, name) in [("1", "a"), ("2", "b"), ("1", "c")] {
        try repository.persist(
          userKey: UserKey(id: "tag \(kid)", userId: "id=\(kid)", userName: name, kid: kid, authType: .none))
      }
      #expect(Set(repository.getAllKeys().map(\.userName)) == ["b", "c"])
      let first = try #require(repository.getAllKeys().first { $0.kid == "1" })
      try repository.delete(userKey: first)
      try repository.delete(userKey: first)
      #expect(repository.getAllKeys().map(\.kid) == ["2"])
      try repository.deleteAllKeys()
      #expect(repository.getAllKeys().isEmpty)
    }
  }

  @Test func `failure reason and recovery suggestion were nil`() {
    let all: [[any LocalizedError]] = [
      [
        DeviceBindingStatus.timeout, .abort, .unsupported(errorMessage: nil), .clientNotRegistered,
        .unAuthorize,
        .invalidCustomClaims,
      ] as [DeviceBindingStatus],
      [AuthError.apiError(status: 401, message: "m"), .invalidGenericType, .invalidCallbackResponse("r")]
        as [AuthError],
      [ConfigError.invalidConfiguration("r"), .invalidSDKState] as [ConfigError],
    ]
    for error in all.joined() {
      #expect(error.failureReason?.isEmpty == false && error.recoverySuggestion?.isEmpty == false)
    }
  }
}

/// Notes what it is asked to do, and has the rest done.
private final class Noting: None {
  private let calls: Locked<[String]>

  init(_ calls: Locked<[String]>) { self.calls = calls }

  override func setKey(cryptoKey: CryptoKey) {
    super.setKey(cryptoKey: cryptoKey)
    calls.withLock { $0.append("key of \(cryptoKey.keyId)") }
  }

  override func generateKeys() throws -> KeyPair {
    calls.withLock { $0.append("generate") }
    return try super.generateKeys()
  }

  override func sign(
    keyPair: KeyPair, kid: String, userId: String, challenge: String, expiration: Date
  ) throws -> String {
    calls.withLock { $0.append("bind \(kid)") }
    return try super.sign(
      keyPair: keyPair, kid: kid, userId: userId, challenge: challenge, expiration: expiration)
  }

  override func sign(
    userKey: UserKey, challenge: String, expiration: Date, customClaims: [String: Any]
  ) throws -> String {
    calls.withLock { $0.append("sign \(userKey.kid)") }
    return try super.sign(
      userKey: userKey, challenge: challenge, expiration: expiration, customClaims: customClaims)
  }
}

private final class NotingPIN: ApplicationPinDeviceAuthenticator {
  private let calls: Locked<[String]>

  init(_ calls: Locked<[String]>) {
    self.calls = calls
    super.init(pinCollector: CustomPinCollector())
  }

  override func sign(
    keyPair: KeyPair, kid: String, userId: String, challenge: String, expiration: Date
  ) throws -> String {
    calls.withLock { $0.append("bind") }
    return try super.sign(
      keyPair: keyPair, kid: kid, userId: userId, challenge: challenge, expiration: expiration)
  }

  override func sign(
    userKey: UserKey, challenge: String, expiration: Date, customClaims: [String: Any]
  ) throws -> String {
    calls.withLock { $0.append("sign") }
    return try super.sign(
      userKey: userKey, challenge: challenge, expiration: expiration, customClaims: customClaims)
  }
}

private final class Failing: None {
  override func generateKeys() throws -> KeyPair { throw DeviceBindingStatus.unAuthorize }
}

/// Conforms by itself, with keys in a store that nobody else knows.
private final class OwnKeys: DeviceAuthenticator {
  private let store: MemoryKeyStore

  init(_ store: MemoryKeyStore) { self.store = store }

  func generateKeys() throws -> KeyPair {
    let store = store
    return KeyPair(
      try waiting { try await store.createKey(tag: "own", protection: .none, unlock: .nothing) })
  }

  func sign(
    userKey: UserKey, challenge: String, expiration: Date, customClaims: [String: Any]
  ) throws -> String {
    let store = store
    let key = try waiting { try await store.openKey(tag: "own", unlock: .nothing) }
    return try sign(
      keyPair: KeyPair(key), kid: userKey.kid, userId: userKey.userId, challenge: challenge,
      expiration: expiration)
  }

  func type() -> DeviceBindingAuthenticationType { .none }
  func isSupported() -> Bool { true }
  func setPrompt(_ prompt: Prompt) {}
  func initialize(userId: String) {}
  func deleteKeys() {}

  /// As such an authenticator waits for the system.
  private func waiting(_ body: @escaping @Sendable () async throws -> any DeviceKey) throws -> any DeviceKey {
    let done = DispatchSemaphore(value: 0)
    let result = Locked<Result<any DeviceKey, any Error>?>(nil)
    Task {
      do {
        let key = try await body()
        result.withLock { $0 = .success(key) }
      } catch {
        result.withLock { $0 = .failure(error) }
      }
      done.signal()
    }
    done.wait()
    return try #require(result.withLock { $0 }).get()
  }
}
