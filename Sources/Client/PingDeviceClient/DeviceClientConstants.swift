/// What a ``DeviceClientConfig`` says unless the app says something else.
public enum DeviceClientConstants {
  /// The realm at the top.
  public static let defaultRealm = "root"

  /// PingAM's name of the session cookie.
  public static let defaultCookieName = "iPlanetDirectoryPro"
}
