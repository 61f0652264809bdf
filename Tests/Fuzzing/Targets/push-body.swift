import PushFormats

extension FuzzTarget {
  /// The bodies of push requests and answers: written again they are the same.
  static let pushBody = FuzzTarget { bytes in
    // A form feed is written in six bytes, and may have come in two: long bodies grow beyond what is read.
    let isShort = bytes.count * 3 <= PushFormatLimits.bodyBytes
    if let body = try? PushAnswerBody(parsing: bytes) {
      expect(!isShort || (try? PushAnswerBody(parsing: body.serialized)) == body, "an answer changes")
    }
    if let body = try? PushRefreshBody(parsing: bytes) {
      expect(!isShort || (try? PushRefreshBody(parsing: body.serialized)) == body, "a refresh changes")
    }
    if let body = try? PushPollBody(parsing: bytes) {
      expect(!isShort || (try? PushPollBody(parsing: body.serialized)) == body, "a poll changes")
      expect((0...PushFormatLimits.pollSeconds).contains(body.wait), "a poll waits too long")
    }
    if let body = try? DeliveredPushMessage(parsing: bytes) {
      expect(
        !isShort || (try? DeliveredPushMessage(parsing: body.serialized)) == body,
        "a delivered message changes")
    }
    if let body = try? PushPollAnswer(parsing: bytes) {
      expect(
        !isShort || (try? PushPollAnswer(parsing: body.serialized)) == body, "an answer to a poll changes")
      expect(body.messages.count <= PushFormatLimits.messagesPerPoll, "there are too many messages")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    if let id = PushMessageID(text) { expect(PushMessageID(id.text) == id, "an id changes") }
  }
}
