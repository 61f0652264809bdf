internal import Foundation

/// The form in which passwords are judged and hashed.
///
/// Normalization Form KC, as NIST SP 800-63B-4 §3.1.1 recommends for passwords with other characters than ASCII, so that
/// what looks the same is the same, whatever keyboard it comes from. Case and spaces count.
public enum PasswordText {
  /// Longest password in bytes of normalized UTF-8, at every door: setting, signing in, changing.
  public static let maximumBytes = 1024

  /// Most bytes that are looked at. A keyboard may send a character in several code points, and normalizing makes
  /// most of them shorter.
  private static let maximumRawBytes = 4 * maximumBytes

  /// The normalized text; `nil` when it is empty or too long.
  public static func normalized(_ text: String) -> String? {
    bounded(text) { $0.precomposedStringWithCompatibilityMapping }
  }

  /// The text as hashes were made from it before, in Normalization Form C; `nil` when that is the same, or no password.
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
