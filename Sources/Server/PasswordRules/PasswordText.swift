internal import Foundation

/// The form in which passwords are checked and hashed.
///
/// It is Normalization Form KC, as NIST SP 800-63B-4 §3.1.1 recommends for passwords with non-ASCII characters, so that equal looking
/// text is equal on every keyboard. Case and spaces count.
public enum PasswordText {
  /// Longest password in bytes of normalized UTF-8, when set, changed and used.
  public static let maximumBytes = 1024

  /// The most bytes that are normalized. A keyboard may send a character as several code points, and normalization usually
  /// shortens them.
  private static let maximumRawBytes = 4 * maximumBytes

  /// The normalized text; `nil` when it is empty or too long.
  public static func normalized(_ text: String) -> String? {
    bounded(text) { $0.precomposedStringWithCompatibilityMapping }
  }

  /// Normalization Form C, from which earlier versions made hashes; `nil` when it equals the current form or is not a password.
  public static func formerlyNormalized(_ text: String) -> String? {
    guard let former = bounded(text, { $0.precomposedStringWithCanonicalMapping }),
      let now = normalized(text), !former.utf8.elementsEqual(now.utf8)
    else { return nil }
    return former
  }

  private static func bounded(_ text: String, _ normalize: (String) -> String) -> String? {
    guard text.utf8.count <= maximumRawBytes else { return nil }
    let normalized = normalize(text)
    return (1...maximumBytes).contains(normalized.utf8.count) ? normalized : nil
  }
}
