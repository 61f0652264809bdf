extension ServerConfiguration {
  /// Whether only this machine reaches the server.
  var isLoopback: Bool { host.lowercased() == "localhost" || IPAddress(host)?.isLoopback == true }

  /// - Throws: ``ServerSetupError`` when passwords would go over the network in clear, and nobody said that they may.
  func requireSafeTransport() throws(ServerSetupError) {
    guard !isLoopback, tls == nil, trustedProxies.isEmpty, !allowsInsecureHTTP else { return }
    throw ServerSetupError(
      "Plain HTTP on \(host) would let others on the network read passwords and sessions. Give --tls-certificate and "
        + "--tls-key, or --trusted-proxy for a proxy that speaks TLS; --insecure-http allows it all the same."
    )
  }
}
