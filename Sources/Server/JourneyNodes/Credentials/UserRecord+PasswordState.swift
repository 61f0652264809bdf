internal import Foundation
internal import JourneyStore
internal import StrictJSON

/// What directory servers keep of a password's state, as attributes of the user under their names.
extension UserRecord {
  /// `pwdReset`: an administrator set the password, so the person must choose another.
  var mustChangePassword: Bool {
    get {
      switch attributes["pwdReset"] {
      case .bool(let flag): flag
      case .string(let text): text.lowercased() == "true"
      default: false
      }
    }
    set { attributes["pwdReset"] = newValue ? JSONValue?.some(true) : .none }
  }

  /// `ds-pwp-password-expiration-time`: end of the password's life, a generalized time in UTC such as
  /// `20270101120000Z` (RFC 4517 §3.3.13).
  var passwordExpiry: Date? {
    guard let text = attributes["ds-pwp-password-expiration-time"]?.stringValue, text.hasSuffix("Z") else {
      return nil
    }
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard digits.count == 14 else { return nil }
    func number(_ offset: Int, _ count: Int) -> Int? { Int(digits.dropFirst(offset).prefix(count)) }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar.date(
      from: DateComponents(
        year: number(0, 4), month: number(4, 2), day: number(6, 2), hour: number(8, 2), minute: number(10, 2),
        second: number(12, 2)))
  }
}
