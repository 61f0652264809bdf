internal import StrictJSON

/// The body for Apple's service (reference push §3.2).
enum APNsPayload {
  /// Longest body that Apple accepts, in bytes.
  static let maximumBytes = 4096

  /// Builds the body. PingAM puts its own keys inside `aps`, where the client SDKs look for them.
  ///
  /// - Throws: ``PushSendError`` when the message does not fit.
  static func bytes(_ notice: PushNotice) throws(PushSendError) -> [UInt8] {
    let payload: JSONObject = [
      "aps": [
        "alert": .string(notice.text), "sound": "default", "category": .string(notice.category),
        "interruption-level": "time-sensitive", "messageId": .string(notice.messageID),
        "data": .string(notice.message), "content-available": 1, "mutable-content": 1,
      ]
    ]
    let bytes = payload.serialized
    guard bytes.count <= maximumBytes else {
      throw PushSendError(
        "the message has \(bytes.count) bytes; APNs carries at most \(maximumBytes); shorten its text or payload"
      )
    }
    return bytes
  }
}
