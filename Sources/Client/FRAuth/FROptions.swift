public import Foundation

/// The server and realm that the SDK talks to.
public struct FROptions: Sendable, Hashable {
  /// The deployment's base URL, such as `https://am.example.com/am`.
  public var url: String
  /// The realm, such as `root` or `alpha`, without its path in URLs.
  public var realm: String
  /// The name of the session cookie.
  public var cookieName: String
  /// How long to wait for an answer, in seconds.
  public var timeout: TimeInterval
  /// The journey that signs in.
  public var authServiceName: String?
  /// Whether requests may use `http` to other machines, readable in transit. For tests only. Not part of the earlier SDK.
  public var allowsInsecureHTTP = false
  /// The application id that bound keys sign as, for programs without a bundle identifier. Not part of the earlier SDK.
  public var applicationId: String?

  public init(
    url: String, realm: String = "root", cookieName: String = "iPlanetDirectoryPro",
    timeout: TimeInterval = 60, authServiceName: String? = nil, applicationId: String? = nil
  ) {
    self.url = url
    self.realm = realm
    self.cookieName = cookieName
    self.timeout = timeout
    self.authServiceName = authServiceName
    self.applicationId = applicationId
  }

  /// The options of a property list with the members `forgerock_url`, `forgerock_realm`, `forgerock_cookie_name`,
  /// `forgerock_timeout`, `forgerock_auth_service_name` and, in addition to the earlier SDK's, `sealring_application_id` and
  /// `sealring_allows_insecure_http`.
  ///
  /// - Throws: ``ConfigError/invalidConfiguration(_:)``
  package init(plist: Data) throws(ConfigError) {
    let list = try? PropertyListSerialization.propertyList(from: plist, format: nil)
    guard let members = list as? [String: Any] else {
      throw .invalidConfiguration("The configuration is not a property list with a dictionary.")
    }
    guard let url = members["forgerock_url"] as? String else {
      throw .invalidConfiguration("The configuration has no forgerock_url.")
    }
    self.init(url: url)
    realm = members["forgerock_realm"] as? String ?? realm
    cookieName = members["forgerock_cookie_name"] as? String ?? cookieName
    authServiceName = members["forgerock_auth_service_name"] as? String
    applicationId = members["sealring_application_id"] as? String
    allowsInsecureHTTP = members["sealring_allows_insecure_http"] as? Bool ?? false
    if let text = members["forgerock_timeout"] {
      guard let seconds = text as? Double ?? (text as? String).flatMap(Double.init) else {
        throw .invalidConfiguration("forgerock_timeout is not a number of seconds.")
      }
      timeout = seconds
    }
  }

  func check() throws(ConfigError) {
    guard let scheme = URL(string: url)?.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
      throw .invalidConfiguration("\(url.debugDescription) is not an http or https URL.")
    }
    guard timeout > 0, timeout.isFinite else {
      throw .invalidConfiguration("The timeout of \(timeout) seconds is not a positive number.")
    }
  }
}
