internal import Bytes

/// The cookies of a request, as its `Cookie` header names them (RFC 6265 §4.2.1). What they hold comes from outside.
struct CookieHeader: Sendable {
  /// Name and value, in the header's order.
  let cookies: [(name: String, value: String)]

  /// A longer header is treated as having no cookies. Bytes.
  private static let maximumBytes = 16_384

  /// The most cookies that are read; browsers keep no more of one site.
  private static let maximumCount = 200

  /// - Parameter text: the header's value; several are joined by semicolons.
  init(_ text: String?) {
    guard let text, text.utf8.count <= Self.maximumBytes else {
      cookies = []
      return
    }
    // Split by bytes, because a combining mark after a separator is one Character with it.
    cookies = text.utf8.split(separator: UInt8(ascii: ";")).prefix(Self.maximumCount).compactMap { pair in
      guard let sign = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let (name, value) = (pair[..<sign].trimmingBlanks, pair[pair.index(after: sign)...].trimmingBlanks)
      return (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }
  }

  /// The first cookie of that name: it has the most specific path (RFC 6265 §5.4).
  subscript(name: String) -> String? {
    cookies.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }
}
