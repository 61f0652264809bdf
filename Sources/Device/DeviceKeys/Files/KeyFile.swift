internal import Bytes
internal import Crypto
package import Foundation

/// The files in which a kind of store keeps its keys, one each. Different kinds may share a folder.
package struct KeyFile: Sendable {
  /// The ending of their names, without the dot.
  package let suffix: String

  /// Keys of the software store.
  static let software = KeyFile(suffix: "key")

  package init(suffix: String) { self.suffix = suffix }

  /// Where the key of a tag is: tags may hold any characters, so the name of the file is a digest of the tag.
  package func url(for tag: String, in folder: URL) -> URL {
    folder.appendingPathComponent(Base64URL.encode(SHA256.hash(data: Array(tag.utf8))) + ".\(suffix)")
  }

  /// Whether a file in the folder is a key.
  package func isKey(_ name: String) -> Bool { name.hasSuffix(".\(suffix)") }
}
