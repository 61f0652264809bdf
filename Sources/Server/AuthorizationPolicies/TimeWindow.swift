internal import Foundation
internal import StrictJSON

/// When a `SimpleTime` condition holds: hours of the day, days of the week, dates. Each that is given must fit, first and last included.
struct TimeWindow: Sendable {
  /// Minutes of the day.
  private let times: (first: Int, last: Int)?

  /// Days of the week from 1, Sunday.
  private let days: (first: Int, last: Int)?

  /// Dates as the number YYYYMMDD.
  private let dates: (first: Int, last: Int)?
  private let calendar: Calendar

  private static let names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

  init(_ properties: JSONReader) throws(JSONFault) {
    func pair(
      _ first: String, _ last: String, _ form: String, _ read: (String) -> Int?
    ) throws(JSONFault) -> (first: Int, last: Int)? {
      func bound(_ name: String) throws(JSONFault) -> Int? {
        guard let text = try properties[name]?.text() else { return nil }
        guard let value = read(text) else {
          throw properties.wrong(name, "\"\(text)\" must have the form \(form)")
        }
        return value
      }
      switch (try bound(first), try bound(last)) {
      case (nil, nil): return nil
      case (let first?, let last?): return (first, last)
      case (_, nil): throw properties.wrong(last, "is missing, although \(first) is given")
      case (nil, _): throw properties.wrong(first, "is missing, although \(last) is given")
      }
    }
    times = try pair("startTime", "endTime", "17:30", Self.minute)
    days = try pair("startDay", "endDay", "mon") { name in
      Self.names.firstIndex(of: String(name.lowercased().prefix(3))).map { $0 + 1 }
    }
    dates = try pair("startDate", "endDate", "2027:01:31", Self.date)
    if let dates, dates.first > dates.last { throw properties.wrong("endDate", "comes before startDate") }
    guard times != nil || days != nil || dates != nil else {
      throw properties.wrong("startTime", "is missing; give times, days or dates, each with its end")
    }
    let zone = try properties["enforcementTimeZone"]?.text() ?? "GMT"
    guard let found = TimeZone(identifier: zone) ?? TimeZone(abbreviation: zone) else {
      throw properties.wrong("enforcementTimeZone", "\"\(zone)\" is not a time zone such as Europe/Paris")
    }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = found
    self.calendar = calendar
  }

  func holds(at now: Date) -> Bool {
    let parts = calendar.dateComponents([.year, .month, .day, .weekday, .hour, .minute], from: now)
    guard let year = parts.year, let month = parts.month, let day = parts.day, let weekday = parts.weekday,
      let hour = parts.hour, let minute = parts.minute
    else { return false }
    return Self.fits(hour * 60 + minute, times) && Self.fits(weekday, days)
      && Self.fits(year * 10_000 + month * 100 + day, dates)
  }

  /// Times and days wrap around: from 22:00 to 06:00, from Friday to Monday.
  private static func fits(_ value: Int, _ bounds: (first: Int, last: Int)?) -> Bool {
    guard let (first, last) = bounds else { return true }
    return first <= last ? first <= value && value <= last : value >= first || value <= last
  }

  private static func minute(_ text: String) -> Int? {
    let parts = numbers(text, count: 2)
    guard let parts, parts[0] < 24, parts[1] < 60 else { return nil }
    return parts[0] * 60 + parts[1]
  }

  private static func date(_ text: String) -> Int? {
    guard let parts = numbers(text, count: 3), (1970...9999).contains(parts[0]), (1...12).contains(parts[1]),
      (1...31).contains(parts[2])
    else { return nil }
    return parts[0] * 10_000 + parts[1] * 100 + parts[2]
  }

  private static func numbers(_ text: String, count: Int) -> [Int]? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == count, parts.allSatisfy({ (1...4).contains($0.utf8.count) }),
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    return parts.compactMap { Int($0) }
  }
}
