/// A configuration that names the server and realm that its workflow talks to, for modules that keep things for one server.
package protocol ServerAddressed {
  /// The deployment's base URL.
  var serverUrl: String? { get }
  /// The realm, as it stands in URLs.
  var realm: String { get }
}
