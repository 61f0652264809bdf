package import BindingFormats
package import Foundation
package import JourneyStore
package import Logging
package import PushFormats
package import SecurityEvents
internal import StrictJSON

/// Serves push devices: accepts registrations, decisions and new tokens, and hands out messages. The signature with the shared
/// secret is the only authentication.
package struct PushDeviceService: Sendable {
  /// The dependencies of the service.
  package struct Dependencies: Sendable {
    package var store: any ServerStore
    package var senders: PushSenders

    /// The limits of pushes and guesses per user.
    package var limits: PushLimits
    package var events: SecurityEvents
    package var clock: @Sendable () -> Date

    /// The lock of an account for failures of the scope.
    package var lock: @Sendable (_ scope: LockoutScope, _ account: UniversalID) -> AccountLock

    package init(
      store: any ServerStore, senders: PushSenders, limits: PushLimits, events: SecurityEvents,
      clock: @escaping @Sendable () -> Date,
      lock: @escaping @Sendable (_ scope: LockoutScope, _ account: UniversalID) -> AccountLock
    ) {
      self.store = store
      self.senders = senders
      self.limits = limits
      self.events = events
      self.clock = clock
      self.lock = lock
    }
  }

  let dependencies: Dependencies
  let logger: Logger

  package init(_ dependencies: Dependencies, logger: Logger) {
    self.dependencies = dependencies
    self.logger = logger
  }

  /// Why a device's request was refused. Nothing was changed, except that a wrong number or code was counted.
  package struct Refusal: Error, Sendable, Hashable {
    /// The reason given to a device that has proven itself, as `detail.errorCode`.
    package enum Code: String, Sendable, Hashable {
      /// The number or code is missing or wrong.
      case wrongAnswer
      /// The message was answered before, or has expired.
      case notOpen
      /// This server has no sender for that `communicationType`, or the token is not valid for it.
      case unknownTransport
      /// The user already has a device, or the maximum number of devices.
      case deviceLimit
      /// The signing time is too far from the server's time, or not after the time of an earlier signature.
      case notFresh
    }

    /// `nil` when the request did not prove that it comes from a device.
    package var code: Code?

    /// The reason, for the operator.
    package var reason: String

    init(_ reason: String, code: Code? = nil) {
      self.reason = reason
      self.code = code
    }
  }

  // MARK: Enrolment

  /// `register`: stores the device that answers an enrolment (reference push §2.4).
  ///
  /// - Throws: ``Refusal``, `PushFormatError`, or `StoreError`.
  package func register(_ body: PushAnswerBody, realm: String) async throws {
    let message = try await expected(body, kind: .register, realm: realm)
    guard let enrolment = message.enrolment else { throw Refusal("\(message.id) is not an enrolment") }
    let secret = try PushSecret(enrolment.sharedSecret.reveal())
    let claims = try PushRegistration(verifying: body.jwt, secret: secret)
    guard secret.isResponse(claims.response, to: try PushChallenge(message.challenge.reveal())) else {
      throw Refusal("the response to enrolment \(message.id) is wrong")
    }
    guard claims.mechanismUID.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }) else {
      throw Refusal("mechanismUid must consist of visible ASCII characters")
    }
    guard let user = try await dependencies.store.user(named: message.username, realm: realm), user.isActive
    else { throw Refusal("the account of enrolment \(message.id) is gone or inactive") }
    let now = dependencies.clock()
    guard message.isOpen(at: now) else { throw Refusal("enrolment \(message.id) is over", code: .notOpen) }
    let device = PushDeviceRecord(
      uuid: enrolment.uuid, realm: user.realm, username: user.username,
      deviceName: claims.address.shownName ?? "Push Device", mechanismUID: claims.mechanismUID,
      issuer: enrolment.issuer, sharedSecret: enrolment.sharedSecret,
      communicationType: claims.address.communicationType,
      communicationID: try await reach(claims.address), deviceType: claims.address.deviceType,
      deviceToken: claims.address.deviceID, createdDate: now, lastAccessDate: now)
    switch try await dependencies.store.completePushEnrolment(id: message.id, device: device, now: now) {
    case .added:
      try await dependencies.events.require(
        SecurityEvent(
          .deviceAdded, realm: user.realm, account: user.username, accountID: user.id,
          detail: ["kind": "push", "device": .string(device.uuid)]))
      logger.info("a push device was registered", metadata: Self.metadata(of: device))
    case .notOpen: throw Refusal("enrolment \(message.id) is over", code: .notOpen)
    case .limitReached:
      throw Refusal("the user already has the maximum number of push devices", code: .deviceLimit)
    case .duplicate: throw Refusal("another device of the realm has this mechanismUid")
    }
  }

  /// The address to send to for a device, from its sender.
  private func reach(_ address: PushDeviceAddress) async throws(Refusal) -> String {
    guard let sender = dependencies.senders.sender(for: address.communicationType) else {
      let type = JSONValue.string(address.communicationType).text
      throw Refusal("this server has no sender for communicationType \(type)", code: .unknownTransport)
    }
    let found: String
    do { found = try await sender.address(forToken: address.deviceID) } catch {
      throw Refusal("the device's token is refused: \(error)", code: .unknownTransport)
    }
    guard !found.isEmpty else {
      throw Refusal("the token has no address to send to", code: .unknownTransport)
    }
    return found
  }

  // MARK: Decisions

  /// `authenticate`: a device approves or denies (reference push §4).
  ///
  /// - Throws: ``Refusal``, `PushFormatError`, or `StoreError`.
  package func authenticate(_ body: PushAnswerBody, realm: String) async throws {
    let message = try await expected(body, kind: .authenticate, realm: realm)
    let devices = try await dependencies.store.pushDevices.all(of: message.account)
    guard let (device, answer) = try Self.signer(of: body.jwt, among: devices, to: message) else {
      throw Refusal("the answer to \(message.id) is not signed by a device of the user")
    }
    let now = dependencies.clock()
    guard message.isOpen(at: now) else { throw Refusal("\(message.id) is over", code: .notOpen) }
    // A denial counts even if its number or code is wrong: the user did not mean to approve.
    if answer.isDenied {
      try await decide(message, .denied, by: device, reason: answer.reason, now: now)
      return
    }
    guard try await !lock(of: message).isLocked() else {
      throw Refusal("the account is locked after too many failures")
    }
    guard Self.isRight(answer.challengeResponse, for: message) else {
      try await countWrongAnswer(to: message, by: device, now: now)
    }
    try await decide(message, .approved, by: device, reason: nil, now: now)
  }

  /// The device whose secret signed the token, with the answer in it.
  private static func signer(
    of token: String, among devices: [PushDeviceRecord], to message: PushMessageRecord
  ) throws(PushFormatError) -> (PushDeviceRecord, PushAnswer)? {
    for device in devices {
      do throws(PushFormatError) {
        let secret = try device.secret()
        let answer = try PushAnswer(verifying: token, secret: secret)
        guard secret.isResponse(answer.response, to: try PushChallenge(message.challenge.reveal())) else {
          throw PushFormatError(.malformed, "The response to \(message.id) is wrong.")
        }
        return (device, answer)
      } catch {
        guard error.code == .invalidSignature else { throw error }
      }
    }
    return nil
  }

  /// Whether the number or code is right. Messages without one accept any answer; otherwise a missing one is wrong.
  private static func isRight(_ given: String?, for message: PushMessageRecord) -> Bool {
    switch message.type {
    case .default, .biometric: true
    case .challenge:
      Int(message.answer?.digits ?? "").map { PushNumberChallenge.isAnswer(given, of: $0) } ?? false
    case .code: message.answer.map { PushCodeChallenge.isAnswer(given, of: $0.digits) } ?? false
    }
  }

  private func decide(
    _ message: PushMessageRecord, _ state: PushMessageRecord.State, by device: PushDeviceRecord,
    reason: String?, now: Date
  ) async throws {
    let isFirst = try await dependencies.store.decidePushMessage(
      id: message.id, realm: message.realm, as: state, by: device.mechanismUID, reason: reason, now: now)
    guard isFirst else { throw Refusal("\(message.id) is over", code: .notOpen) }
    guard state == .denied else { return }
    var metadata = Self.metadata(of: device)
    metadata["message"] = "\(message.id)"
    metadata["reason"] = "\(JSONValue.string(reason ?? "").text)"
    logger.notice("a push message was denied", metadata: metadata)
  }

  private func countWrongAnswer(
    to message: PushMessageRecord, by device: PushDeviceRecord, now: Date
  ) async throws -> Never {
    let counted = try await dependencies.store.recordWrongPushAnswer(
      id: message.id, realm: message.realm, by: device.mechanismUID, limits: dependencies.limits, now: now)
    guard counted else { throw Refusal("\(message.id) is over", code: .notOpen) }
    try await lock(of: message).countFailure()
    throw Refusal("the number or code for \(message.id) is missing or wrong", code: .wrongAnswer)
  }

  /// The lock that counts wrong answers, for the known device on which the sign-in began.
  private func lock(of message: PushMessageRecord) -> AccountLock {
    dependencies.lock(LockoutScope(.pushAnswers, device: message.knownDevice), message.account)
  }

  // MARK: News of a device

  /// `refresh`: a device has a new token (reference push §5).
  ///
  /// - Throws: ``Refusal``, `PushFormatError`, or `StoreError`.
  package func refresh(_ body: PushRefreshBody, realm: String) async throws {
    let device = try await device(body.mechanismUID, realm: realm)
    guard UniversalID(username: body.username, realm: realm) == device.account else {
      throw Refusal("the device belongs to another user")
    }
    let claims = try PushRefresh(verifying: body.jwt, secret: device.secret())
    guard claims.mechanismUID == nil || claims.mechanismUID == device.mechanismUID else {
      throw Refusal("the signed mechanismUid is another one")
    }
    let issuedAt = claims.issuedAt.map { Date(timeIntervalSince1970: TimeInterval($0)) }
    if let issuedAt { try requireFresh(issuedAt) }
    let refresh = PushDeviceRefresh(
      deviceToken: claims.address.deviceID, communicationID: try await reach(claims.address),
      communicationType: claims.address.communicationType, deviceType: claims.address.deviceType,
      deviceName: claims.address.shownName, issuedAt: issuedAt)
    let stored = try await dependencies.store.refreshPushDevice(
      mechanismUID: device.mechanismUID, realm: realm, with: refresh)
    guard stored else {
      throw Refusal("what the device signed is not newer than what is stored", code: .notFresh)
    }
  }

  // MARK: Proofs

  /// The message that a body answers. The body is not verified yet.
  private func expected(
    _ body: PushAnswerBody, kind: PushMessageID.Kind, realm: String
  ) async throws -> PushMessageRecord {
    guard let id = PushMessageID(body.messageID), id.kind == kind else {
      throw Refusal("messageId is not one of this action")
    }
    guard let message = try await dependencies.store.pushMessage(id: id.text, realm: realm),
      message.kind == (kind == .register ? .registration : .authentication)
    else { throw Refusal("no such message is expected") }
    return message
  }

  func device(_ mechanismUID: String, realm: String) async throws -> PushDeviceRecord {
    guard let device = try await dependencies.store.pushDevice(mechanismUID: mechanismUID, realm: realm)
    else { throw Refusal("there is no device with this mechanismUid") }
    return device
  }

  func requireFresh(_ date: Date) throws(Refusal) {
    guard abs(date.timeIntervalSince(dependencies.clock())) <= TimeInterval(PushFormatLimits.pollSkewSeconds)
    else {
      throw Refusal(
        "iat is more than \(PushFormatLimits.pollSkewSeconds) s from the server's time", code: .notFresh)
    }
  }

  private static func metadata(of device: PushDeviceRecord) -> Logger.Metadata {
    [
      "realm": "\(device.realm)", "user": "\(JSONValue.string(device.username).text)",
      "device": "\(device.uuid)",
    ]
  }
}

extension PushDeviceAddress {
  /// The name, if it can be shown. An unusable name does not block registration.
  fileprivate var shownName: String? { deviceName.flatMap { DeviceName($0)?.text } }
}
