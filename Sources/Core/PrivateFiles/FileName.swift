internal import Bytes
internal import Crypto
internal import Foundation

/// A file name for `name`, which may hold any characters: letters, digits, `.`, `_` and `-` stay, others are
/// percent-encoded. Different names get different file names. Long ones are cut, and told apart by a digest.
package func fileName(for name: String) -> String {
  var encoded = ""
  for byte in name.utf8 {
    switch byte {
    case UInt8(ascii: ".") where encoded.isEmpty, UInt8(ascii: "~"):
      encoded += PercentEncoding.escape(byte)
    default: encoded += PercentEncoding.encode(byte)
    }
  }
  // 255 bytes is the common limit; the temporary and lock files add a few.
  guard encoded.isEmpty || encoded.utf8.count > 200 else { return encoded }
  return encoded.prefix(100) + "~" + SHA256.hash(data: Data(name.utf8)).hexadecimal
}
