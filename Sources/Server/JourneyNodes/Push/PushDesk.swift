internal import Foundation
internal import JOSE
public import JourneyStore
public import Logging
public import StrictJSON

/// Takes what devices send: the answer to an enrolment, decisions, news of themselves, and the wish for messages. The signature
/// with the shared secret is the only authentication.
public struct PushDesk: Sendable {
  private let services: NodeServices
  private let logger: Logger

  /// Longest wait for a message. Seconds.
  public static let longestWait = 30

  /// Tolerated difference of the clocks where a device states a time. Seconds.
  static let skew: TimeInterval = 60

  /// A server of the same database may have stored a message without waking anybody here. Seconds.
  private static let glance = Duration.seconds(1)

  public init(services: NodeServices, logger: Logger) {
    self.services = services
    self.logger = logger
  }

  /// Why a device's request was refused. Nothing was changed, except that a wrong number or code was counted.
  public struct Refusal: Error, Sendable, Hashable {
    /// What a device that has proven itself may know, as `detail.errorCode`.
    public enum Code: String, Sendable, Hashable {
      /// The number or code is missing or wrong.
      case wrongAnswer
      /// Decided before, or too late.
      case notOpen
      /// This server has no transport of that `communicationType`.
      case unknownTransport
      /// The user has a device, or as many as may be.
      case deviceLimit
    }

    /// `nil` for those who have proven nothing.
    public var code: Code?

    /// For the operator.
    public var reason: String

    init(_ reason: String, code: Code? = nil) {
      self.reason = reason
      self.code = code
    }
  }

  // MARK: Enrolment

  /// `register`: a device answers an enrolment (reference push §2.4), and is stored.
  public func register(_ body: JSONObject, realm: String) async throws {
    let (message, token) = try await opened(body, realm: realm, kind: .registration)
    guard let enrolment = message.enrolment,
      let claims = PushTokens.claims(of: token, secret: enrolment.sharedSecret),
      PushTokens.isResponse(
        claims["response"]?.stringValue, to: message.challenge, secret: enrolment.sharedSecret)
    else { throw Refusal("the answer to enrolment \(message.id) is not signed with its secret") }
    let facts = try DeviceFacts(claims, isNew: true)
    guard let mechanismUID = facts.mechanismUID else { throw Refusal("mechanismUid is missing or too long") }
    guard let user = try await services.store.user(named: message.username, realm: realm), user.isActive
    else {
      throw Refusal("the account of enrolment \(message.id) is gone or inactive")
    }
    let now = services.clock()
    let device = PushDeviceRecord(
      uuid: enrolment.uuid, realm: user.realm, username: user.username,
      deviceName: facts.deviceName ?? "Push Device", mechanismUID: mechanismUID, issuer: enrolment.issuer,
      sharedSecret: enrolment.sharedSecret, communicationType: facts.communicationType,
      communicationID: try await address(facts), deviceType: facts.deviceType,
      deviceToken: facts.deviceToken, createdDate: now, lastAccessDate: now)
    switch try await services.store.completePushEnrolment(id: message.id, device: device, now: now) {
    case .added: break
    case .notOpen: throw Refusal("enrolment \(message.id) is over", code: .notOpen)
    case .limitReached: throw Refusal("the user has as many push devices as may be", code: .deviceLimit)
    case .duplicate: throw Refusal("another device of the realm has this mechanismUid")
    }
  }

  private func address(_ facts: DeviceFacts) async throws -> String {
    guard let transport = services.push.transport(for: facts.communicationType) else {
      throw Refusal(
        "this server has no transport for communicationType \(JSONValue.string(facts.communicationType).text)",
        code: .unknownTransport)
    }
    let address: String
    do { address = try await transport.address(forToken: facts.deviceToken) } catch {
      throw Refusal("the transport refuses the device's token: \(error)", code: .unknownTransport)
    }
    guard !address.isEmpty else { throw Refusal("the transport gave no address", code: .unknownTransport) }
    return address
  }

