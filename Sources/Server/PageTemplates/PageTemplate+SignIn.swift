internal import CEmbeddedFiles

extension PageTemplate {
  /// The page on which people run journeys.
  static let signInPage: [PageTemplate] = [signIn]

  package static let signIn = PageTemplate("signIn", .signIn_mustache)
}
