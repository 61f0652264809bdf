internal import BackupFormats
internal import Bytes
internal import Foundation
internal import StrictJSON

/// The end of a backup: what it holds, counted and hashed. The server signs it.
package struct BackupManifest: Sendable, Hashable {
  package struct Part: Sendable, Hashable {
    package let name: String
    /// Rows of a table, bytes of a file.
    package var count: Int64 = 0
    /// SHA-256 of its records.
    package var hash: [UInt8] = []
  }

  package var tables: [Part] = []
  package var files: [Part] = []

  /// SHA-256 of all records before the manifest.
  var hash: [UInt8] = []

  /// The beginning of the signed bytes, so that the signature is valid for nothing else.
  private static let purpose = Array("sealring backup manifest 1\n".utf8)

  var record: [UInt8] {
    func list(_ parts: [Part]) -> JSONValue {
      .array(
        parts.map {
          ["name": .string($0.name), "count": .integer($0.count), "sha256": .string($0.hash.hexadecimal)]
        })
    }
    let object: JSONValue = [
      "tables": list(tables), "files": list(files), "sha256": .string(hash.hexadecimal),
    ]
    return Array(object.text.utf8)
  }

  static func signed(_ record: [UInt8]) -> Data { Data(purpose + record) }

  /// Rows of a table; 0 when there is none of that name.
  package func rows(of table: String) -> Int64 { tables.first { $0.name == table }?.count ?? 0 }
}
