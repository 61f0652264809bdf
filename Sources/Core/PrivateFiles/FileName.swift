internal import Bytes
internal import Crypto
internal import Foundation

/// A file name for `name`, which may hold any characters: letters, digits, `.`, `_` and `-` stay, others are
/// percent-encoded. Different names get different file names. Long ones are cut, and told apart by a digest.
package func fileName(for name: String) -> String {
  var encoded = ""
  for byte in name.utf8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      encoded.unicodeScalars.append(Unicode.Scalar(byte))
    case UInt8(ascii: ".") where !encoded.isEmpty:
      encoded += "."
    default:
      encoded += "%" + [byte].hexadecimal.uppercased()
    }
  }
  // 255 bytes is the common limit; the temporary and lock files add a few.
  guard encoded.isEmpty || encoded.utf8.count > 200 else { return encoded }
  return encoded.prefix(100) + "~" + SHA256.hash(data: Data(name.utf8)).hexadecimal
}
