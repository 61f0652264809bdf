internal import Foundation

/// Times as directory servers write them: `20270101120000Z` (RFC 4517 §3.3.13), in UTC, to the second.
enum GeneralizedTime {
  /// The time in `text`, without a fraction of a second; `nil` when it is malformed or not in UTC.
  static func date(in text: String) -> Date? {
    let digits = text.prefix { ("0"..."9").contains($0) }
    let rest = text.dropFirst(14)
    guard digits.count == 14, text.utf8.count <= 32, rest.last == "Z" else { return nil }
    let fraction = rest.dropLast()
    guard fraction.isEmpty || fraction.first == "." || fraction.first == ",",
      fraction.dropFirst().allSatisfy({ ("0"..."9").contains($0) })
    else { return nil }
    func number(_ offset: Int, _ count: Int) -> Int? { Int(digits.dropFirst(offset).prefix(count)) }
    let components = DateComponents(
      calendar: calendar, timeZone: .gmt, year: number(0, 4), month: number(4, 2), day: number(6, 2),
      hour: number(8, 2), minute: number(10, 2), second: number(12, 2))
    return components.isValidDate ? calendar.date(from: components) : nil
  }

  static func text(of date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
      .replacing("T", with: "")
  }

  private static var calendar: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }
}
