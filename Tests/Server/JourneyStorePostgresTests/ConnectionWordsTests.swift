import JourneyStore
import Testing

@testable import JourneyStorePostgres

/// What libpq says, with the words of OpenSSL and the resolver in it, reaches nobody.
@Suite struct ConnectionWordsTests {
  @Test(arguments: [
    (
      "connection to server at \"127.0.0.1\", port 1 failed: Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?",
      "nothing answers there"
    ),
    (
      "could not translate host name \"nowhere.invalid\" to address: Name or service not known",
      "no machine has that name"
    ),
    (
      "connection to server at \"db\" (10.0.0.1), port 5432 failed: SSL error: certificate verify failed",
      "its TLS certificate is not trusted"
    ),
    (
      "server certificate for \"a\" does not match host name \"b\"",
      "its TLS certificate is not for that host"
    ),
    ("root certificate file \"/x\" does not exist", "sslrootcert"),
    ("server does not support SSL, but SSL was required", "does not use TLS"),
    (
      "connection to server at \"db\" failed: FATAL:  password authentication failed for user \"u\"",
      "refuses this user or password"
    ),
    ("connection to server at \"db\" failed: FATAL:  database \"d\" does not exist", "create it first"),
    (
      "connection to server at \"db\" failed: FATAL:  sorry, too many clients already",
      "reached its limit of connections"
    ),
    ("FATAL:  the database system is starting up", "starting or stopping"),
    (
      "server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally",
      "the connection was lost"
    ),
    ("invalid sslmode value: \"nonsense\"", "option or value that libpq does not know"),
    ("SSL SYSCALL error: EOF detected", "no TLS connection"),
    ("something new", "the log of PostgreSQL has the reason"),
  ])
  func `each way in which libpq fails`(words: String, said: String) {
    let text = "\(StoreError.translating(PostgresError(libpq: words), place: "db/d", subject: "mira"))"
    #expect(text.contains(said), "\(text)")
    for foreign in ["FATAL", "SSL error", "SSL was", "connection to server", "port 1", "SYSCALL"] {
      #expect(!text.contains(foreign), "\(text)")
    }
  }
}
