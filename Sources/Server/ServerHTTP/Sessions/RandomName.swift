internal import Bytes

/// Random names that people pass to programs.
package enum RandomName {
  /// The bytes in URL-safe Base64, never with a leading hyphen: a command line would take that for an option.
  package static func make(_ bytes: [UInt8]) -> String {
    let text = Base64URL.encode(bytes)
    return text.hasPrefix("-") ? "0" + text.dropFirst() : text
  }
}
