internal import Crypto
internal import Foundation
internal import JOSE

/// Where the key of a tag is: tags may hold any characters, so the name of the file is a digest of the tag.
enum KeyFile {
  static let suffix = "key"

  static func url(for tag: String, in folder: URL) -> URL {
    folder.appendingPathComponent(Base64URL.encode(SHA256.hash(data: Array(tag.utf8))) + ".\(suffix)")
  }

  /// Whether a file in the folder is a key.
  static func isKey(_ name: String) -> Bool { name.hasSuffix(".\(suffix)") }
}
