import ArgumentParser
import Foundation
import Assembly
import PrivateFiles

/// The limits of requests per address, and the minimum length of passwords.
struct LimitOptions: ParsableArguments, ServerOptionGroup {
  @Option(
    help:
      "Requests a minute that one address may send (docs/limits.md). Default: \(ServerLimits().requestsPerAddress ?? 0)."
  )
  var rateLimit: Int?

  @Option(help: "Maximum number of open connections (docs/limits.md).")
  var maxConnections = ServerLimits().connections

  @Option(help: "Maximum number of open connections of one address, trusted proxies excepted.")
  var maxConnectionsPerAddress = ServerLimits().connectionsPerAddress

  @Option(
    help: """
      Minimum length of a new password, from 8 to 64. Use 15 where the password is the only factor \
      (NIST SP 800-63B-4).
      """)
  var passwordMinimum = ServerConfiguration.standard.passwordMinimum

  func validate() throws {
    if let rateLimit, rateLimit < 1 { throw ValidationError("--rate-limit is a number above 0.") }
    guard maxConnections > 0 else { throw ValidationError("--max-connections is a number above 0.") }
    guard maxConnectionsPerAddress > 0 else {
      throw ValidationError("--max-connections-per-address is a number above 0.")
    }
    try ServerConfiguration.passwordMinimums.require(passwordMinimum, for: "--password-minimum")
  }

  func apply(to configuration: inout ServerConfiguration) throws {
    if let rateLimit { configuration.limits.requestsPerAddress = rateLimit }
    configuration.limits.connections = maxConnections
    configuration.limits.connectionsPerAddress = maxConnectionsPerAddress
    configuration.passwordMinimum = passwordMinimum
  }
}
