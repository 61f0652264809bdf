package import BindingFormats
package import Foundation
package import JourneyStore
package import StrictJSON

/// Decides by a ``FactorChangePolicy`` whether an account's factors may be changed.
package struct FactorChangeCheck: Sendable {
  package let policy: FactorChangePolicy
  let store: any ServerStore
  let clock: @Sendable () -> Date

  /// A proof of identity: how strong and when.
  package struct Proof: Sendable {
    let authLevel: Int
    let authenticatedAt: Date
  }

  package enum Permission: Sendable, Hashable {
    case granted

    /// A password is enough only for the first factor; the write that adds it must check that again.
    case onlyAsFirstFactor
  }

  /// Whether `actor` may change factors of an account of `realm`: one of the actor's proofs must suffice alone.
  ///
  /// - Parameter proofs: Read only if they matter.
  /// - Throws: ``StepUpNeeded``, or the store's error.
  package func permission(
    realm: String, actor: UniversalID, proofs: @autoclosure () async throws -> [Proof]
  ) async throws -> Permission {
    let requirement = policy.requirement(for: realm)
    guard requirement != .any else { return .granted }
    let proofs = try await proofs()
    let earliest = clock().addingTimeInterval(-policy.maximumAge)
    let levels = proofs.filter { $0.authenticatedAt >= earliest }.map(\.authLevel)
    let lacksStrength = requirement == .strong && levels.allSatisfy { $0 < FactorChangePolicy.strongLevel }
    let needed: Int? =
      if lacksStrength, try await store.hasFactors(of: actor) {
        FactorChangePolicy.strongLevel
      } else {
        levels.isEmpty ? 0 : nil
      }
    if let needed { throw StepUpNeeded(authLevel: needed, maximumAge: policy.maximumAge, realm: actor.realm) }
    return lacksStrength ? .onlyAsFirstFactor : .granted
  }

  /// Lets a session use the rights of its account's roles only when it has proven as much as the account's factors allow. Somebody who
  /// knows only the password of an administrator with a second factor gets none of them.
  ///
  /// - Throws: ``StepUpNeeded``, or the store's error.
  package func requireStrength(of session: SessionRecord) async throws {
    guard session.authLevel < FactorChangePolicy.strongLevel,
      try await store.hasFactors(of: UniversalID(username: session.username, realm: session.realm))
    else { return }
    throw StepUpNeeded(authLevel: FactorChangePolicy.strongLevel, maximumAge: nil, realm: session.realm)
  }
}

extension FactorChangeCheck.Proof {
  init(_ session: SessionRecord) {
    self.init(authLevel: session.authLevel, authenticatedAt: session.authenticatedAt)
  }
}

/// Says that the person must prove more first.
package struct StepUpNeeded: Error, Sendable, Hashable, CustomStringConvertible {
  /// The lowest level that is enough; 0 when only a fresher proof is needed.
  package let authLevel: Int

  /// The greatest age of the proof in seconds; `nil` for as long as the session lives.
  package let maximumAge: TimeInterval?

  /// The realm in which to prove it.
  package let realm: String

  package var description: String {
    let level = authLevel > 0 ? "at least authentication level \(authLevel)" : nil
    guard let maximumAge else { return "a session with \(level ?? "a proof")" }
    return "a sign-in of at most \(Int(maximumAge)) seconds ago" + (level.map { " with \($0)" } ?? "")
  }

  /// For the client, with the advice in the form of PingAM's policies.
  package var detail: JSONObject {
    var detail: JSONObject = ["errorCode": "stepUpRequired", "authLevel": .integer(Int64(authLevel))]
    detail["maximumAge"] = maximumAge.map { .integer(Int64($0)) }
    detail["advices"] = ["AuthLevelConditionAdvice": [.string(String(authLevel))]]
    return detail
  }
}
