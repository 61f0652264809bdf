public import Foundation
internal import PingCommons
internal import PushFormats
internal import StrictJSON

/// A server's question that this device has received: should this sign-in continue?
// `additionalData` alone is not Sendable by its type. It is a dictionary, so that a copy shares no state, and it holds JSON
// values; a caller that stores anything else must not change it afterwards.
public struct PushNotification: Codable, Identifiable, @unchecked Sendable {
  public let id: String

  /// The id of the credential that the notification is for.
  public let credentialId: String

  /// How long the notification can be answered, in seconds.
  public let ttl: Int

  /// The server's id of the message.
  public let messageId: String

  /// The text to show.
  public let messageText: String?

  /// JSON text that the server's operator chose.
  public let customPayload: String?

  /// Base64 of the challenge that the answer responds to.
  public let challenge: String?

  /// The numbers to choose from, separated by commas.
  public var numbersChallenge: String?

  /// The load balancer's cookie, `name=value`.
  public let loadBalancer: String?

  /// JSON text with `location`, `remoteIp` and `userAgent` of the sign-in.
  public let contextInfo: String?

  public let pushType: PushType

  /// When this device received it.
  public let createdAt: Date

  /// When the server sent it.
  public let sentAt: Date?

  /// When the person answered.
  public var respondedAt: Date?

  /// Claims unknown to this module; kept in memory only.
  public var additionalData: [String: Any]?

  /// Whether the person approved.
  public var approved: Bool

  /// Whether it waits for an answer.
  public var pending: Bool

  /// How many digits the person has to type from the sign-in page: a ``PushType/challenge`` without numbers to choose
  /// from. `nil` for every other question.
  public internal(set) var codeLength: Int?

  /// The key of the handler that received it and sends its answer.
  var handlerKey: String?

  /// `false` when ``sentAt`` was not verified; the notification then does not expire by it.
  var isSentAtSigned: Bool?

  public init(
    id: String = UUID().uuidString, credentialId: String, ttl: Int, messageId: String,
    messageText: String? = nil, customPayload: String? = nil, challenge: String? = nil,
    numbersChallenge: String? = nil, loadBalancer: String? = nil, contextInfo: String? = nil,
    pushType: PushType, createdAt: Date = Date(), sentAt: Date? = nil, respondedAt: Date? = nil,
    additionalData: [String: Any]? = nil, approved: Bool = false, pending: Bool = true
  ) {
    self.id = id
    self.credentialId = credentialId
    self.ttl = ttl
    self.messageId = messageId
    self.messageText = messageText
    self.customPayload = customPayload
    self.challenge = challenge
    self.numbersChallenge = numbersChallenge
    self.loadBalancer = loadBalancer
    self.contextInfo = contextInfo
    self.pushType = pushType
    self.createdAt = createdAt
    self.sentAt = sentAt
    self.respondedAt = respondedAt
    self.additionalData = additionalData
    self.approved = approved
    self.pending = pending
  }

  private enum CodingKeys: String, CodingKey {
    case id, credentialId, ttl, messageId, messageText, customPayload, challenge, numbersChallenge
    case loadBalancer, contextInfo, pushType, createdAt, sentAt, respondedAt, approved, pending
    case codeLength, handlerKey, isSentAtSigned
  }
}

extension PushMessage {
  /// Claim `e`: the device's name, which servers of the published SDK's protocol may send.
  var deviceName: String? { additional["e"]?.stringValue }

  /// The claims without a property in ``PushNotification`` or a key in ``ParsedPushMessage``.
  var additionalData: [String: Any] { additional.dictionary.filter { $0.key != "e" } }
}

extension PushNotification {
  /// Creates the notification of a verified message, received at `now`.
  ///
  /// - Parameter messageID: The server's id of the message; without it the notification cannot be answered.
  init(_ message: PushMessage, messageID: String?, handlerKey: String, now: Date) {
    func shown(_ text: String?) -> String? {
      let text = text?.trimmingCharacters(in: .whitespacesAndNewlines)
      return text?.isEmpty == false ? text : nil
    }
    self.init(
      credentialId: message.mechanismUID, ttl: message.timeToLive, messageId: messageID ?? "",
      messageText: message.text, customPayload: message.customPayload, challenge: message.challenge.base64,
      numbersChallenge: message.numbers.isEmpty
        ? nil : message.numbers.map(String.init).joined(separator: ","),
      loadBalancer: shown(message.loadBalancer), contextInfo: shown(message.contextInfo),
      pushType: PushType(rawValue: message.type.rawValue) ?? .default, createdAt: now,
      sentAt: message.sentAtMilliseconds.map { Date(timeIntervalSince1970: Double($0) / 1000) },
      additionalData: message.additionalData)
    if pushType == .challenge, message.numbers.isEmpty { codeLength = message.codeLength }
    self.handlerKey = handlerKey
  }

  /// The raw value of ``pushType``.
  public var type: String { pushType.rawValue }

  /// Whether it was answered.
  public var responded: Bool { approved || !pending }

  /// Whether it has expired; see ``expiresAt``.
  public var isExpired: Bool { isExpired(at: Date()) }

  /// When it expires: ``ttl`` after it was received, or after it was sent plus a minute for clock skew, whichever is earlier.
  /// A sending time that is later than the receipt, or not covered by a signature, is ignored.
  public var expiresAt: Date {
    let received = createdAt.addingTimeInterval(TimeInterval(ttl))
    guard let sentAt, sentAt <= createdAt, isSentAtSigned != false else { return received }
    return min(received, sentAt.addingTimeInterval(TimeInterval(ttl) + Self.skew))
  }

  static let skew: TimeInterval = 60

  func isExpired(at now: Date) -> Bool { now > expiresAt }

  func isPending(at now: Date) -> Bool { pending && !approved && !isExpired(at: now) }

  /// Notes that the person approved, now.
  public mutating func markApproved() { mark(approved: true, at: Date()) }

  /// Notes that the person denied, now.
  public mutating func markDenied() { mark(approved: false, at: Date()) }

  mutating func mark(approved: Bool, at now: Date) {
    self.approved = approved
    pending = false
    respondedAt = now
  }

  /// The numbers to choose from. Parts that are not numbers are left out.
  public func getNumbersChallenge() -> [Int] { numbersChallenge.map { PushMessage.numbers(in: $0) } ?? [] }
}

extension PushNotification: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The notification without its challenge.
  public var description: String {
    "PushNotification(id: \(id), credentialId: \(credentialId), messageId: \(messageId), type: \(type), "
      + "ttl: \(ttl), createdAt: \(createdAt), pending: \(pending), approved: \(approved))"
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror {
    Mirror(self, children: ["id": id, "credentialId": credentialId, "type": type, "pending": pending])
  }
}
