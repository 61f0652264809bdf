public import Foundation
internal import JourneyStore

/// What a user must have proven before an account's factors change: its ways to sign in, or to get in again.
public struct FactorChangePolicy: Sendable, Hashable {
  public enum Requirement: String, Sendable, Hashable, CaseIterable {
    /// Any session, any journey, as in PingAM.
    case any

    /// A session or run whose user has just proven who they are.
    case fresh

    /// The same, with a proof as strong as the strongest factor that the user has.
    case strong
  }

  /// The requirement of realms without one of their own; `nil` when none was chosen, which means ``Requirement/any`` and is accepted only
  /// by a server that others cannot reach.
  public var standard: Requirement?

  /// By realm, in any case: a realm that was deleted may be created again in another.
  public var realms: [String: Requirement]

  /// The greatest age of a proof. Seconds.
  public var maximumAge: TimeInterval

  /// The level that `strong` asks of users who have more than a password.
  public static let strongLevel = 2

  public init(
    standard: Requirement? = nil, realms: [String: Requirement] = [:], maximumAge: TimeInterval = 300
  ) {
    self.standard = standard
    self.realms = realms
    self.maximumAge = maximumAge
  }

  public func requirement(for realm: String) -> Requirement {
    realms[realm] ?? realms.first { RealmKey($0.key) == RealmKey(realm) }?.value ?? standard ?? .any
  }

  /// The subset of `realms` in which any session may change factors, which a public server should not allow.
  package func open(_ realms: [String]) -> [String] { realms.filter { requirement(for: $0) == .any } }
}
