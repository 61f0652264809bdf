internal import Foundation
internal import PushFormats

/// What a ``PushHandler`` has read from a message, by the keys of its dictionary.
public struct ParsedPushMessage {
  /// The keys.
  public enum Key {
    public static let messageId = "messageId"
    /// The signed message as received.
    public static let rawJwt = "rawJwt"
    /// Required.
    public static let credentialId = "credentialId"
    public static let challenge = "challenge"
    /// Seconds, `Int`; 120 when absent.
    public static let ttl = "ttl"
    /// When it was sent: milliseconds since 1970, `Int`.
    public static let timeInterval = "timeInterval"
    public static let messageText = "messageText"
    public static let customPayload = "customPayload"
    /// Numbers, separated by commas.
    public static let numbersChallenge = "numbersChallenge"
    public static let contextInfo = "contextInfo"
    /// The load balancer's cookie, decoded.
    public static let amlbCookie = "amlbCookie"
    /// The name of a ``PushType``.
    public static let pushType = "pushType"
    public static let userId = "userId"
    public static let deviceName = "deviceName"
    /// How many digits have to be typed, `Int`.
    public static let codeLength = "codeLength"
    /// `[String: Any]`
    public static let additionalData = "additionalData"
  }

  let values: [String: Any]

  init(_ values: [String: Any]) { self.values = values }

  /// The text under `key`, without blanks around it; `nil` when there is none.
  func text(_ key: String) -> String? {
    guard let text = (values[key] as? String)?.trimmingCharacters(in: .whitespacesAndNewlines),
      !text.isEmpty
    else { return nil }
    return text
  }

  private func number(_ key: String) -> Int? {
    switch values[key] {
    case let number as Int: number
    case let number as Int64: Int(clamping: number)
    case let number as Double: Int(exactly: number.rounded(.down))
    case let text as String: Int(text)
    default: nil
    }
  }

  /// The notification that the message makes, received at `now`.
  ///
  /// - Throws: ``PushError/messageParsingFailed(_:)`` without a credential's id.
  func notification(id: String, handlerKey: String, now: Date) throws(PushError) -> PushNotification {
    guard let credentialId = text(Key.credentialId) else {
      throw .messageParsingFailed("It names no credential.")
    }
    let type = text(Key.pushType).flatMap { PushType(rawValue: $0.lowercased()) } ?? .default
    var notification = PushNotification(
      id: id, credentialId: credentialId, ttl: max(0, number(Key.ttl) ?? PushMessage.standardTimeToLive),
      messageId: text(Key.messageId) ?? "", messageText: values[Key.messageText] as? String,
      customPayload: values[Key.customPayload] as? String, challenge: text(Key.challenge),
      numbersChallenge: text(Key.numbersChallenge), loadBalancer: text(Key.amlbCookie),
      contextInfo: text(Key.contextInfo), pushType: type, createdAt: now,
      sentAt: number(Key.timeInterval).map { Date(timeIntervalSince1970: Double($0) / 1000) },
      additionalData: values[Key.additionalData] as? [String: Any])
    if type == .challenge, notification.getNumbersChallenge().isEmpty {
      notification.codeLength = number(Key.codeLength).flatMap {
        PushCodeChallenge.lengths.contains($0) ? $0 : nil
      }
    }
    notification.handlerKey = handlerKey
    // Without an id, or without a challenge, no answer can be sent: it is shown as what it is, over.
    if notification.messageId.isEmpty || notification.challenge == nil { notification.pending = false }
    return notification
  }
}