  // MARK: Decisions

  /// `authenticate`: a device approves or denies (reference push §4).
  public func authenticate(_ body: JSONObject, realm: String) async throws {
    let (message, token) = try await opened(body, realm: realm, kind: .authentication)
    let devices = try await services.store.pushDevices(username: message.username, realm: realm)
    let signed = devices.lazy.compactMap { device in
      PushTokens.claims(of: token, secret: device.sharedSecret).map { (device, $0) }
    }.first
    guard let (device, claims) = signed,
      PushTokens.isResponse(
        claims["response"]?.stringValue, to: message.challenge, secret: device.sharedSecret)
    else { throw Refusal("the answer to \(message.id) is signed by no device of the user") }
    let now = services.clock()
    guard message.isOpen(at: now) else { throw Refusal("\(message.id) is over", code: .notOpen) }
    // Whatever else stands there, the person did not mean to approve.
    if let deny = claims["deny"], deny != .bool(false), !deny.isNull {
      try await decide(message, .denied, by: device, reason: Self.reason(claims["reason"]), now: now)
      return
    }
    let lockout = try await services.store.lockout(username: message.username, realm: realm)
    guard !lockout.isLocked(at: now) else { throw Refusal("the account is locked after too many failures") }
    if let answer = message.answer {
      guard Self.answerBytes(claims["challengeResponse"]).map({ StoredSecret($0) }) == answer else {
        try await wrongAnswer(to: message, by: device, now: now)
      }
    }
    try await decide(message, .approved, by: device, reason: nil, now: now)
  }

  private func decide(
    _ message: PushMessageRecord, _ state: PushMessageRecord.State, by device: PushDeviceRecord,
    reason: String?, now: Date
  ) async throws {
    let isFirst = try await services.store.decidePushMessage(
      id: message.id, realm: message.realm, as: state, by: device.mechanismUID, reason: reason, now: now)
    guard isFirst else { throw Refusal("\(message.id) is over", code: .notOpen) }
    guard state == .denied else { return }
    logger.notice(
      "a push message was denied",
      metadata: [
        "message": "\(message.id)", "realm": "\(message.realm)",
        "user": "\(JSONValue.string(message.username).text)", "device": "\(device.uuid)",
        "reason": "\(JSONValue.string(reason ?? "").text)",
      ])
  }

  private func wrongAnswer(
    to message: PushMessageRecord, by device: PushDeviceRecord, now: Date
  ) async throws -> Never {
    let counted = try await services.store.recordWrongPushAnswer(
      id: message.id, realm: message.realm, by: device.mechanismUID, limits: services.pushLimits, now: now)
    guard counted else { throw Refusal("\(message.id) is over", code: .notOpen) }
    _ = try await services.store.recordFailure(
      username: message.username, realm: message.realm, policy: services.lockout, now: now)
    throw Refusal("the number or code for \(message.id) is missing or wrong", code: .wrongAnswer)
  }

  /// The answer's digits, from a text or a whole number.
  private static func answerBytes(_ value: JSONValue?) -> [UInt8]? {
    guard let value else { return nil }
    if let text = value.stringValue {
      return text.utf8.count <= 32 ? Array(text.filter { !$0.isWhitespace }.utf8) : nil
    }
    return value.integerValue.map { Array(String($0).utf8) }
  }

  /// The person's words, cut to what a log line holds.
  private static func reason(_ value: JSONValue?) -> String? {
    value?.stringValue.map {
      String($0.unicodeScalars.filter { !$0.properties.isControl }.map(Character.init).prefix(200))
    }
  }

  // MARK: News of a device

