internal import WebAddresses

/// The rules for the redirect addresses of a client.
enum RedirectAddress {
  /// The kinds of addresses that can be registered, for the message that refuses any other.
  static let rule =
    "an https address, an http address of this machine, or one of an app's own scheme (com.example.app:/…), without a fragment"

  /// Whether `uri` leads to the client, and not to anything that a browser or the system handles itself.
  static func isAcceptable(_ uri: String) -> Bool {
    guard uri.utf8.count <= 2048, !uri.contains("#"), uri.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      let scheme = scheme(of: uri)
    else { return false }
    if scheme == "http" || scheme == "https" { return WebOrigin(address: uri)?.isConfidential == true }
    guard scheme.utf8.first.map({ (0x61...0x7A).contains($0) }) == true,
      scheme.utf8.allSatisfy({
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E].contains($0)
      })
    else { return false }
    return scheme.contains(".") || isPrivate(scheme) && uri.dropFirst(scheme.count).hasPrefix(":/")
  }

  /// The address's scheme, if it is an app's own without the dot that RFC 8252 §7.1 demands. Such schemes are common with PingAM; nothing
  /// keeps two apps from having the same one.
  static func schemeWithoutDot(of uri: String) -> String? {
    guard let scheme = scheme(of: uri), !["http", "https"].contains(scheme), !scheme.contains(".") else {
      return nil
    }
    return scheme
  }

  private static func scheme(of uri: String) -> String? {
    uri.firstIndex(of: ":").map { uri[..<$0].lowercased() }
  }

  /// Whether a scheme without a dot can be an app's own. Single letters are drives, and any site can ask the browser for a `web+` scheme.
  private static func isPrivate(_ scheme: String) -> Bool {
    scheme.utf8.count > 2 && !taken.contains(scheme) && !takenPrefixes.contains(where: scheme.hasPrefix)
  }

  private static let takenPrefixes = ["web+", "ms-", "chrome", "moz-", "safari-", "itms", "facetime"]

  /// Schemes that browsers and systems handle: they run, read, or connect to somebody else.
  private static let taken: Set<String> = [
    "about", "acap", "android-app", "app-settings", "blob", "cid", "content", "data", "dav", "dns",
    "edge", "feed", "file", "filesystem", "firefox", "ftp", "ftps", "geo", "git", "gopher", "http+unix",
    "imap", "intent", "ipfs", "ipp", "irc", "ircs", "jar", "javascript", "ldap", "ldapi", "ldaps",
    "livescript", "magnet", "mailto", "maps", "market", "mhtml", "microsoft-edge", "mid", "mms",
    "mocha", "news", "nfs", "nntp", "opera", "pop", "prefs", "rdp", "res", "resource", "rsync", "rtmp",
    "rtsp", "search-ms", "sftp", "shell", "shortcuts", "sip", "sips", "sms", "smsto", "smb", "ssh",
    "svn", "tel", "telnet", "tftp", "urn", "vbscript", "view-source", "vnc", "webcal", "ws", "wss",
    "wyciwyg", "x-apple", "xmpp",
  ]
}
