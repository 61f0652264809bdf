internal import Foundation

/// A one-time code, and how long it is good for.
public struct OathCodeInfo: Codable, Sendable, Equatable {
  /// Decimal digits, with leading zeros.
  public let code: String

  /// Seconds until the next code takes its place; -1 for codes of a counter.
  public let timeRemaining: Int

  /// The counter that the code was made with; -1 for codes of the time.
  public let counter: Int

  /// How much of ``totalPeriod`` is over, from 0 to 1; 0 for codes of a counter.
  public let progress: Double

  /// Seconds that one code lasts; 0 for codes of a counter.
  public let totalPeriod: Int

  /// A code of the time.
  ///
  /// - Parameters:
  ///   - timeRemaining: Seconds that are left.
  ///   - totalPeriod: Seconds that one code lasts.
  public static func forTotp(code: String, timeRemaining: Int, totalPeriod: Int) -> OathCodeInfo {
    let left = totalPeriod > 0 ? Double(timeRemaining) / Double(totalPeriod) : 1
    return OathCodeInfo(
      code: code, timeRemaining: timeRemaining, counter: -1, progress: max(0, min(1, 1 - left)),
      totalPeriod: totalPeriod)
  }

  /// A code of a counter.
  public static func forHotp(code: String, counter: Int) -> OathCodeInfo {
    OathCodeInfo(code: code, timeRemaining: -1, counter: counter, progress: 0, totalPeriod: 0)
  }

  /// This value as JSON text.
  public func toJson() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  /// The value of that JSON text.
  ///
  /// - Throws: `DecodingError`
  public static func fromJson(_ jsonString: String) throws -> OathCodeInfo {
    try JSONDecoder().decode(OathCodeInfo.self, from: Data(jsonString.utf8))
  }
}

extension OathCodeInfo: CustomStringConvertible, CustomReflectable {
  /// Without the code: whoever has it in time can sign in with it.
  public var description: String {
    "OathCodeInfo(\(code.utf8.count) digits, timeRemaining: \(timeRemaining), counter: \(counter))"
  }

  public var customMirror: Mirror {
    Mirror(self, children: ["timeRemaining": timeRemaining, "counter": counter])
  }
}