  /// `refresh`: a device has a new token (reference push §5).
  public func refresh(_ body: JSONObject, realm: String) async throws {
    guard let username = body["username"]?.stringValue ?? body["userId"]?.stringValue, !username.isEmpty
    else {
      throw Refusal("username is missing")
    }
    let (device, claims) = try await proven(body, realm: realm)
    guard
      UniversalID(username: username, realm: realm) == UniversalID(username: device.username, realm: realm)
    else { throw Refusal("the device is not one of that user") }
    let facts = try DeviceFacts(claims, isNew: false)
    guard facts.mechanismUID == nil || facts.mechanismUID == device.mechanismUID else {
      throw Refusal("the signed mechanismUid is another one")
    }
    let issuedAt = try claims["iat"].map { try freshness(of: $0) }
    let refresh = PushDeviceRefresh(
      deviceToken: facts.deviceToken, communicationID: try await address(facts),
      communicationType: facts.communicationType, deviceType: facts.deviceType, deviceName: facts.deviceName,
      issuedAt: issuedAt)
    guard
      try await services.store.refreshPushDevice(
        mechanismUID: device.mechanismUID, realm: realm, with: refresh)
    else { throw Refusal("what the device signed is not newer than what is stored", code: .notOpen) }
  }

  // MARK: Messages

  /// `poll`: the device's open messages. With a wait it returns when one comes that the device has not fetched, or
  /// with what is open when the wait is over.
  ///
  /// - Parameter pause: waits until a message came or that much time has passed.
  public func poll(_ body: JSONObject, realm: String) async throws -> [PushInboxItem] {
    let (device, claims) = try await proven(body, realm: realm)
    _ = try freshness(of: claims["iat"] ?? .null)
    var wait = 0
    if let value = body["wait"], !value.isNull {
      guard let seconds = value.integerValue, (0...Int64(Self.longestWait)).contains(seconds) else {
        throw Refusal("wait is no whole number from 0 to \(Self.longestWait)")
      }
      wait = Int(seconds)
    }
    return try await messages(for: device, within: .seconds(wait), isNew: { !$0.wasFetched })
  }

  /// The device that a bearer token of the stream form belongs to.
  public func listener(token: String, realm: String) async throws -> PushDeviceRecord {
    guard let unverified = try? UnverifiedJWS(compact: token, limits: PushTokens.limits),
      let claims = try? JSONValue(
        parsing: unverified.payload, limits: JSONLimits(maximumBytes: 4096, maximumDepth: 4)),
      let mechanismUID = claims["mechanismUid"]?.stringValue
    else { throw Refusal("the bearer token is no token of a device") }
    // The name above only finds the secret; what follows verifies the same token with it.
    let (device, verified) = try await proven(
      ["mechanismUid": .string(mechanismUID), "jwt": .string(token)], realm: realm)
    _ = try freshness(of: verified["iat"] ?? .null)
    return device
  }

  /// Open messages for the device as soon as there is one for which `isNew` holds; what is open when the time is over.
  public func messages(
    for device: PushDeviceRecord, within time: Duration, isNew: (PushInboxItem) -> Bool
  ) async throws -> [PushInboxItem] {
    let end = ContinuousClock.now + time
    while true {
      // Listened to before the look, so that no message falls between the two.
      let rings = services.push.direct.rings(mechanismUID: device.mechanismUID, realm: device.realm)
      let items = try await services.store.pushInbox(
        mechanismUID: device.mechanismUID, realm: device.realm, now: services.clock())
      let rest = end - ContinuousClock.now
      if items.contains(where: isNew) || rest <= .zero || Task.isCancelled {
        let fresh = items.filter { !$0.wasFetched }.map(\.messageID)
        try await services.store.notePushFetch(
          messageIDs: fresh, mechanismUID: device.mechanismUID, realm: device.realm)
        return items
      }
      await Self.first(of: rings, within: min(rest, Self.glance))
    }
  }

