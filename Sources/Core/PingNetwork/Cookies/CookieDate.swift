internal import Foundation

/// The date in an `Expires` attribute, read as RFC 6265 §5.1.1 says, which covers all forms in use; else `nil`.
func cookieDate(_ text: String) -> Date? {
  var time: [Int]?
  var day: Int?
  var month: Int?
  var year: Int?
  for token in text.split(whereSeparator: { " \t,-/;".contains($0) }).map({ $0.lowercased() }) {
    let digits = Int(token.prefix { $0.isASCII && $0.isNumber })
    if time == nil, let found = clockTime(token) {
      time = found
    } else if day == nil, token.count <= 2, let digits {
      day = digits
    } else if month == nil, let index = months.firstIndex(of: String(token.prefix(3))) {
      month = index + 1
    } else if year == nil, (2...4).contains(token.count), let digits {
      year = digits < 70 ? digits + 2000 : digits < 100 ? digits + 1900 : digits
    }
  }
  guard let time, let day, (1...31).contains(day), let month, let year, year >= 1601 else { return nil }
  var calendar = Calendar(identifier: .gregorian)
  calendar.timeZone = .gmt
  let components = DateComponents(
    year: year, month: month, day: day, hour: time[0], minute: time[1], second: time[2])
  guard let date = calendar.date(from: components), calendar.component(.day, from: date) == day else {
    return nil
  }
  return date
}

private let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

/// Hours, minutes and seconds of `h:m:s`.
private func clockTime(_ token: String) -> [Int]? {
  let parts = token.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
  guard parts.count == 3, 0...23 ~= parts[0], 0...59 ~= parts[1], 0...59 ~= parts[2] else { return nil }
  return parts
}
