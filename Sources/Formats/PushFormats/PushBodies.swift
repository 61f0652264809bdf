public import StrictJSON

/// The body of `_action=register` and `_action=authenticate`.
public struct PushAnswerBody: Sendable, Hashable {
  public var messageID: String
  /// The token, as in ``PushRegistration`` or ``PushAnswer``.
  public var jwt: String

  public init(messageID: String, jwt: String) {
    self.messageID = messageID
    self.jwt = jwt
  }

  /// - Throws: ``PushFormatError``
  public init(parsing bytes: some Sequence<UInt8>) throws(PushFormatError) {
    let body = try JSONObject(parsingBody: bytes, limit: PushFormatLimits.bodyBytes)
    messageID = try body.required("messageId", limit: 256)
    jwt = try body.required("jwt", limit: PushFormatLimits.tokenBytes)
  }

  public var serialized: [UInt8] {
    (["messageId": .string(messageID), "jwt": .string(jwt)] as JSONObject).serialized
  }
}

/// The body of `_action=refresh`.
public struct PushRefreshBody: Sendable, Hashable {
  public var mechanismUID: String
  /// `username`; read from `userId` too, where some apps put it.
  public var username: String
  /// The token, as in ``PushRefresh``.
  public var jwt: String

  public init(mechanismUID: String, username: String, jwt: String) {
    self.mechanismUID = mechanismUID
    self.username = username
    self.jwt = jwt
  }

  /// - Throws: ``PushFormatError``
  public init(parsing bytes: some Sequence<UInt8>) throws(PushFormatError) {
    let body = try JSONObject(parsingBody: bytes, limit: PushFormatLimits.bodyBytes)
    mechanismUID = try body.required("mechanismUid", limit: 256)
    username = try body["username"] == nil ? body.required("userId") : body.required("username")
    jwt = try body.required("jwt", limit: PushFormatLimits.tokenBytes)
  }

  public var serialized: [UInt8] {
    ([
      "mechanismUid": .string(mechanismUID), "username": .string(username), "jwt": .string(jwt),
    ] as JSONObject).serialized
  }
}

/// The body of `_action=poll`.
public struct PushPollBody: Sendable, Hashable {
  public var mechanismUID: String
  /// The token, as in ``PushFetch``.
  public var jwt: String
  /// How long the server may hold the request until a message comes, in seconds, 0 to ``PushFormatLimits/pollSeconds``.
  public var wait: Int

  public init(mechanismUID: String, jwt: String, wait: Int = 0) {
    self.mechanismUID = mechanismUID
    self.jwt = jwt
    self.wait = min(max(wait, 0), PushFormatLimits.pollSeconds)
  }

  /// - Throws: ``PushFormatError``. A `wait` out of bounds is brought into them.
  public init(parsing bytes: some Sequence<UInt8>) throws(PushFormatError) {
    let body = try JSONObject(parsingBody: bytes, limit: PushFormatLimits.bodyBytes)
    let wait = body["wait"].map { $0.isNull ? .integer(0) : $0 } ?? .integer(0)
    guard let seconds = wait.integerValue else {
      throw PushFormatError(.malformed, "wait is not a whole number.")
    }
    self.init(
      mechanismUID: try body.required("mechanismUid", limit: 256),
      jwt: try body.required("jwt", limit: PushFormatLimits.tokenBytes), wait: Int(clamping: seconds))
  }

  public var serialized: [UInt8] {
    var body: JSONObject = ["mechanismUid": .string(mechanismUID), "jwt": .string(jwt)]
    if wait > 0 { body["wait"] = .integer(Int64(wait)) }
    return body.serialized
  }
}

/// A message as it is handed to a device: in a poll's answer, as one event of the stream, and in a push payload.
public struct DeliveredPushMessage: Sendable, Hashable {
  public var messageID: String
  /// The signed message; see ``UnverifiedPushMessage``.
  public var message: String

  public init(messageID: String, message: String) {
    self.messageID = messageID
    self.message = message
  }

  /// Reads `{"messageId", "message"}`.
  ///
  /// - Throws: ``PushFormatError``
  public init(parsing bytes: some Sequence<UInt8>) throws(PushFormatError) {
    try self.init(json: JSONObject(parsingBody: bytes, limit: 2 * PushFormatLimits.tokenBytes))
  }

  init(json: JSONObject) throws(PushFormatError) {
    messageID = try json.required("messageId", limit: 256)
    message = try json.required("message", limit: PushFormatLimits.tokenBytes)
  }

  var json: JSONObject { ["messageId": .string(messageID), "message": .string(message)] }

  public var serialized: [UInt8] { json.serialized }
}

/// The answer to a poll.
public struct PushPollAnswer: Sendable, Hashable {
  public var messages: [DeliveredPushMessage]

  public init(messages: [DeliveredPushMessage]) { self.messages = messages }

  /// Reads `{"messages": […]}`, at most ``PushFormatLimits/messagesPerPoll`` of them. An element that cannot be read is left out, so
  /// that the device still gets the others.
  ///
  /// - Throws: ``PushFormatError``
  public init(parsing bytes: some Sequence<UInt8>) throws(PushFormatError) {
    let limit = (PushFormatLimits.messagesPerPoll + 1) * PushFormatLimits.tokenBytes
    let body = try JSONObject(parsingBody: bytes, limit: limit)
    guard let elements = body["messages"]?.arrayValue else {
      throw PushFormatError(.missing, "messages is absent or not an array.")
    }
    guard elements.count <= PushFormatLimits.messagesPerPoll else {
      throw PushFormatError(
        .tooLarge, "There are \(elements.count) messages, more than \(PushFormatLimits.messagesPerPoll).")
    }
    messages = elements.compactMap { element in
      element.objectValue.flatMap { try? DeliveredPushMessage(json: $0) }
    }
  }

  public var json: JSONObject { ["messages": .array(messages.map { .object($0.json) })] }

  public var serialized: [UInt8] { json.serialized }
}
