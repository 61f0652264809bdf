public import PingNetwork

/// How a ``DeviceClient`` reaches the server, and as whom.
public struct DeviceClientConfig: Sendable {
  /// The server's address up to its base path, such as `https://example.com/am`.
  public var serverUrl: String

  /// The realm: `root`, `alpha`, `/alpha/beta` or a path as in `root/realms/alpha`.
  public var realm: String

  /// The name of the session cookie, which is also the name of the header that the token is sent in.
  public var cookieName: String

  /// The token of the user's session. A secret.
  public var ssoToken: String

  /// Sends the requests. One of the app's own has a say of its own about `http` (`HttpClientConfig.allowsInsecureHTTP`).
  public var httpClient: any HttpClientProtocol

  /// Whether requests go by `http` to other machines too, with the session's token, readable for everybody on the way. For tests
  /// with a server such as `http://10.0.2.2:8080`; this machine needs no permission.
  public var allowsInsecureHTTP = false

  /// A configuration.
  public init(
    serverUrl: String, realm: String = "root", cookieName: String = "iPlanetDirectoryPro", ssoToken: String,
    httpClient: any HttpClientProtocol = DeviceClientConfig.standardClient(), allowsInsecureHTTP: Bool = false
  ) {
    self.serverUrl = serverUrl
    self.realm = realm
    self.cookieName = cookieName
    self.ssoToken = ssoToken
    self.httpClient = httpClient
    self.allowsInsecureHTTP = allowsInsecureHTTP
  }

  /// A client over URLSession that leaves the rule about `http` to ``allowsInsecureHTTP``.
  public static func standardClient() -> any HttpClientProtocol {
    HttpClient.createClient { $0.allowsInsecureHTTP = true }
  }
}

extension DeviceClientConfig: CustomStringConvertible, CustomDebugStringConvertible {
  /// The configuration without the token.
  public var description: String {
    "DeviceClientConfig(serverUrl: \(serverUrl), realm: \(realm), cookieName: \(cookieName), ssoToken: redacted)"
  }

  public var debugDescription: String { description }
}

extension DeviceClientConfig: CustomReflectable {
  public var customMirror: Mirror { Mirror(self, children: ["serverUrl": serverUrl, "realm": realm]) }
}
