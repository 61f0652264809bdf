public import BindingFormats

/// What is read in the write that uses up the step of a journey.
public protocol StepStore: Sendable {
  /// Consumes `step` as ``OnceStore/consume(_:until:)`` does, and reads the account, in one write and one visit of the database.
  /// Exactly one caller is told of the account; what the others asked for is not looked at.
  func user(_ account: UniversalID, using step: OnceKey) async throws -> StepReading
}

/// What became of ``StepStore/user(_:using:)``.
public enum StepReading: Sendable, Hashable {
  /// Nobody has used the step before. The account is as it was then; `nil` when there is none.
  case first(UserRecord?)

  /// Somebody has.
  case used
}
