/// Percent-encoding (RFC 3986 §2.1).
package enum PercentEncoding {
  /// `text` with everything but the unreserved characters encoded, `+`, `/` and spaces included.
  package static func encode(_ text: String) -> String {
    text.utf8.map { byte in
      isUnreserved(byte)
        ? String(Unicode.Scalar(byte))
        : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  /// Whether `byte` never needs encoding (RFC 3986 §2.3).
  package static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
