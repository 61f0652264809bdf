/// Names on the wire.
public enum NetworkConstants {
  public static let headerRequestedWith = "x-requested-with"
  public static let headerRequestedPlatform = "x-requested-platform"
  public static let headerContentType = "Content-Type"
  public static let headerCookie = "Cookie"
  public static let headerSetCookie = "Set-Cookie"
  public static let headerSetCookieLowercased = "set-cookie"
  public static let headerAuthorization = "Authorization"
  public static let headerAcceptLanguage = "Accept-Language"
  public static let requestedWithValue = "ping-sdk"
  /// What every request of this library says about its platform: `ios` on Apple's systems, else `linux`.
  #if canImport(Darwin)
    public static let requestedPlatformValue = "ios"
  #else
    public static let requestedPlatformValue = "linux"
  #endif
  public static let bearerValue = "Bearer"
  public static let contentTypeJSON = "application/json"
  public static let contentTypeForm = "application/x-www-form-urlencoded"
  public static let stCookie = "ST"
  public static let stNoSsCookie = "ST-NO-SS"
  public static let _links = "_links"
  public static let `continue` = "continue"
  public static let href = "href"
  public static let idToken = "idToken"
  public static let accessToken = "accessToken"
}
