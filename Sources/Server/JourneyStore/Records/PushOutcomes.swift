public import BindingFormats
public import Foundation

/// The outcome of ``ServerStore/openPushMessage(_:inboxes:limits:using:)``.
public enum PushOpening: Sendable, Hashable {
  case opened
  /// The user has as many open messages as allowed.
  case tooManyOpen
  /// As many messages as allowed were sent since the last success.
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

  /// The scope in which failures of the account are counted.
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

/// The outcome of ``ServerStore/usePushMessage(id:for:using:)``.
public enum PushUsage: Sendable, Hashable {
  /// The caller has the message; `nil` when there was none.
  case taken(PushMessageRecord?, isLocked: Bool)
  /// The journey's step was used before.
  case stepWasUsed
}

/// The outcome of ``ServerStore/completePushEnrolment(id:device:now:)``.
public enum PushEnrolmentResult: Sendable, Hashable {
  case added
  /// Answered before, too late, or never expected.
  case notOpen
  case limitReached
  /// Another device of the realm has this credential id.
  case duplicate
}
