internal import Bytes
internal import Foundation
internal import PingCommons
internal import PushFormats
internal import StrictJSON

/// The content that a ``PushHandler`` has read from a message, by the keys of its dictionary.
public struct ParsedPushMessage {
  /// The keys. All but ``credentialId`` may be absent.
  public enum Key {
    public static let messageId = "messageId"
    /// The signed message as received; a ``PushMessageVerifier`` has to provide it.
    public static let rawJwt = "rawJwt"
    /// The credential's id; required.
    public static let credentialId = "credentialId"
    public static let challenge = "challenge"
    /// How long the message can be answered, in seconds: a number, or its text; 120 when absent.
    public static let ttl = "ttl"
    /// When the message was sent: milliseconds since 1970, a number or its text.
    public static let timeInterval = "timeInterval"
    public static let messageText = "messageText"
    /// Text, or a dictionary or list, which is kept as JSON text, or data.
    public static let customPayload = "customPayload"
    /// Numbers, separated by commas, or a list of them.
    public static let numbersChallenge = "numbersChallenge"
    /// JSON text, or a dictionary.
    public static let contextInfo = "contextInfo"
    /// The load balancer's cookie, decoded.
    public static let amlbCookie = "amlbCookie"
    /// A ``PushType``, or its name; ``PushType/default`` when absent or unknown.
    public static let pushType = "pushType"
    public static let userId = "userId"
    public static let deviceName = "deviceName"
    /// How many digits have to be typed, `Int`.
    public static let codeLength = "codeLength"
    /// Other values, as `[String: Any]`.
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

  /// The value under `key` as text: text unchanged, data as UTF-8 or else Base64, and everything else as JSON. `nil` when there is no
  /// value, or none with a JSON form.
  private func content(_ key: String) -> String? {
    guard let value = values[key] else { return nil }
    switch value {
    case let text as String: return text
    case let data as Data: return String(data: data, encoding: .utf8) ?? data.base64EncodedString()
    default:
      guard let json = JSONValue(any: value, nothing: .null), json != .null else { return nil }
      return json.text
    }
  }

  private var type: PushType {
    if let type = values[Key.pushType] as? PushType { return type }
    return text(Key.pushType).flatMap { PushType(rawValue: $0.lowercased()) } ?? .default
  }

  private var numbers: String? {
    if let list = values[Key.numbersChallenge] as? [Any] {
      return list.isEmpty ? nil : list.map { "\($0)" }.joined(separator: ",")
    }
    return text(Key.numbersChallenge)
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

  /// The notification of the message, received at `now`.
  ///
  /// - Throws: ``PushError/messageParsingFailed(_:)`` without a credential's id.
  func notification(id: String, handlerKey: String, now: Date) throws(PushError) -> PushNotification {
    guard let credentialId = text(Key.credentialId) else {
      throw .messageParsingFailed("It does not name a credential.")
    }
    var notification = PushNotification(
      id: id, credentialId: credentialId, ttl: max(0, number(Key.ttl) ?? PushMessage.standardTimeToLive),
      messageId: text(Key.messageId) ?? "", messageText: values[Key.messageText] as? String,
      customPayload: content(Key.customPayload), challenge: text(Key.challenge),
      numbersChallenge: numbers, loadBalancer: text(Key.amlbCookie),
      contextInfo: values[Key.contextInfo] is String ? text(Key.contextInfo) : content(Key.contextInfo),
      pushType: type, createdAt: now,
      sentAt: number(Key.timeInterval).map { Date(millisecondsSince1970: Int64($0)) },
      additionalData: values[Key.additionalData] as? [String: Any])
    if type == .challenge, notification.getNumbersChallenge().isEmpty {
      notification.codeLength = number(Key.codeLength).flatMap {
        PushCodeChallenge.lengths.contains($0) ? $0 : nil
      }
    }
    notification.handlerKey = handlerKey
    return notification
  }
}
