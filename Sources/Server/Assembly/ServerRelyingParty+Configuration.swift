internal import JourneyNodes

extension ServerRelyingParty {
  /// The relying party of a server: of its public URL, else of the address that it listens on.
  ///
  /// - Parameter port: the port that is listened on, once it is known.
  static func provider(
    _ configuration: ServerConfiguration, port: @escaping @Sendable () -> Int
  ) -> @Sendable () -> ServerRelyingParty {
    let (host, more) = (configuration.host, configuration.webAuthnOrigins)
    let scheme = configuration.tls == nil ? "http" : "https"
    guard let publicURL = configuration.publicURL else {
      return { ServerRelyingParty(listeningOn: host, port: port(), scheme: scheme, origins: more) }
    }
    let fixed = ServerRelyingParty(publicURL: publicURL, origins: more)
    return { fixed }
  }
}
