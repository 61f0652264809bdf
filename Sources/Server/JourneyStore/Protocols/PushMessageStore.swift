public import BindingFormats
public import Foundation

/// The messages that push devices have to answer, and what limits them.
public protocol PushMessageStore: Sendable {
  /// Stores an enrolment that a device may answer. Throws ``StoreError/missing(_:)`` without the user.
  ///
  /// - Parameter id: the id that the account must have; `nil` for whoever has the name.
  func openPushEnrolment(_ message: PushMessageRecord, id: String?) async throws

  /// Stores a question and what each device gets, if the user's limits allow it: one conditional write.
  ///
  /// - Parameter step: the answered step of the journey that asks. The same write consumes it, whatever the limits say; when it
  ///   was consumed before, nothing else happens. `nil` when there is none, or somebody has consumed it.
  func openPushMessage(
    _ message: PushMessageRecord, inboxes: [PushInboxItem], limits: PushLimits, using step: OnceKey?
  ) async throws -> PushOpening

  /// The message as it is, or `nil` when there is none.
  func pushMessage(id: String, realm: String) async throws -> PushMessageRecord?

  /// Decides an open enrolment and stores the device: one conditional write.
  func completePushEnrolment(id: String, device: PushDeviceRecord, now: Date) async throws
    -> PushEnrolmentResult

  /// Decides an open message, and keeps the decision for those who look later: one conditional write, `true` for exactly
  /// one caller. Nobody decides by a device that the account does not have any more.
  func decidePushMessage(
    id: String, realm: String, as state: PushMessageRecord.State, by mechanismUID: String, reason: String?,
    now: Date
  ) async throws -> Bool

  /// Counts a wrong number or code against the message and against its user; at a limit the message ends as denied.
  /// One conditional write. `false` when the message is not open, or the account does not have the device.
  func recordWrongPushAnswer(
    id: String, realm: String, by mechanismUID: String, limits: PushLimits, now: Date
  ) async throws -> Bool

  /// Takes a message away that nobody signs in by, so that no later answer finds it; the record as it was, `nil` when there was
  /// none. Of several callers one gets it.
  func removePushMessage(id: String, realm: String) async throws -> PushMessageRecord?

  /// Takes the message away for who signs somebody in by it. Of several callers one gets it.
  ///
  /// If it was approved for the account, and the account is not locked, then the same write forgets the failures of the scope
  /// and what was counted of pushes since the last success, and gives the device that approved it its last access. An approval
  /// whose device the account does not have any more comes back as a denial.
  ///
  /// - Parameter step: the answered step of the journey, consumed in the same write; when it was consumed before, nothing else
  ///   happens. `nil` when there is none, or somebody has consumed it.
  func usePushMessage(id: String, for use: PushUse, using step: OnceKey?) async throws -> PushUsage
}

extension PushMessageStore {
  /// Stores an enrolment for whoever has the name.
  public func openPushEnrolment(_ message: PushMessageRecord) async throws {
    try await openPushEnrolment(message, id: nil)
  }

  /// Stores a question of nobody's journey.
  public func openPushMessage(
    _ message: PushMessageRecord, inboxes: [PushInboxItem], limits: PushLimits
  ) async throws -> PushOpening {
    try await openPushMessage(message, inboxes: inboxes, limits: limits, using: nil)
  }
}

/// What became of ``PushMessageStore/openPushMessage(_:inboxes:limits:)``.
public enum PushOpening: Sendable, Hashable {
  case opened
  /// As many questions are open as may be.
  case tooManyOpen
  /// As many were sent since the last success as may be.
  case tooManySinceSuccess
  /// Too many wrong numbers or codes since the last success.
  case tooManyWrongAnswers
  case noSuchUser
  /// The journey's step was used before.
  case stepWasUsed
}

/// Who signs in by a push message, and when.
public struct PushUse: Sendable, Hashable {
  public var account: UniversalID

  /// Where failures of the account count.
  public var scope: LockoutScope
  public var date: Date

  public init(by account: UniversalID, scope: LockoutScope, at date: Date) {
    self.account = account
    self.scope = scope
    self.date = date
  }

  /// Whether the message may sign the account in, unless that is locked.
  package func isMeant(by message: PushMessageRecord) -> Bool {
    message.state == .approved && message.username == account.username
  }
}

/// What became of ``PushMessageStore/usePushMessage(id:for:using:)``.
public enum PushUsage: Sendable, Hashable {
  /// The caller has the message; `nil` when there was none.
  case taken(PushMessageRecord?, isLocked: Bool)
  /// The journey's step was used before.
  case stepWasUsed
}

/// What became of ``PushMessageStore/completePushEnrolment(id:device:now:)``.
public enum PushEnrolmentResult: Sendable, Hashable {
  case added
  /// Answered before, too late, or never expected.
  case notOpen
  case limitReached
  /// Another device of the realm has this credential id.
  case duplicate
}
