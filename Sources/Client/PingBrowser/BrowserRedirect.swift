/// Where a request's redirect is to go.
package enum BrowserRedirect {
  /// Runs `body` with the address to be used as `redirect_uri`: `address`, or, where that is a loopback address without a port, the same
  /// with a free port that is listened on (RFC 8252 §7.3).
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
