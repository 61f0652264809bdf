package import BindingFormats
package import Foundation
package import JourneyEngine
package import JourneyStore
package import StrictJSON

/// Decides by a ``FactorChangePolicy`` whether an account's factors may be changed.
package struct FactorChangeCheck: Sendable {
  package let policy: FactorChangePolicy
  private let store: any FactorStore & SessionStore
  private let clock: @Sendable () -> Date

  package init(
    policy: FactorChangePolicy, store: any FactorStore & SessionStore, clock: @escaping @Sendable () -> Date
  ) {
    self.policy = policy
    self.store = store
    self.clock = clock
  }

  /// A proof of identity: how strong and when.
  package struct Proof: Sendable {
    let authLevel: Int
    let authenticatedAt: Date

    package init(authLevel: Int, authenticatedAt: Date) {
      self.authLevel = authLevel
      self.authenticatedAt = authenticatedAt
    }

    package init(_ session: SessionRecord) {
      self.init(authLevel: session.authLevel, authenticatedAt: session.authenticatedAt)
    }
  }

  package enum Permission: Sendable, Hashable {
    case granted

    /// A password is enough only for the first factor; the write that adds it must check that again.
    case onlyAsFirstFactor
  }

  /// Whether `actor` may change factors of an account of `realm`: one of the actor's proofs must suffice alone.
  ///
  /// - Throws: ``StepUpNeeded``, or the store's error.
  package func permission(
    realm: String, actor: UniversalID, proofs: [Proof]
  ) async throws -> Permission {
    let requirement = policy.requirement(for: realm)
    guard requirement != .any else { return .granted }
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

  /// What a node that changes factors of `user` may do: by what the run has proven about them, or by the session that the client
  /// presented at its start, if it is theirs and still alive.
  ///
  /// - Throws: ``NodeRefusal``, which tells the client what to do, or the store's error.
  package func permission(for user: UserRecord, _ context: NodeContext) async throws -> Permission {
    guard policy.requirement(for: user.realm) != .any else { return .granted }
    var proofs: [Proof] = []
    if let username = context.state.username, let moment = context.state.authenticatedAt,
      UniversalID(username: username, realm: user.realm) == user.account
    {
      proofs.append(Proof(authLevel: context.state.authLevel, authenticatedAt: moment))
    }
    if let session = context.session,
      let record = try await store.session(tokenHash: session.tokenHash, now: clock()),
      UniversalID(username: record.username, realm: record.realm) == user.account
    {
      proofs.append(Proof(record))
    }
    do { return try await permission(realm: user.realm, actor: user.account, proofs: proofs) } catch let
      needed
      as StepUpNeeded
    {
      throw NodeRefusal(
        "factors may be changed only after \(needed.description); neither the journey nor the session "
          + "presented at its start has that", detail: needed.detail)
    }
  }
}

/// The user must prove more before factors change.
package struct StepUpNeeded: Error, Sendable, Hashable, CustomStringConvertible {
  /// The lowest level that will do; 0 when only time is lacking.
  package let authLevel: Int

  /// How long ago the proof may be. Seconds.
  package let maximumAge: TimeInterval

  /// Where to prove it.
  package let realm: String

  package var description: String {
    "a sign-in of at most \(Int(maximumAge)) seconds ago"
      + (authLevel > 0 ? " with at least authentication level \(authLevel)" : "")
  }

  /// For the client, with the advice in the form of PingAM's policies.
  package var detail: JSONObject {
    [
      "errorCode": "stepUpRequired", "authLevel": .integer(Int64(authLevel)),
      "maximumAge": .integer(Int64(maximumAge)),
      "advices": ["AuthLevelConditionAdvice": [.string(String(authLevel))]],
    ]
  }
}
