internal import PingNetwork

extension Request {
  /// Media types.
  public enum ContentType: String, Sendable {
    case plainText = "text/plain"
    case json = "application/json"
    case urlEncoded = "application/x-www-form-urlencoded"
  }

  /// Request methods.
  public enum HTTPMethod: String, Sendable {
    case get = "GET"
    case put = "PUT"
    case post = "POST"
    case delete = "DELETE"
  }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  // swift-format-ignore: NoLeadingUnderscores
  /// Names and values of headers, cookies and JSON members.
  public enum Constants {
    public static let contentType = "Content-Type"
    public static let accept = "Accept"
    public static let xRequestedWith = "x-requested-with"
    public static let xRequestedPlatform = "x-requested-platform"
    public static let pingSdk = "ping-sdk"
    public static let ios = "ios"
    /// The platform that this library reports to the server, the same as in PingNetwork's requests.
    public static let platform = NetworkConstants.requestedPlatformValue
    public static let stCookie = "ST"
    public static let stNoSsCookie = "ST-NO-SS"
    public static let authorization = "Authorization"
    public static let _links = "_links"
    public static let _continue = "continue"
    public static let href = "href"
    public static let idToken = "idToken"
    public static let accessToken = "accessToken"
    public static let acceptLanguage = "Accept-Language"
  }
}
