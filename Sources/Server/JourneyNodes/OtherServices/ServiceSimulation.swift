internal import Bytes

/// The outcomes that nodes for third-party services take on this server, which cannot ask those services. For tests.
///
/// A node whose service is not simulated fails when a journey reaches it. A simulated decision proves nothing: it comes from the
/// server's configuration alone, never from a journey's file or a client, and each one is a security event.
public struct ServiceSimulation: Sendable, Hashable {
  /// A third-party service.
  public enum Service: String, Sendable, Hashable, CaseIterable {
    case protect, captcha, verify, saml

    /// For people.
    public var title: String { facts.title }

    /// The outcomes of its nodes; `nil` where they depend on the node.
    var outcomes: [String]? { facts.outcomes }

    /// An outcome, for messages that say how to choose one.
    var example: String { facts.example }

    private var facts: (title: String, outcomes: [String]?, example: String) {
      switch self {
      case .protect:
        ("PingOne Protect", ["high", "medium", "low", "exceed", "failure", "clientError"], "low")
      case .captcha: ("reCAPTCHA", ["true", "false"], "true")
      case .verify: ("PingOne Verify", nil, "success")
      case .saml: ("SAML", nil, "NO_ACCOUNT")
      }
    }
  }

  /// An unknown choice: one sentence that names it and the known ones.
  public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String
  }

  private var chosen: [Service: String] = [:]

  /// Nothing is simulated.
  public init() {}

  /// - Parameter choices: `SERVICE=OUTCOME` each, such as `protect=low`.
  public init(_ choices: [String]) throws(Problem) {
    for choice in choices {
      let parts = choice.parts(separatedBy: UInt8(ascii: "="), most: 2).map(String.init)
      guard parts.count == 2, let service = Service(rawValue: parts[0]) else {
        let services = Service.allCases.map(\.rawValue).joined(separator: ", ")
        throw Problem(
          description:
            "\(choice.debugDescription) is not SERVICE=OUTCOME, such as protect=low; services are \(services)"
        )
      }
      guard chosen[service] == nil else {
        throw Problem(description: "an outcome of \(service.rawValue) is chosen twice")
      }
      try simulate(service, as: parts[1])
    }
  }

  /// Lets the nodes of `service` take `outcome`.
  public mutating func simulate(_ service: Service, as outcome: String) throws(Problem) {
    if let outcomes = service.outcomes, !outcomes.contains(outcome) {
      throw Problem(
        description:
          "\(service.rawValue) has no outcome \(outcome.debugDescription); there are \(outcomes.joined(separator: ", "))"
      )
    }
    guard (1...128).contains(outcome.utf8.count), outcome.onOneLine == outcome else {
      throw Problem(
        description: "the outcome of \(service.rawValue) is not a name of 1 to 128 visible characters")
    }
    chosen[service] = outcome
  }

  /// These choices, overridden by those of `other`.
  public func overridden(by other: ServiceSimulation) -> ServiceSimulation {
    var all = self
    all.chosen.merge(other.chosen) { $1 }
    return all
  }

  public var isEmpty: Bool { chosen.isEmpty }

  /// The outcome of the nodes of `service`; `nil` when it is not simulated.
  public subscript(service: Service) -> String? { chosen[service] }

  /// Each choice, for people: `PingOne Protect (low)`.
  public var summary: String {
    Service.allCases.compactMap { service in chosen[service].map { "\(service.title) (\($0))" } }
      .joined(separator: ", ")
  }
}
