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

  /// Sends the requests.
  public var httpClient: any HttpClientProtocol

  /// A configuration.
  public init(
    serverUrl: String, realm: String = "root", cookieName: String = "iPlanetDirectoryPro", ssoToken: String,
    httpClient: any HttpClientProtocol = HttpClient.createClient()
  ) {
    self.serverUrl = serverUrl
    self.realm = realm
    self.cookieName = cookieName
    self.ssoToken = ssoToken
    self.httpClient = httpClient
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
