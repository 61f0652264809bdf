internal import Foundation

/// Which PINs an app lets its users choose (NIST SP 800-63B-4 §3.1.1 and, for what unlocks a key of the device alone, §3.2.10).
///
/// Stores accept any PIN and only check it. The app asks the policy when a person chooses a PIN, never when one is entered, so that a
/// stricter policy locks nobody out.
public struct PINPolicy: Sendable, Hashable {
  /// What a PIN may consist of.
  public enum Characters: Sendable, Hashable {
    /// 0 to 9.
    case digits
    /// All characters except control characters.
    case any
  }

  /// The shortest length that any policy allows.
  public static let leastLength = 4
  /// The longest PIN that any policy accepts.
  public static let maximumLength = 128

  /// At least four characters of any kind, none of the common ones.
  public static let standard = PINPolicy()

  /// The fewest characters, ``leastLength`` to ``maximumLength``. A character is a Unicode code point of the text in NFC.
  public let minimumLength: Int
  /// What it may consist of.
  public let characters: Characters
  /// Whether common PINs and PINs that follow a simple pattern are refused.
  public let refusesCommon: Bool
  /// Further PINs that the app refuses, for example its own name; in lower case.
  public let refused: Set<String>

  /// - Parameters:
  ///   - minimumLength: Clamped to the range from ``leastLength`` to ``maximumLength``.
  ///   - refused: Further PINs to refuse, compared as a whole and ignoring case.
  public init(
    minimumLength: Int = 4, characters: Characters = .any, refusesCommon: Bool = true,
    refused: some Sequence<String> = []
  ) {
    self.minimumLength = min(max(minimumLength, Self.leastLength), Self.maximumLength)
    self.characters = characters
    self.refusesCommon = refusesCommon
    self.refused = Set(refused.map(Self.comparable))
  }

  /// Why `pin` may not be chosen; `nil` when it may.
  public func violation(of pin: PIN) -> PINPolicyViolation? {
    let text = String(decoding: pin.bytes, as: UTF8.self)
    let scalars = Array(text.unicodeScalars)
    switch characters {
    case .digits where !scalars.allSatisfy({ ("0"..."9").contains($0) }):
      return .notDigits
    case .any where scalars.contains(where: { $0.properties.generalCategory == .control }):
      return .controlCharacter
    default: break
    }
    guard scalars.count >= minimumLength else { return .tooShort(minimum: minimumLength) }
    guard scalars.count <= Self.maximumLength else { return .tooLong(maximum: Self.maximumLength) }
    let comparable = Self.comparable(text)
    if refused.contains(comparable) { return .common }
    guard refusesCommon else { return nil }
    if PINPatterns.isRepetition(scalars) || PINPatterns.isRun(scalars) { return .pattern }
    return CommonPINs.all.contains(comparable) ? .common : nil
  }

  /// The requirements as a sentence for the person, to show before a PIN is chosen.
  public var rule: String {
    let what = characters == .digits ? "digits" : "characters"
    return "At least \(minimumLength) \(what)"
      + (refusesCommon ? "; common ones such as 123456 are refused." : ".")
  }

  private static func comparable(_ text: String) -> String {
    text.precomposedStringWithCanonicalMapping.lowercased()
  }
}
