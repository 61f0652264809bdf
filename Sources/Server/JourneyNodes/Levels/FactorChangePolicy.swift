public import Foundation

/// What whoever changes an account's factors has to have shown: its devices, recovery codes and password.
public struct FactorChangePolicy: Sendable, Hashable {
  public enum Requirement: String, Sendable, Hashable, CaseIterable {
    /// Any session, any journey, as in PingAM.
    case any

    /// A session or run whose user proved who they are a moment ago.
    case fresh

    /// The same, with a proof as strong as the strongest factor that the user has.
    case strong
  }

  /// What holds in realms without a requirement of their own.
  public var standard: Requirement

  /// By realm.
  public var realms: [String: Requirement]

  /// How long ago a proof may be. Seconds.
  public var maximumAge: TimeInterval

  /// The level that `strong` asks of users who have more than a password.
  public static let strongLevel = 2

  public init(
    standard: Requirement = .any, realms: [String: Requirement] = [:], maximumAge: TimeInterval = 300
  ) {
    self.standard = standard
    self.realms = realms
    self.maximumAge = maximumAge
  }

  public func requirement(for realm: String) -> Requirement { realms[realm] ?? standard }

  /// What an operator of a server that the internet reaches should know; `nil` when all of `realms` ask for something.
  public func warning(publicURL: String?, realms: [String]) -> String? {
    guard let publicURL, let host = URL(string: publicURL)?.host(), !Self.isLoopback(host) else { return nil }
    let open = realms.filter { requirement(for: $0) == .any }
    guard !open.isEmpty else { return nil }
    return "any session may add and delete devices and change the password in "
      + "\(open.count == 1 ? "realm" : "realms") \(open.joined(separator: ", ")): "
      + "start with --factor-changes strong, or fresh"
  }

  private static func isLoopback(_ host: String) -> Bool {
    let host = host.trimmingCharacters(in: ["[", "]"]).lowercased()
    return host == "localhost" || host.hasSuffix(".localhost") || host == "::1" || host.hasPrefix("127.")
  }
}
