extension OpenIDClient {
  /// Whether the person may be sent to `uri`: a registered address, byte by byte (RFC 9700 §4.1.3).
  ///
  /// `http://127.0.0.1/PATH` and `http://[::1]/PATH`, registered without a port, allow any port (RFC 8252 §7.3), because a program on the
  /// person's machine gets a free one from the system. Other programs there can get one, too; PKCE binds codes to the program.
  package func allowsRedirect(to uri: String) -> Bool {
    redirectURIs.contains { registered in
      registered.utf8.elementsEqual(uri.utf8)
        || Self.loopbacks.contains { Self.isOfProgram(uri, on: $0, registered) }
    }
  }

  private static let loopbacks = ["http://127.0.0.1", "http://[::1]"]

  private static func isOfProgram(_ uri: String, on loopback: String, _ registered: String) -> Bool {
    guard registered.hasPrefix(loopback + "/"), uri.hasPrefix(loopback + ":") else { return false }
    let rest = uri.dropFirst(loopback.count + 1)
    let digits = rest.prefix { $0 != "/" }
    guard let port = UInt16(digits), port > 0, digits == String(port) else { return false }
    return rest.dropFirst(digits.count).utf8.elementsEqual(registered.dropFirst(loopback.count).utf8)
  }
}
