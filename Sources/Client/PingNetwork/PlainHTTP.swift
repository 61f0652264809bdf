public import Foundation
internal import WebAddresses

/// The rules for requests without TLS: anyone on the network path can read the passwords and sessions that they carry.
package enum PlainHTTP {
  /// Refuses `http` to other machines, through proxies and to programs of other users of this machine, and any proxy for this machine.
  ///
  /// - Parameters:
  ///   - address: The request's address.
  ///   - isAllowed: Whether the app has opted out of the rules about other machines and users. The rules about proxies always apply.
  /// - Throws: ``InsecureAddressError``
  package static func check(_ address: String, isAllowed: Bool) throws(InsecureAddressError) {
    try checkMachine(address, isAllowed: isAllowed)
    try checkWay(address, isAllowed: isAllowed, proxies: .process, listeners: .machine)
  }

  /// Refuses `http` to other machines, judging by the address alone.
  package static func checkMachine(_ address: String, isAllowed: Bool) throws(InsecureAddressError) {
    guard !isAllowed, isPlain(address) else { return }
    guard WebOrigin(address: address)?.isConfidential != true else { return }
    throw InsecureAddressError(address: address, .otherMachine)
  }

  /// Refuses a proxy for requests that are not encrypted or go to this machine, and `http` to programs of other users.
  package static func checkWay(
    _ address: String, isAllowed: Bool, proxies: ProxySettings = .process,
    listeners: LoopbackListeners = .machine
  ) throws(InsecureAddressError) {
    // An address that does not parse counts as another machine's, and `checkMachine` refuses it when it is not encrypted.
    guard let origin = WebOrigin(address: address), !origin.isHTTPS || origin.isLoopback else { return }
    if let variable = proxies.variable(for: origin) {
      throw InsecureAddressError(address: address, .proxy(variable: variable, isOfMachine: origin.isLoopback))
    }
    guard !isAllowed, !origin.isHTTPS, let stranger = listeners.stranger(at: origin) else { return }
    throw InsecureAddressError(address: address, .stranger(user: stranger.user))
  }

  private static func isPlain(_ address: String) -> Bool { address.prefix(5).lowercased() == "http:" }
}

/// The error for a request that was not sent because others could have read it.
public struct InsecureAddressError: LocalizedError, Sendable, Hashable {
  /// The request's address, without the query.
  public let address: String

  package let reason: Reason

  /// How an app permits such requests, as its advice says it. A program with an option for that names the option instead.
  package static let permission = "set allowsInsecureHTTP"

  package enum Reason: Sendable, Hashable {
    case otherMachine
    /// The environment variable `variable` names a proxy, which would have received the request.
    case proxy(variable: String, isOfMachine: Bool)
    /// A program of the user with that number listens there; `nil` when the user cannot be found out.
    case stranger(user: UInt32?)
  }

  init(address: String, _ reason: Reason) {
    self.address = String(address.prefix { $0 != "?" && $0 != "#" }.prefix(200))
    self.reason = reason
  }

  public var errorDescription: String? { "The request was not sent: \(explanation)" }

  public var failureReason: String? { problem + "." }

  public var recoverySuggestion: String? {
    switch reason {
    case .otherMachine: "Use an https address; for tests, \(Self.permission)."
    case .proxy: proxyAdvice
    case .stranger: "Check who runs the server; to trust that user, \(Self.permission)."
    }
  }

  /// The reason, and what to do.
  package var explanation: String {
    switch reason {
    case .otherMachine: "\(problem). Use https; for tests, \(Self.permission)."
    case .proxy, .stranger: "\(problem). \(recoverySuggestion ?? "")"
    }
  }

  /// The reason in words, without a full stop.
  package var problem: String {
    switch reason {
    case .otherMachine: "\(address) is not encrypted, and the server is on another machine"
    case .proxy(let variable, true): "\(address) is this machine, and the proxy in \(variable) would get it"
    case .proxy(let variable, false):
      "\(address) is not encrypted, and the proxy in \(variable) would read it"
    case .stranger(let user?):
      "a program of another user of this machine (uid \(user)) listens at \(address), and could be anything"
    case .stranger(nil): "so many programs listen on this machine that nobody can tell whose \(address) is"
    }
  }

  /// What to do about a proxy.
  package var proxyAdvice: String {
    let host = WebOrigin(address: address)?.host.trimmingCharacters(in: ["[", "]"]) ?? "the host"
    return "Add \(host) to the environment variable no_proxy."
  }
}
