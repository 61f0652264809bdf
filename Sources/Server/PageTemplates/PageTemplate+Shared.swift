internal import CEmbeddedFiles

extension PageTemplate {
  /// What pages of several parts use.
  static let shared: [PageTemplate] = [layout, plain, pager, error, home, verify, verifyFile]

  /// A page with everything around it. Pages fill its blocks.
  static let layout = PageTemplate("layout", .layout_mustache)

  /// A page of one card, for those who are not signed in.
  static let plain = PageTemplate("plain", .plain_mustache)

  static let pager = PageTemplate("pager", .pager_mustache)

  package static let error = PageTemplate("error", .error_mustache)
  package static let home = PageTemplate("home", .home_mustache)
  package static let verify = PageTemplate("verify", .verify_mustache)

  /// The choice of a file to verify, and what it says.
  static let verifyFile = PageTemplate("verifyFile", .verifyFile_mustache)

  /// Every template. A part of the server lists its own in a file of its own.
  static var all: [PageTemplate] { shared + account + signInPage + consentPages + administration }
}