  private static func first(of rings: AsyncStream<Void>, within time: Duration) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in rings { return } }
      group.addTask { try? await Task.sleep(for: time) }
      await group.next()
      group.cancelAll()
    }
  }

  // MARK: Proofs

  /// The message that a body answers and its token, which nobody has verified yet.
  private func opened(
    _ body: JSONObject, realm: String, kind: PushMessageRecord.Kind
  ) async throws -> (PushMessageRecord, UnverifiedJWS) {
    guard let id = body["messageId"]?.stringValue, (1...128).contains(id.utf8.count) else {
      throw Refusal("messageId is missing or too long")
    }
    let token = try Self.token(in: body)
    guard let message = try await services.store.pushMessage(id: id, realm: realm), message.kind == kind
    else {
      throw Refusal("no such message is expected")
    }
    return (message, token)
  }

  private static func token(in body: JSONObject) throws(Refusal) -> UnverifiedJWS {
    guard let text = body["jwt"]?.stringValue else { throw Refusal("jwt is missing") }
    do { return try UnverifiedJWS(compact: text, limits: PushTokens.limits) } catch {
      throw Refusal("jwt is no token: \(error)")
    }
  }

  /// The device that a body names, with the claims that its secret has signed.
  private func proven(_ body: JSONObject, realm: String) async throws -> (PushDeviceRecord, JSONObject) {
    guard let mechanismUID = body["mechanismUid"]?.stringValue,
      (1...DeviceFacts.longestMechanismUID).contains(mechanismUID.utf8.count)
    else { throw Refusal("mechanismUid is missing or too long") }
    let token = try Self.token(in: body)
    guard let device = try await services.store.pushDevice(mechanismUID: mechanismUID, realm: realm) else {
      throw Refusal("there is no device with this mechanismUid")
    }
    guard let claims = PushTokens.claims(of: token, secret: device.sharedSecret) else {
      throw Refusal("the token is not signed with the device's secret")
    }
    // An answer to a message is no proof here.
    guard claims["response"] == nil else { throw Refusal("the token is an answer to a message") }
    if let signed = claims["mechanismUid"], signed.stringValue != device.mechanismUID {
      throw Refusal("the signed mechanismUid is another one")
    }
    return (device, claims)
  }

  /// The moment of an `iat`, in seconds since 1970, if it lies close to now.
  private func freshness(of value: JSONValue) throws(Refusal) -> Date {
    guard let seconds = value.doubleValue ?? value.integerValue.map(Double.init) else {
      throw Refusal("iat is missing or no number")
    }
    let date = Date(timeIntervalSince1970: seconds)
    guard abs(date.timeIntervalSince(services.clock())) <= Self.skew else {
      throw Refusal("iat is more than \(Int(Self.skew)) s from the server's time")
    }
    return date
  }
}

/// What a device says of itself when it registers or has a new token.
private struct DeviceFacts {
  static let longestMechanismUID = 255
  private static let longestToken = 4096
  private static let longestType = 64

  var mechanismUID: String?
  var deviceToken: String
  var deviceType: String
  var communicationType: String
  var deviceName: String?

  init(_ claims: JSONObject, isNew: Bool) throws(PushDesk.Refusal) {
    guard let token = claims["deviceId"]?.stringValue, (1...Self.longestToken).contains(token.utf8.count)
    else {
      throw PushDesk.Refusal("deviceId is missing or too long")
    }
    guard let type = claims["deviceType"]?.stringValue, (1...Self.longestType).contains(type.utf8.count),
      let communication = claims["communicationType"]?.stringValue,
      (1...Self.longestType).contains(communication.utf8.count)
    else { throw PushDesk.Refusal("deviceType or communicationType is missing or too long") }
    mechanismUID = claims["mechanismUid"]?.stringValue.flatMap { uid in
      (1...Self.longestMechanismUID).contains(uid.utf8.count)
        && uid.unicodeScalars.allSatisfy { $0.isASCII && $0.value > 32 && $0.value < 127 } ? uid : nil
    }
    deviceToken = token
    deviceType = type
    communicationType = communication
    // A name that cannot be shown keeps nobody out.
    deviceName = claims["deviceName"]?.stringValue.flatMap { name in
      let name = name.trimmingCharacters(in: .whitespacesAndNewlines)
      return (1...120).contains(name.unicodeScalars.count)
        && !name.unicodeScalars.contains { $0.properties.isControl } ? name : nil
    }
  }
}
