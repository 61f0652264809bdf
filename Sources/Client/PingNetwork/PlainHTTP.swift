public import Foundation
internal import WebAddresses

/// Where requests may go without TLS: anyone on the way can read the passwords and sessions that they carry.
package enum PlainHTTP {
  /// Refuses `http` to other machines.
  ///
  /// - Parameters:
  ///   - address: The request's address. The rule applies to the scheme `http` only.
  ///   - isAllowed: Whether the app has opted out of the rule.
  /// - Throws: ``InsecureAddressError``
  package static func check(_ address: String, isAllowed: Bool) throws(InsecureAddressError) {
    guard !isAllowed, address.prefix(5).lowercased() == "http:" else { return }
    guard WebOrigin(address: address)?.isConfidential != true else { return }
    throw InsecureAddressError(address: address)
  }
}

/// A request was not sent because anyone on the way could have read it.
public struct InsecureAddressError: LocalizedError, Sendable, Hashable {
  /// Where it would have gone, without the query.
  public let address: String

  init(address: String) { self.address = String(address.prefix { $0 != "?" && $0 != "#" }.prefix(200)) }

  public var errorDescription: String? { "The request was not sent: \(explanation)" }

  public var failureReason: String? { "\(address) is not encrypted, and the server is on another machine." }

  public var recoverySuggestion: String? { "Use an https address; for tests, set allowsInsecureHTTP." }

  /// The reason, and what to do.
  package var explanation: String {
    "\(address) is not encrypted, and the server is on another machine. Use https; for tests, set allowsInsecureHTTP."
  }
}
