public import PingNetwork
public import PingOrchestrate

/// A ``DeviceClient``'s server and session.
public struct DeviceClientConfig: Sendable {
  /// The server's address up to its base path, such as `https://example.com/am`.
  public var serverUrl: String

  /// The realm: `root`, `alpha`, `/alpha/beta` or a path as in `root/realms/alpha`.
  public var realm: String

  /// The name of the session cookie, which is also the name of the header that the token is sent in.
  public var cookieName: String

  /// The token of the user's session. A secret.
  public var ssoToken: String

  /// The client that sends the requests, through its `sendRequest(request:)`.
  public var httpClient: PingOrchestrate.HttpClient

  /// Whether requests may use plain `http` to other machines, where anyone on the network path can read the session's token.
  /// Meant for tests with a server such as `http://10.0.2.2:8080`; requests to this machine need no permission. The setting of
  /// ``httpClient`` counts, too.
  public var allowsInsecureHTTP = false

  /// A configuration.
  public init(
    serverUrl: String, realm: String = DeviceClientConstants.defaultRealm,
    cookieName: String = DeviceClientConstants.defaultCookieName, ssoToken: String,
    httpClient: PingOrchestrate.HttpClient = PingOrchestrate.HttpClient()
  ) {
    self.serverUrl = serverUrl
    self.realm = realm
    self.cookieName = cookieName
    self.ssoToken = ssoToken
    self.httpClient = httpClient
  }

  /// A configuration that sets whether plain `http` to other machines is allowed.
  public init(
    serverUrl: String, realm: String = DeviceClientConstants.defaultRealm,
    cookieName: String = DeviceClientConstants.defaultCookieName, ssoToken: String, allowsInsecureHTTP: Bool
  ) {
    self.init(serverUrl: serverUrl, realm: realm, cookieName: cookieName, ssoToken: ssoToken)
    self.allowsInsecureHTTP = allowsInsecureHTTP
  }

  /// A configuration that sends through a client of PingNetwork. That client's own rule about plain `http`
  /// (`HttpClientConfig.allowsInsecureHTTP`) applies as well.
  public init(
    serverUrl: String, realm: String = DeviceClientConstants.defaultRealm,
    cookieName: String = DeviceClientConstants.defaultCookieName, ssoToken: String,
    httpClient: any HttpClientProtocol, allowsInsecureHTTP: Bool = false
  ) {
    self.init(
      serverUrl: serverUrl, realm: realm, cookieName: cookieName, ssoToken: ssoToken,
      httpClient: PingOrchestrate.HttpClient(sendingThrough: httpClient))
    self.allowsInsecureHTTP = allowsInsecureHTTP
  }
}

extension DeviceClientConfig: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The configuration without the token.
  public var description: String {
    "DeviceClientConfig(serverUrl: \(serverUrl), realm: \(realm), cookieName: \(cookieName), ssoToken: redacted)"
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: ["serverUrl": serverUrl, "realm": realm]) }
}

/// The defaults of a ``DeviceClientConfig``.
public enum DeviceClientConstants {
  /// The top-level realm.
  public static let defaultRealm = "root"

  /// PingAM's name of the session cookie.
  public static let defaultCookieName = "iPlanetDirectoryPro"
}
