package import Foundation

extension Date.ISO8601FormatStyle {
  /// RFC 3339 in UTC with milliseconds, so that texts sort by time.
  package static let milliseconds = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}

extension Date {
  /// Reads an ISO 8601 time with or without fractions of a second; `nil` for anything else.
  package init?(iso8601 text: String) {
    guard
      let date = (try? Date(text, strategy: .iso8601)) ?? (try? ISO8601FormatStyle.milliseconds.parse(text))
    else { return nil }
    self = date
  }
}

extension DateFormatter {
  /// A formatter for a fixed format that does not depend on the user's language, such as `EEE, dd MMM yyyy HH:mm:ss 'GMT'` (RFC 9110
  /// §5.6.7).
  // `Date.HTTPFormatStyle` can replace it for HTTP dates once every supported system has it.
  package convenience init(fixed format: String, in zone: TimeZone = .gmt) {
    self.init()
    locale = Locale(identifier: "en_US_POSIX")
    timeZone = zone
    dateFormat = format
  }
}
