package import BindingFormats
package import Foundation

/// What has been going on: runs of journeys, counts for plots, and how many devices there are of each kind. For people who look, not
/// for decisions: nothing that is judged here is read again.
package protocol ActivityStore: Sendable {
  /// Adds parts of runs and counts, in one write. Counts add up with what is there.
  func note(_ attempts: [SignInAttempt], _ counts: [ActivityCount]) async throws

  /// The latest runs in which the name was known, the latest first.
  func attempts(of account: UniversalID, limit: Int) async throws -> [SignInAttempt]

  /// What the account's runs came to before `date`, the latest first: a mark for each pause that a run made, and for its end. Runs with its
  /// name from before the account was created are not the account's.
  func marks(of account: UniversalID, before date: Date, limit: Int) async throws -> [SignInAttempt.Mark]

  /// The realm's latest runs before `date`, the latest first.
  func attempts(realm: String, before date: Date, limit: Int) async throws -> [SignInAttempt]

  /// One run; `nil` when it is not kept (any more).
  func attempt(run: String, realm: String) async throws -> SignInAttempt?

  /// The counts of a series from `start` on and before `end`, by period and label.
  func counts(
    _ series: ActivityCount.Series, _ grain: ActivityCount.Grain, realm: String, from start: Date,
    to end: Date
  ) async throws -> [ActivityCount]

  /// How often each connection of the journey was taken since `start`, by ``ActivityCount/edge(journey:node:outcome:)``.
  func edges(journey: String, realm: String, since start: Date) async throws -> [String: Int]

  /// How many devices the realm has, by kind, model and attestation. Looks at every device of the realm.
  func deviceCounts(realm: String) async throws -> [DeviceCount]

  /// Removes what is older than it is kept.
  func removeOldActivity(now: Date) async throws
}

/// How many devices are alike.
package struct DeviceCount: Sendable, Hashable {
  /// `bound`, `webauthn`, `oath` or `push`.
  package var kind: String

  /// What the kind knows of the model: the platform of a push device, an authenticator's AAGUID, an algorithm; may be empty.
  package var model: String

  /// What vouches for the key: `none`, or the kind of the attestation.
  package var attestation: String
  package var count: Int

  package init(kind: String, model: String, attestation: String, count: Int) {
    self.kind = kind
    self.model = model
    self.attestation = attestation
    self.count = count
  }
}
