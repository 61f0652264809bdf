// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// Texts that stand in profiles, and what a browser is asked.
public enum DeviceProfileConstants {
  /// What is not known.
  public static let unknown = "Unknown"
  public static let navigator_userAgent = "navigator.userAgent"
  public static let userAgent = "userAgent"
}
