internal import Foundation
internal import StrictJSON
internal import WebAddresses

/// When a `SimpleTime` condition holds: hours of the day, days of the week, dates. Every range that is given must match, bounds included.
struct TimeWindow: Sendable {
  /// Minutes of the day.
  private let times: (first: Int, last: Int)?

  /// Days of the week; 1 is Sunday.
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

/// The addresses and names of hosts of an `IPv4` or `IPv6` condition.
struct HostCondition: Sendable {
  /// `nil` when the condition names hosts alone.
  let addresses: ClosedRange<IPAddress>?

  /// Host names in lower case; `*.example.com` matches every name below it.
  let hosts: [String]

  init(_ properties: JSONReader, isIPv4: Bool) throws(JSONFault) {
    func address(_ name: String) throws(JSONFault) -> IPAddress? {
      guard let text = try properties[name]?.text() else { return nil }
      guard let address = IPAddress(text), address.isIPv4 == isIPv4 else {
        throw properties.wrong(name, "\"\(text)\" is not an \(isIPv4 ? "IPv4" : "IPv6") address")
      }
      return address
    }
    let start = try address("startIp")
    let end = try address("endIp")
    switch (start, end) {
    case (let start?, let end?):
      guard start <= end else { throw properties.wrong("endIp", "comes before startIp") }
      addresses = start...end
    case (let only?, nil), (nil, let only?): addresses = only...only
    case (nil, nil): addresses = nil
    }
    hosts = try properties.member("dnsName").texts().map { $0.lowercased() }
    if try !properties.member("ipRange").texts().isEmpty {
      throw properties.wrong("ipRange", "is not read; use startIp and endIp, in several conditions if needed")
    }
    guard addresses != nil || !hosts.isEmpty else {
      throw properties.wrong("startIp", "is missing; give startIp and endIp, or dnsName")
    }
  }

  func verdict(_ facts: PolicyFacts) -> Verdict {
    let host = facts.environment["requestDnsName"]?.first?.lowercased()
    return .any([
      addresses.map { range in facts.address.map { Verdict(range.contains($0)) } ?? .unknown } ?? .fails,
      hosts.isEmpty
        ? .fails : host.map { host in Verdict(hosts.contains { Self.covers($0, host) }) } ?? .unknown,
    ])
  }

  private static func covers(_ pattern: String, _ host: String) -> Bool {
    pattern == "*" || pattern == host || (pattern.hasPrefix("*.") && host.hasSuffix(pattern.dropFirst()))
  }
}
