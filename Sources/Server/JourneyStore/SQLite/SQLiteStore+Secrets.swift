internal import GRDB

extension SQLiteStore {
  /// Secrets are encrypted under the server key; see ``ServerKey``.
  public func secret(named name: String, generate: @Sendable () -> [UInt8]) async throws -> [UInt8] {
    if let sealed = try await read({ try $0.sealedSecret(named: name) }) {
      return try serverKey.open(sealed, named: name, in: "server_secrets")
    }
    let secret = generate()
    let stored = try await write("the secret \(name)") { [serverKey] db in
      let fresh = try serverKey.seal(secret, named: name)
      // Of two servers that start at once, the first one's stays.
      try db.change(
        "INSERT INTO server_secrets (name, sealed) VALUES (?, ?) ON CONFLICT DO NOTHING", [name, fresh])
      return try db.sealedSecret(named: name)
    }
    guard let stored else {
      throw StoreError.corrupt("table server_secrets: \(name) was stored and is not there")
    }
    return try serverKey.open(stored, named: name, in: "server_secrets")
  }
}

extension Database {
  func sealedSecret(named name: String) throws -> [UInt8]? {
    try all("server_secrets", "SELECT sealed FROM server_secrets WHERE name = ?", [name]) { try $0.bytes() }
      .first
  }
}
