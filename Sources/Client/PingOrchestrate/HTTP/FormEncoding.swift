internal import Foundation

/// Percent-encoding for query items and form bodies.
enum FormEncoding {
  /// RFC 3986 §2.3: everything else is encoded, so that no value can end its field or be read as a space.
  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  static func encode(_ text: String) -> String {
    // Nil is documented for text that is not valid Unicode, which a Swift string always is.
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }
}
