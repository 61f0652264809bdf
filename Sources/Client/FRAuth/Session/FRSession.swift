internal import Concurrency
package import FRCore
package import PingDeviceClient
internal import PingJourney
internal import PingJourneyPlugin
internal import PingOrchestrate

/// The session of the person who has signed in.
public final class FRSession: Sendable {
  /// The session, which may be from an earlier run of the program; `nil` when nobody is signed in. Blocks while it is read.
  public static var currentSession: FRSession? { try? Blocking.run { await current() } }

  fileprivate static func current() async -> FRSession? {
    guard let auth = FRAuth.shared, !hasEnded.withLock({ $0 }) else { return nil }
    guard let session = await auth.journey.session(), !session.value.isEmpty else { return nil }
    return FRSession(
      sessionToken: Token(value: session.value, successUrl: session.successUrl, realm: session.realm))
  }

  /// The session's token.
  public let sessionToken: Token?

  /// Whether the session has been logged out, even if the server has not answered yet.
  private static let hasEnded = Locked(false)

  /// The last sign-off. A journey that starts while it runs waits for it: otherwise the old session would sign its person in, and its end
  /// would end the new session.
  private static let ending = Locked<Task<Void, Never>?>(nil)

  private init(sessionToken: Token) { self.sessionToken = sessionToken }

  /// Records that somebody has signed in.
  static func begin() { hasEnded.withLock { $0 = false } }

  /// Starts the journey `authIndexValue`, and reports its first step.
  ///
  /// - Parameters:
  ///   - authIndexType: `service`; no other type chooses journeys.
  ///   - completion: Receives a ``Token`` as its result when the journey has succeeded.
  @preconcurrency public static func authenticate<T>(
    authIndexValue: String, authIndexType: String = "service", completion: @escaping NodeCompletion<T>
  ) {
    let auth: FRAuth
    do { auth = try FRAuth.started() } catch {
      completion(nil, nil, error)
      return
    }
    guard authIndexType == "service" else {
      completion(
        nil, nil,
        ConfigError.invalidConfiguration("A journey's authIndexType is service, not \(authIndexType)."))
      return
    }
    let ending = ending.withLock { $0 }
    Task {
      await ending?.value
      Node.report(await auth.journey.start(authIndexValue), to: completion)
    }
  }

  /// Ends the session here at once, and on the server in the background. A journey that is started next waits until the server has
  /// answered.
  public func logout() {
    guard let auth = FRAuth.shared else { return }
    Self.hasEnded.withLock { $0 = true }
    Self.ending.withLock { ending in
      let earlier = ending
      ending = Task {
        await earlier?.value
        if case .failure = await auth.journey.journeySignOff() { await auth.journey.deleteSession() }
      }
    }
  }
}

extension FRAuth {
  /// The devices of the signed-in person.
  ///
  /// - Parameter action: The action that the app's interceptors receive with the requests.
  /// - Throws: ``ConfigError/invalidSDKState``
  package static func signedInDevices(for action: ActionType) async throws -> DeviceClient {
    let options = try started().options
    let client = InterceptingClient(action)
    client.allowsInsecureHTTP = options.allowsInsecureHTTP
    return DeviceClient(
      config: DeviceClientConfig(
        serverUrl: options.url, realm: options.realm, cookieName: options.cookieName,
        ssoToken: await FRSession.current()?.sessionToken?.value ?? "", httpClient: client))
  }
}

/// A session token. Its description omits the value.
public struct Token: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The token, `""` for a journey without a session. A secret: never log it.
  public let value: String
  /// The address to which the server would redirect a browser now; may be relative.
  public let successUrl: String
  /// The realm's path, such as `/alpha`.
  public let realm: String

  public init(value: String, successUrl: String = "", realm: String = "") {
    self.value = value
    self.successUrl = successUrl
    self.realm = realm
  }

  public var description: String { "Token(value: …, successUrl: \(successUrl), realm: \(realm))" }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: ["successUrl": successUrl, "realm": realm]) }
}
