internal import Bytes
internal import Foundation
internal import JOSE
package import JourneyStore
internal import StrictJSON

/// The facts about a message that push services need, read from the claims that the server signed (reference push §3.3).
package struct PushNotice: Sendable, Hashable {
  package let messageID: String

  /// The JWS for the device.
  package let message: String

  /// The text that the user reads before the device opens the message.
  let text: String

  /// Apple's category for the possible actions: `authentication`, or that with the push type.
  let category: String

  /// The time at which the message expires.
  let expiresAt: Date

  /// Lifetime of a message that does not state one. Seconds.
  private static let defaultLifetime: Int64 = 120

  /// - Throws: ``PushSendError`` when this server did not make the message.
  package init(_ item: PushInboxItem) throws(PushSendError) {
    guard let token = try? UnverifiedJWS(compact: item.message),
      let claims = try? JSONValue(
        parsing: token.payload, limits: JSONLimits(maximumBytes: 16 << 10, maximumDepth: 8)),
      let sent = Self.integer(claims["i"])
    else { throw PushSendError("message \(item.messageID) is not a message of this server") }
    messageID = item.messageID
    message = item.message
    text = claims["m"]?.stringValue ?? ""
    let type = claims["k"]?.stringValue ?? "default"
    category = type == "default" ? "authentication" : "authentication_\(type)"
    let lifetime = Self.integer(claims["t"]) ?? Self.defaultLifetime
    expiresAt = Date(millisecondsSince1970: sent) + TimeInterval(lifetime)
  }

  private static func integer(_ value: JSONValue?) -> Int64? {
    value?.integerValue ?? value?.stringValue.flatMap { Int64($0) }
  }

  /// The body for push services without a format of their own.
  var body: [UInt8] {
    let pair: JSONObject = ["messageId": .string(messageID), "message": .string(message)]
    return pair.serialized
  }
}

/// Why a message was not handed over. Contains no token and no address of a device.
package struct PushSendError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
