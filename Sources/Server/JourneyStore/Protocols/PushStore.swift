public import BindingFormats
public import Foundation

/// Push devices, the messages that they have to answer, and what limits both.
public protocol PushStore: Sendable {
  var pushDevices: any DeviceStore<PushDeviceRecord> { get }

  /// The device of that credential, or `nil`.
  func pushDevice(mechanismUID: String, realm: String) async throws -> PushDeviceRecord?

  /// Stores what the device says of itself, unless something that it signed later, or at the same moment, has been stored:
  /// one conditional write. `false` for such a replay and for a device that is gone.
  func refreshPushDevice(mechanismUID: String, realm: String, with refresh: PushDeviceRefresh) async throws
    -> Bool

  /// Notes that a transport takes nothing for the device's token since `date`: one conditional write. `false` when the
  /// device has another token, told this one after `date`, or is gone, and when the token was retired before.
  func retirePushToken(mechanismUID: String, realm: String, token: String, at date: Date) async throws -> Bool

  /// Stores an enrolment that a device may answer. Throws ``StoreError/missing(_:)`` without the user.
  func openPushEnrolment(_ message: PushMessageRecord) async throws

  /// Stores a question and what each device gets, if the user's limits allow it: one conditional write.
  func openPushMessage(
    _ message: PushMessageRecord, inboxes: [PushInboxItem], limits: PushLimits
  ) async throws -> PushOpening

  /// The message as it is, or `nil` when there is none.
  func pushMessage(id: String, realm: String) async throws -> PushMessageRecord?

  /// The devices that have open messages which they have not fetched, on whichever server those were sent.
  func pushDevicesWithNews(now: Date) async throws -> Set<PushAddress>

  /// Those of `addresses` of which there is a device.
  func existingPushDevices(among addresses: Set<PushAddress>) async throws -> Set<PushAddress>

  /// What became of questions, the newest first.
  func pushDecisions(_ query: EvidenceQuery) async throws -> [PushDecisionRecord]

  /// Open messages for the device at `now`, oldest first.
  func pushInbox(mechanismUID: String, realm: String, now: Date) async throws -> [PushInboxItem]

  /// Notes that the device has fetched the messages.
  func notePushFetch(messageIDs: [String], mechanismUID: String, realm: String) async throws

  /// Decides an open message, and keeps the decision for those who look later: one conditional write, `true` for exactly
  /// one caller.
  func decidePushMessage(
    id: String, realm: String, as state: PushMessageRecord.State, by mechanismUID: String, reason: String?,
    now: Date
  ) async throws -> Bool

  /// Counts a wrong number or code against the message and against its user; at a limit the message ends as denied.
  /// One conditional write. `false` when the message is not open.
  func recordWrongPushAnswer(
    id: String, realm: String, by mechanismUID: String, limits: PushLimits, now: Date
  ) async throws -> Bool

  /// Decides an open enrolment and stores the device: one conditional write.
  func completePushEnrolment(id: String, device: PushDeviceRecord, now: Date) async throws
    -> PushEnrolmentResult

  /// Takes the message away, so that no later answer finds it; the record as it was, `nil` when there was none. Of
  /// several callers one gets it.
  func removePushMessage(id: String, realm: String) async throws -> PushMessageRecord?

  /// Forgets what was counted since the last success, and sets the deciding device's last access.
  func recordPushSuccess(of account: UniversalID, mechanismUID: String?, at date: Date) async throws
}

/// What became of ``PushStore/openPushMessage(_:inboxes:limits:)``.
public enum PushOpening: Sendable, Hashable {
  case opened
  /// As many questions are open as may be.
  case tooManyOpen
  /// As many were sent since the last success as may be.
  case tooManySinceSuccess
  /// Too many wrong numbers or codes since the last success.
  case tooManyWrongAnswers
  case noSuchUser
}

/// What became of ``PushStore/completePushEnrolment(id:device:now:)``.
public enum PushEnrolmentResult: Sendable, Hashable {
  case added
  /// Answered before, too late, or never expected.
  case notOpen
  case limitReached
  /// Another device of the realm has this credential id.
  case duplicate
}

/// Codes that stand in for a lost device, each usable once. Only hashes are stored.
public protocol RecoveryCodeStore: Sendable {
  /// Replaces the user's codes of that kind (`PUSH`, `OATH`, `WEB_AUTHN`). Throws ``StoreError/missing(_:)`` without the user.
  func setRecoveryCodes(_ hashes: [[UInt8]], kind: String, of account: UniversalID) async throws

  /// Uses a code up: one conditional write, `true` for exactly one caller.
  func useRecoveryCode(_ hash: [UInt8], kind: String, of account: UniversalID) async throws -> Bool
}
