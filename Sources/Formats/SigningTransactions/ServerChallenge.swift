/// The form of the challenges that a server draws or computes by itself: random bytes and transactions.
///
/// Both are 32 bytes in standard Base64 with padding (RFC 4648 §4), 44 characters. A text that a person or a program
/// wants signed must not have this form: its signature could pass as a sign-in or as an approval, and theirs as one
/// over the text.
public enum ServerChallenge {
  /// Characters of such a challenge.
  public static let length = 44

  /// Whether `text` could be such a challenge: 43 characters of Base64 or base64url, and `=`.
  ///
  /// The last character before the padding is not looked at closely: lenient decoders take any.
  public static func isPossible(_ text: String) -> Bool {
    guard text.utf8.count == length, text.utf8.last == UInt8(ascii: "=") else { return false }
    return text.utf8.dropLast().allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
        UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }
}
