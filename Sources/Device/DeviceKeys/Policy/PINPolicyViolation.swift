public import Foundation

/// Why a PIN may not be chosen. The text is for the person and says what to do.
public enum PINPolicyViolation: LocalizedError, Sendable, Hashable {
  /// It has fewer characters than it needs.
  case tooShort(minimum: Int)
  /// It has more characters than are accepted.
  case tooLong(maximum: Int)
  /// It has characters other than the digits 0 to 9.
  case notDigits
  /// It has a character that no keyboard enters, such as a line break.
  case controlCharacter
  /// It is one character or a short piece over and over, or a run such as 123456.
  case pattern
  /// Many people choose it, or the app refuses it.
  case common

  public var errorDescription: String? { "\(texts.what) \(texts.remedy)" }

  /// What is wrong with it; never `nil`.
  public var failureReason: String? { texts.what }

  /// What to do; never `nil`.
  public var recoverySuggestion: String? { texts.remedy }

  private var texts: (what: String, remedy: String) {
    switch self {
    case .tooShort(let minimum): ("The PIN is too short.", "Choose one with at least \(minimum) characters.")
    case .tooLong(let maximum): ("The PIN is too long.", "Choose one with at most \(maximum) characters.")
    case .notDigits: ("The PIN has characters other than digits.", "Use 0 to 9 only.")
    case .controlCharacter:
      ("The PIN has a character that cannot be shown, such as a line break.", "Leave it out.")
    case .pattern:
      ("The PIN follows a simple pattern.", "Choose one without repetitions and runs such as 123456.")
    case .common: ("The PIN is too common and easy to guess.", "Choose another one.")
    }
  }
}
