extension PostgresError {
  /// The error when no connection could be made, or it was lost.
  ///
  /// - Parameter words: libpq's message, which differs by version and system, and often includes words of OpenSSL, the resolver or the
  ///   server. It is translated; a message that is not known here is only called a failure.
  init(libpq words: String, isUncertain: Bool = false) {
    self.init(Self.meaning(of: words.lowercased()), isUncertain: isUncertain)
  }

  /// The most telling meaning: libpq reports all attempts, the last one last.
  private static func meaning(of words: String) -> String {
    meanings.first { meaning in meaning.parts.contains { words.contains($0) } }?.text
      ?? "no connection could be made; the log of PostgreSQL has the reason"
  }

  private static let meanings: [(parts: [String], text: String)] = [
    (["match host name"], "its TLS certificate is not for that host"),
    (
      ["certificate verify failed", "root certificate", "server certificate"],
      "its TLS certificate is not trusted: check that sslrootcert names its authority, and that the certificate names the host"
    ),
    (
      ["private key file", "certificate file"],
      "the client's certificate or key (sslcert, sslkey) cannot be used"
    ),
    (
      [
        "password authentication failed", "no password supplied", "authentication method",
        "peer authentication",
      ],
      "it refuses this user or password"
    ),
    (["pg_hba.conf"], "it accepts no connection of this user from this machine (pg_hba.conf)"),
    (["role \"", "user \""], "it does not know this user, or does not let it in"),
    (["database \""], "it has no such database; create it first"),
    (
      ["too many clients", "remaining connection slots", "no more connections"],
      "it has reached its limit of connections"
    ),
    (
      ["starting up", "shutting down", "recovery mode", "not accepting"],
      "it is starting or stopping; try again in a moment"
    ),
    (
      ["read-only", "hot standby", "not primary", "not read-write"],
      "the server takes no writes; name the primary"
    ),
    (["does not support ssl", "ssl was required"], "it does not use TLS, which sslmode asks for"),
    (
      ["invalid connection option", "invalid sslmode", "invalid port", "invalid uri", "missing key"],
      "the address of the database has an option or value that libpq does not know"
    ),
    (
      ["could not translate host name", "name or service not known", "name resolution"],
      "no machine has that name"
    ),
    (["timeout", "timed out"], "it did not answer in time"),
    (
      ["refused", "no such file", "no route", "unreachable"],
      "nothing answers there; check host and port, and that PostgreSQL runs"
    ),
    (["ssl", "tls"], "no TLS connection could be made"),
    (["closed", "terminat", "reset", "broken pipe", "lost", "no connection"], "the connection was lost"),
  ]
}
