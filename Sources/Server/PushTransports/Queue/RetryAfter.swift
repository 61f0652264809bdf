internal import Bytes
internal import Foundation

/// Reads `Retry-After` (RFC 9110 §10.2.3): seconds, or a date in the preferred form.
enum RetryAfter {
  /// Longest wait, in seconds. No message lives that long.
  private static let longest: TimeInterval = 86_400

  private static let httpDate = DateFormatter(fixed: "EEE, dd MMM yyyy HH:mm:ss 'GMT'")

  /// Seconds from `now`; `nil` for any other text.
  static func seconds(_ text: String?, now: Date) -> TimeInterval? {
    guard let text, text.utf8.count <= 64 else { return nil }
    if let seconds = Int(text) { return seconds >= 0 ? min(TimeInterval(seconds), longest) : nil }
    return httpDate.date(from: text).map { min(max($0.timeIntervalSince(now), 0), longest) }
  }
}
