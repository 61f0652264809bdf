/// Percent-encoding (RFC 3986 §2.1), strict in both directions.
package enum PercentEncoding {
  /// `text` with everything but the unreserved characters encoded, `+`, `/` and spaces included.
  package static func encode(_ text: String) -> String {
    var output: [UInt8] = []
    output.reserveCapacity(text.utf8.count)
    for byte in text.utf8 { append(byte, to: &output) }
    return String(decoding: output, as: UTF8.self)
  }

  /// `byte` encoded, unless it is unreserved.
  package static func encode(_ byte: UInt8) -> String {
    var output: [UInt8] = []
    append(byte, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// `byte` encoded, even when it is unreserved.
  package static func escape(_ byte: UInt8) -> String {
    var output: [UInt8] = []
    appendEscape(byte, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  private static func append(_ byte: UInt8, to output: inout [UInt8]) {
    if isUnreserved(byte) { output.append(byte) } else { appendEscape(byte, to: &output) }
  }

  private static func appendEscape(_ byte: UInt8, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "%"))
    // RFC 3986 §2.1 recommends capitals.
    output.append(Hexadecimal.digit(byte >> 4, ten: UInt8(ascii: "A")))
    output.append(Hexadecimal.digit(byte & 15, ten: UInt8(ascii: "A")))
  }

  /// The text `name=value&…` for a query or an `application/x-www-form-urlencoded` body, in this order. A space becomes `%20`, which
  /// every reader of forms accepts. A pair without a value is left out.
  package static func form(_ pairs: [(String, String?)]) -> String {
    pairs.compactMap { name, value in value.map { "\(encode(name))=\(encode($0))" } }.joined(separator: "&")
  }

  /// The same text, with the pairs sorted by name.
  package static func form(_ parameters: [String: String]) -> String {
    form(parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }

  /// The text that `text` encodes; `nil` for a broken escape or invalid UTF-8. `+` stays as it is, because Base64 uses it.
  package static func decode(_ text: some StringProtocol) -> String? {
    bytes(text).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The bytes that `text` stands for; `nil` for a broken escape.
  package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    var output: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        output.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(Hexadecimal.value),
        let low = rest.popFirst().flatMap(Hexadecimal.value)
      else { return nil }
      output.append(high << 4 | low)
    }
    return output
  }

  /// Whether `byte` never needs encoding: ASCII letters, digits and `-._~` (RFC 3986 §2.3).
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
