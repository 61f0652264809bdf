internal import Bytes
public import Foundation

/// Base64 in its two alphabets (RFC 4648 §4 and §5). Padding may be absent when decoding.
// Has no stored property.
public class Base64: @unchecked Sendable {
  /// Whether `value` is Base64 of either alphabet.
  public static func isBase64Encoded(_ value: String) -> Bool { bytes(of: value) != nil }

  /// The text whose UTF-8 form `value` encodes in the standard alphabet.
  ///
  /// - Throws: ``Base64Error``
  public static func decodeBase64(_ value: String) throws -> String {
    guard !value.contains(where: { "-_".contains($0) }) else { throw Base64Error.invalidBase64(value) }
    return try text(value)
  }

  /// The text whose UTF-8 form `value` encodes in the URL-safe alphabet.
  ///
  /// - Throws: ``Base64Error``
  public static func decodeBase64Url(_ value: String) throws -> String {
    guard !value.contains(where: { "+/".contains($0) }) else { throw Base64Error.invalidBase64(value) }
    return try text(value)
  }

  /// The bytes that `base64URLString` encodes in the URL-safe alphabet.
  public static func decodeBase64UrlToData(_ base64URLString: String) -> Data? {
    base64URLString.contains(where: { "+/".contains($0) }) ? nil : bytes(of: base64URLString)
  }

  /// `value`, as UTF-8, in the URL-safe alphabet and without padding.
  public static func encodeBase64(_ value: String) -> String { Base64URL.encode(value.utf8) }

  /// Standard Base64, in one line, from URL-safe Base64 of a text.
  ///
  /// - Throws: ``Base64Error``
  public static func recodeBase64NoWrapUrlSafeValueToNoWrap(_ value: String) throws -> String {
    PaddedBase64.encode(try decodeBase64Url(value).utf8)
  }

  /// URL-safe Base64, in one line, from standard Base64 of a text.
  ///
  /// - Throws: ``Base64Error``
  public static func recodeBase64NoWrapValueToUrlSafeNoWrap(_ value: String) throws -> String {
    encodeBase64(try decodeBase64(value))
  }

  private static func text(_ value: String) throws -> String {
    guard let bytes = bytes(of: value) else { throw Base64Error.invalidBase64(value) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Base64Error.invalidBase64String(value)
    }
    return text
  }

  fileprivate static func bytes(of value: String) -> Data? { LenientBase64.decode(value).map { Data($0) } }
}

/// Why a text cannot be decoded. The text itself is not shown: it may be a secret.
public enum Base64Error: Error, LocalizedError, Sendable {
  /// The text is not Base64.
  case invalidBase64(String)

  /// The text is Base64, but not of UTF-8 text.
  case invalidBase64String(String)

  public var errorDescription: String? {
    switch self {
    case .invalidBase64(let value): "\(value.utf8.count) characters are not Base64 of the expected alphabet."
    case .invalidBase64String(let value): "\(value.utf8.count) characters of Base64 do not encode UTF-8 text."
    }
  }
}

extension Data {
  /// The bytes.
  public var bytesArray: [UInt8] { Array(self) }

  /// URL-safe Base64 without padding.
  public func base64URLEncodedString() -> String { Base64URL.encode(self) }
}

extension String {
  /// Standard, padded Base64 of this text's UTF-8 form.
  public func base64Encoded() -> String { PaddedBase64.encode(utf8) }

  /// URL-safe, unpadded Base64 of this text's UTF-8 form.
  public func base64URLEncodedString() -> String { Base64URL.encode(utf8) }

  /// The text that this Base64, of either alphabet, encodes; `nil` when it encodes none.
  public func base64Decoded() -> String? {
    Base64.bytes(of: self).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// Whether this is Base64 of either alphabet.
  public func isBase64Encoded() -> Bool { Base64.isBase64Encoded(self) }

  /// The bytes that this URL-safe Base64 encodes.
  public func decodeURL() -> Data? { Base64.decodeBase64UrlToData(self) }

  /// This text with `=` appended up to a multiple of four characters.
  public func base64Pad() -> String { self + String(repeating: "=", count: (4 - utf8.count % 4) % 4) }

  /// The bytes that this Base64, of either alphabet, encodes.
  public func decodeBase64() -> Data? { Base64.bytes(of: self) }

  /// This URL-safe Base64 in the standard alphabet; padding stays as it is.
  public func urlSafeDecoding() -> String { replacing("-", with: "+").replacing("_", with: "/") }

  /// This standard Base64 in the URL-safe alphabet; padding stays as it is.
  public func urlSafeEncoding() -> String { replacing("+", with: "-").replacing("/", with: "_") }
}
