internal import Foundation

/// The lenient dates of cookies, RFC 6265 §5.1.1.
enum CookieDate {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// The moment that `text` names, in UTC, or `nil` when a part is missing or out of range.
  static func parse(_ text: String) -> Date? {
    var time: (hour: Int, minute: Int, second: Int)?
    var day: Int?
    var month: Int?
    var year: Int?
    for token in text.split(whereSeparator: isDelimiter) {
      if time == nil, let found = clock(token) {
        time = found
      } else if day == nil, let found = number(token, digits: 1...2) {
        day = found
      } else if month == nil, let found = months.firstIndex(of: token.prefix(3).lowercased()) {
        month = found + 1
      } else if year == nil, let found = number(token, digits: 2...4) {
        year = found < 70 ? found + 2000 : found < 100 ? found + 1900 : found
      }
    }
    guard let time, let day, let month, let year, year >= 1601, (1...31).contains(day),
      time.hour < 24, time.minute < 60, time.second < 60
    else { return nil }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
    let components = DateComponents(
      calendar: calendar, year: year, month: month, day: day, hour: time.hour, minute: time.minute,
      second: time.second)
    return components.isValidDate ? components.date : nil
  }

  private static func isDelimiter(_ character: Character) -> Bool {
    !(character.isASCII && (character.isLetter || character.isNumber || character == ":"))
  }

  private static func number(_ token: Substring, digits: ClosedRange<Int>) -> Int? {
    let number = token.prefix { $0.isNumber }
    return digits.contains(number.count) ? Int(number) : nil
  }

  private static func clock(_ token: Substring) -> (hour: Int, minute: Int, second: Int)? {
    let parts = token.split(separator: ":").compactMap { number($0, digits: 1...2) }
    return parts.count == 3 ? (parts[0], parts[1], parts[2]) : nil
  }
}
