internal import PushFormats

/// A message as it reached this device, before a handler has parsed it.
struct PushPayload {
  /// The server's id of the message; `nil` for a message without its payload.
  let messageID: String?
  private let message: String?

  /// The payload that a push service delivered, for handlers of the app; `nil` for a message without its payload.
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

  /// The message, if it has the form of PingAM's messages and, when there is a payload, an id.
  var unverified: UnverifiedPushMessage? {
    guard let message, messageID != nil || data == nil else { return nil }
    return try? UnverifiedPushMessage(message)
  }

  /// The content that `handler` reads; `nil` when it does not understand the payload.
  func parsed(by handler: any PushHandler) throws -> ParsedPushMessage? {
    if let data {
      return handler.canHandle(messageData: data)
        ? ParsedPushMessage(try handler.parseMessage(messageData: data)) : nil
    }
    guard let message, handler.canHandle(message: message) else { return nil }
    return ParsedPushMessage(try handler.parseMessage(message: message))
  }
}
