internal import Foundation

/// A one-time code, and how long it is valid.
public struct OathCodeInfo: Codable, Sendable, Equatable {
  /// Decimal digits, with leading zeros.
  public let code: String

  /// Seconds until the next code replaces it; -1 for counter-based codes.
  public let timeRemaining: Int

  /// The counter of the next code, as the credential has it after this one; -1 for time-based codes.
  public let counter: Int

  /// The part of ``totalPeriod`` that has passed, from 0 to 1; 0 for counter-based codes.
  public let progress: Double

  /// How long one code is valid, in seconds; 0 for counter-based codes.
  public let totalPeriod: Int

  /// A time-based code.
  ///
  /// - Parameters:
  ///   - timeRemaining: Seconds left.
  ///   - totalPeriod: How long one code is valid, in seconds.
  public static func forTotp(code: String, timeRemaining: Int, totalPeriod: Int) -> OathCodeInfo {
    let left = totalPeriod > 0 ? Double(timeRemaining) / Double(totalPeriod) : 1
    return OathCodeInfo(
      code: code, timeRemaining: timeRemaining, counter: -1, progress: max(0, min(1, 1 - left)),
      totalPeriod: totalPeriod)
  }

  /// A counter-based code.
  ///
  /// - Parameter counter: The counter of the next code.
  public static func forHotp(code: String, counter: Int) -> OathCodeInfo {
    OathCodeInfo(code: code, timeRemaining: -1, counter: counter, progress: 0, totalPeriod: 0)
  }

  /// This value as JSON text.
  public func toJson() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  /// Reads a value from its JSON text.
  ///
  /// - Throws: `DecodingError`
  public static func fromJson(_ jsonString: String) throws -> OathCodeInfo {
    try JSONDecoder().decode(OathCodeInfo.self, from: Data(jsonString.utf8))
  }
}

extension OathCodeInfo: CustomStringConvertible, CustomReflectable {
  /// A description without the code, which is a password while it is valid.
  public var description: String {
    "OathCodeInfo(\(code.utf8.count) digits, timeRemaining: \(timeRemaining), counter: \(counter))"
  }

  public var customMirror: Mirror {
    Mirror(self, children: ["timeRemaining": timeRemaining, "counter": counter])
  }
}
