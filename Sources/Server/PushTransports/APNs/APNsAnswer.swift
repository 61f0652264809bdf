internal import Bytes
internal import Foundation
internal import StrictJSON

/// An answer of Apple's service, and its verdict (reference push §8).
struct APNsAnswer: Sendable, Hashable {
  var status: Int

  /// Apple's error name; `nil` when the answer has none.
  var reason: String?

  /// The time at which a token became invalid (status 410).
  var timestamp: Date?

  /// Seconds that the service asks to wait.
  var retryAfter: TimeInterval?

  /// Longest answer that is read, in bytes.
  static let maximumBytes = 4096

  init(status: Int, body: [UInt8], retryAfter: TimeInterval?) {
    self.status = status
    self.retryAfter = retryAfter
    let json = try? JSONValue(
      parsing: body, limits: JSONLimits(maximumBytes: Self.maximumBytes, maximumDepth: 4))
    // Only plain words go to the log.
    reason = json?["reason"]?.stringValue.flatMap { text in
      text.utf8.count <= 64 && text.allSatisfy { $0.isASCII && $0.isLetter } ? text : nil
    }
    timestamp = json?["timestamp"]?.integerValue.map { Date(millisecondsSince1970: $0) }
  }

  enum Verdict: Sendable, Hashable {
    case outcome(PushSendOutcome)

    /// The token may belong to the other environment.
    case unknownToken(String)

    /// The sender's own token is too old.
    case expiredSender(String)
  }

  var verdict: Verdict {
    let text = "APNs answered \(status)" + (reason.map { " \($0)" } ?? "")
    switch (status, reason) {
    case (200, _): return .outcome(.sent)
    case (400, "BadDeviceToken"): return .unknownToken(text)
    // The connection was idle for too long; the message itself is fine.
    case (400, "IdleTimeout"): return .outcome(.retry(text, after: retryAfter))
    case (403, "ExpiredProviderToken"): return .expiredSender(text)
    case (403, _):
      return .outcome(.failed("\(text): check key, key id, team id and topic against the developer account"))
    case (410, _): return .outcome(.retired(text, since: timestamp))
    case (429, _), (500..., _): return .outcome(.retry(text, after: retryAfter))
    default: return .outcome(.failed(text))
    }
  }
}
