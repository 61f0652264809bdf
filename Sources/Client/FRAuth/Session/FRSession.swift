internal import Locking
internal import PingJourney
internal import PingJourneyPlugin

/// The session of the person who has signed in.
public final class FRSession: Sendable {
  /// The session; `nil` when nobody has signed in since ``FRAuth/start()``.
  public static var currentSession: FRSession? {
    token.withLock { $0 }.map { FRSession(sessionToken: $0) }
  }

  /// The session's token.
  public let sessionToken: Token?

  private static let token = Locked<Token?>(nil)

  private init(sessionToken: Token) { self.sessionToken = sessionToken }

  static func store(_ token: Token) { self.token.withLock { $0 = token.value.isEmpty ? nil : token } }

  /// Starts the journey `authIndexValue`, and hands over where it stands.
  ///
  /// - Parameters:
  ///   - authIndexType: `service`; journeys are chosen by nothing else.
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
        nil, nil, ConfigError.invalidConfiguration("A journey's authIndexType is service, not \(authIndexType)."))
      return
    }
    Task { Node.hand(await auth.journey.start(authIndexValue), to: completion) }
  }

  /// Ends the session on the server and forgets it.
  public func logout() {
    Self.token.withLock { $0 = nil }
    guard let auth = FRAuth.shared else { return }
    Task { _ = await auth.journey.journeySignOff() }
  }
}

/// A session token. Its description leaves out the value.
public struct Token: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The token, `""` for a journey without a session. A secret: never log it.
  public let value: String
  /// Where the server would send a browser now; may be relative.
  public let successUrl: String
  /// The realm's path, such as `/alpha`.
  public let realm: String

  public init(value: String, successUrl: String = "", realm: String = "") {
    self.value = value
    self.successUrl = successUrl
    self.realm = realm
  }

  public var description: String { "Token(value: …, successUrl: \(successUrl), realm: \(realm))" }

  public var customMirror: Mirror { Mirror(self, children: ["successUrl": successUrl, "realm": realm]) }
}
