import Foundation
import PingLogger
import PingPush
import StrictJSON
import Testing

// Programs in the shapes of the guide's examples, each compiled as an app would write it: with the public API alone.

private enum AppError: Error { case pushError(String) }

/// A stand-in for the system's application object.
private final class Application {}

/// Keeps what an app does with a client.
private struct App {
  let client: PushClient

  static func start(_ storage: any PushStorage) async throws -> App {
    let client = try await PushClient.createClient { config in
      config.logger = LogManager.logger
      config.enableCredentialCache = false
      config.storage = storage
      config.timeout = 15
      config.notificationCleanupConfig = NotificationCleanupConfig(
        cleanupMode: .hybrid, maxStoredNotifications: 50, maxNotificationAgeDays: 14)
      config.customPushHandlers = [CustomPushHandler()]
    }
    return App(client: client)
  }

  func enrol(_ uri: String) async throws -> PushCredential {
    try await client.addCredentialFromUri(uri)
  }

  func names() async throws -> [String] {
    let client = client
    do {
      let credentials = try await Task.detached(priority: .userInitiated) {
        try await client.getCredentials()
      }.value
      return credentials.map(\.displayIssuer)
    } catch {
      throw AppError.pushError("Failed to load credentials: \(error.localizedDescription)")
    }
  }

  func rename(_ id: String, to name: String) async throws {
    let client = client
    let found = try await Task.detached(priority: .userInitiated) { try await client.getCredential(id) }.value
    guard var credential = found else { return }
    credential.displayIssuer = name
    _ = try await client.saveCredential(credential)
  }

  func remove(_ id: String) async throws -> Bool {
    let client = client
    return try await Task.detached(priority: .userInitiated) { try await client.deleteCredential(id) }.value
  }

  /// Without `try` and `await`, in a place that allows neither.
  func application(_ application: Application, didRegisterWithDeviceToken deviceToken: Data, id: String) {
    client.setDeviceToken(deviceToken)
    client.setDeviceToken(deviceToken, credentialId: id)
  }

  /// The same in a place that allows both.
  func registered(_ deviceToken: Data) async { client.setDeviceToken(deviceToken) }

  func received(_ userInfo: [AnyHashable: Any]) async -> PushType? {
    nonisolated(unsafe) let userInfoCopy = userInfo
    let client = client
    return await Task {
      do {
        if let notification = try await client.processNotification(userInfo: userInfoCopy) {
          switch notification.pushType {
          case .default: return PushType.default
          case .challenge: return .challenge
          case .biometric: return .biometric
          }
        }
      } catch { print("Failed to process push notification: \(error.localizedDescription)") }
      return nil
    }.value
  }

  /// The results are of no interest.
  func answer(_ id: String, _ type: PushType, with chosen: String) async throws {
    switch type {
    case .default: try await client.approveNotification(id)
    case .challenge: try await client.approveChallengeNotification(id, challengeResponse: chosen)
    case .biometric: try await client.approveBiometricNotification(id, authenticationMethod: "fingerprint")
    }
    try await client.denyNotification(id)
  }

  func show(_ id: String) async throws -> Bool {
    let notifications = try await client.getPendingNotifications()
    let notification = try await client.getNotification(id)
    if let notification = notification { return notifications.contains { $0.id == notification.id } }
    return false
  }

  func tidy(_ id: String) async throws -> Int {
    let count = try await client.cleanupNotifications()
    return count + (try await client.cleanupNotifications(credentialId: id))
  }

  static func explain(_ error: any Error) -> String {
    do { throw error } catch let error as PushError {
      switch error {
      case .invalidUri(let message): return "uri: \(message)"
      case .credentialNotFound(let id): return "credential: \(id)"
      case .credentialLocked(let id): return "locked: \(id)"
      case .initializationFailed(let message, let underlying): return "init: \(message) \(underlying == nil)"
      default: return error.localizedDescription
      }
    } catch let error as PushStorageError {
      switch error {
      case .storageFailure(let message, _): return "storage: \(message)"
      default: return error.localizedDescription
      }
    } catch { return "\(error)" }
  }
}

struct GuideTests {
  @Test func `an app in the guide's shapes runs from start to end`() async throws {
    try await StandIn.with { server in
      let app = try await App.start(MemoryPushStorage())
      app.application(Application(), didRegisterWithDeviceToken: Data([1, 2]), id: "none")
      await app.registered(Data([1, 2]))
      let credential = try await app.enrol(try await server.enrol())
      #expect(try await app.names() == ["Example Bank"])
      try await app.rename(credential.id, to: "Example.com Checking Account")
      #expect(try await app.names() == ["Example.com Checking Account"])
      for (name, type) in [
        ("default", PushType.default), ("challenge", .challenge), ("biometric", .biometric),
      ] {
        let pushed = try await server.push(to: credential.id, type: name)
        #expect(await app.received(pushed.userInfo) == type)
        let pending = try #require(try await app.client.getPendingNotifications().first)
        #expect(try await app.show(pending.id))
        try await app.answer(pending.id, type, with: pushed.answer ?? "")
        #expect(try await server.state(pushed)["state"]?.stringValue == "approved")
      }
      #expect(try await app.tidy(credential.id) == 0)
      #expect(try await app.remove(credential.id))
      await app.client.close()
    }
  }

  @Test func `errors are told apart`() async throws {
    let app = try await App.start(MemoryPushStorage())
    do {
      _ = try await app.enrol(
        "pushauth://push/issuer:user@example.com?key=ABCDEFGHIJK&c=https://example.com/push")
    } catch { #expect(App.explain(error) == "uri: r: missing required parameter.") }
    #expect(App.explain(PushError.credentialLocked("x")) == "locked: x")
    #expect(App.explain(PushStorageError.storageFailure("full", nil)) == "storage: full")
  }

  @Test func `the standard storage takes the keychain's settings`() async throws {
    let storage = PushKeychainStorage(
      credentialService: "com.myapp.push.credentials", notificationService: "com.myapp.push.notifications",
      tokenService: "com.myapp.push.tokens", accessGroup: "group.myapp",
      accessibility: kSecAttrAccessibleWhenUnlockedThisDeviceOnly)
    let configuration = PushConfiguration.build { config in
      config.storage = storage
      config.timeoutMs = 2500
      config.customPushHandlers = ["KEY": CustomPushHandler()]
    }
    #expect(configuration.timeout == 2.5 && configuration.storage is PushKeychainStorage)
    #expect(
      configuration.customPushHandlers["KEY"] is CustomPushHandler
        && configuration.customPushHandlers.count == 1)
  }

  @Test func `what is not set has the documented value`() {
    let config = PushConfiguration()
    #expect(config.storage == nil && config.policyEvaluator == nil && config.encryptionEnabled)
    #expect(config.timeout == 15 && config.timeoutMs == 15000 && !config.enableCredentialCache)
    #expect(config.customPushHandlers.isEmpty && config.notificationCleanupConfig.cleanupMode == .countBased)
  }

  @Test func `a configuration that cannot be kept is refused`() async {
    await expect("initializationFailed") {
      try await PushClient.createClient { $0.encryptionEnabled = false }
    }
    await expect("initializationFailed") { try await PushClient.createClient { $0.timeout = 0 } }
    let storage = MemoryPushStorage()
    await storage.fail("getCurrentPushDeviceToken")
    await expect("initializationFailed") { try await PushClient.createClient { $0.storage = storage } }
  }
}
