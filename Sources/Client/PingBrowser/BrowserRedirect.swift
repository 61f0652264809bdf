/// Chooses the address of a request's redirect.
package enum BrowserRedirect {
  /// Runs `body` with the address to use as `redirect_uri`. That is `address`; for a loopback address without a port, it is the same
  /// address with a free port, on which this process listens (RFC 8252 §7.3).
  package static func with<Value: Sendable>(
    _ address: String, isolation: isolated (any Actor)? = #isolation, _ body: (String) async throws -> Value
  ) async throws -> Value {
    #if !canImport(AuthenticationServices)
      if LoopbackRedirect.leavesPortOpen(address) {
        let reserved = try LoopbackRedirect(address)
        return try await LoopbackRedirect.$reserved.withValue(reserved) { try await body(reserved.address) }
      }
    #endif
    return try await body(address)
  }
}
