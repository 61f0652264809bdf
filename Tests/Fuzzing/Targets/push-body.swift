import PushFormats

extension FuzzTarget {
  /// The bodies of push requests and answers: written again they are the same.
  static let pushBody = FuzzTarget { bytes in
    _ = readTwice(bytes, { try PushAnswerBody(parsing: $0) }, \.serialized, "an answer")
    _ = readTwice(bytes, { try PushRefreshBody(parsing: $0) }, \.serialized, "a refresh")
    if let body = readTwice(bytes, { try PushPollBody(parsing: $0) }, \.serialized, "a poll") {
      expect((0...PushFormatLimits.pollSeconds).contains(body.wait), "a poll waits too long")
    }
    _ = readTwice(bytes, { try DeliveredPushMessage(parsing: $0) }, \.serialized, "a delivered message")
    if let body = readTwice(bytes, { try PushPollAnswer(parsing: $0) }, \.serialized, "an answer to a poll") {
      expect(body.messages.count <= PushFormatLimits.messagesPerPoll, "there are too many messages")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    if let id = PushMessageID(text) { expect(PushMessageID(id.text) == id, "an id changes") }
  }
}

/// What `bytes` hold, if they can be read. Written and read again it is the same; or the reader says that it is too large, because
/// it was near the limit and has characters that are written longer than they came (a form feed is six bytes).
private func readTwice<Body: Equatable>(
  _ bytes: [UInt8], _ read: ([UInt8]) throws -> Body, _ write: (Body) -> [UInt8],
  _ what: String
) -> Body? {
  guard let body = try? read(bytes) else { return nil }
  let written = write(body)
  do {
    expect(try read(written) == body, "\(what) changes")
  } catch {
    let hasGrown = written.count > max(bytes.count, PushFormatLimits.bodyBytes)
    let isTooLarge = (error as? PushFormatError)?.code == .tooLarge
    expect(isTooLarge && hasGrown, "\(what) is refused once it is written again")
  }
  return body
}
