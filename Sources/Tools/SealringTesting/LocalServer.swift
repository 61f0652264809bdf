package import Assembly

/// A server in this process, on the configured port or a free one.
package enum LocalServer {
  /// Runs a server while `body` runs; `body` gets its port.
  ///
  /// - Throws: Errors of `body`, errors at the start of the server, or ``TestServerError/ended``.
  package static func run<Result>(
    _ configuration: ServerConfiguration, _ body: (SealringServer, _ port: Int) async throws -> Result
  ) async throws -> Result {
    let server = try await SealringServer.make(configuration)
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { listening.finish() }
        try await server.run { listening.yield($0) }
      }
      defer { group.cancelAll() }
      for await port in ports { return try await body(server, port) }
      try await group.waitForAll()
      throw TestServerError.ended
    }
  }
}
