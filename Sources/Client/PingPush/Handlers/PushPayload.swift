internal import PushFormats

/// A message as it reached this device, before a handler has parsed it.
struct PushPayload {
  /// The server's id of the message; `nil` when the message came alone.
  let messageID: String?
  private let message: String?

  /// What a push service delivered, for handlers of the app; `nil` for a message alone.
  private let data: [String: Any]?

  init(data: [String: Any]) {
    let parts = ParsedPushMessage(data)
    messageID = parts.text("messageId")
    message = parts.text("message")
    self.data = data
  }

  init(message: String) {
    messageID = nil
    self.message = message
    data = nil
  }

  /// A message that this device has fetched itself.
  init(_ delivered: DeliveredPushMessage) {
    messageID = delivered.messageID
    message = delivered.message
    data = ["messageId": delivered.messageID, "message": delivered.message]
  }

  /// The message, when it has the form of PingAM's, and, unless it came alone, an id.
  var unverified: UnverifiedPushMessage? {
    guard let message, messageID != nil || data == nil else { return nil }
    return try? UnverifiedPushMessage(message)
  }

  /// What `handler` reads; `nil` when it does not understand the payload.
  func parsed(by handler: any PushHandler) throws -> ParsedPushMessage? {
    if let data {
      return handler.canHandle(messageData: data)
        ? ParsedPushMessage(try handler.parseMessage(messageData: data)) : nil
    }
    guard let message, handler.canHandle(message: message) else { return nil }
    return ParsedPushMessage(try handler.parseMessage(message: message))
  }
}
