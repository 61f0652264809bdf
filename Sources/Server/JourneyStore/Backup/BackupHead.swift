internal import BackupFormats
internal import Bytes
package import Foundation
internal import Crypto
internal import ProductVersion
internal import StrictJSON

/// What a backup says about itself at its beginning.
package struct BackupHead: Sendable, Hashable {
  package let store: StoreKind
  /// How many migrations the database had.
  package let schema: Int
  /// The version of the program that wrote it.
  package private(set) var program = ProductVersion.text
  package let date: Date
  /// The recipient that it was encrypted to.
  package let recipient: String
  /// The public key (Ed25519, 32 bytes) for the signatures of the backup's server.
  let server: [UInt8]

  private static let form: Int64 = 1
}

extension BackupHead {
  init(record: [UInt8]) throws {
    let value = try? JSONValue(parsing: record)
    guard value?["form"]?.integerValue == Self.form,
      let store = value?["store"]?.stringValue.flatMap(StoreKind.init),
      let schema = value?["schema"]?.integerValue,
      let schema = Int(exactly: schema), (0...100_000).contains(schema),
      let program = value?["program"]?.stringValue, program.utf8.count <= 100,
      let created = value?["created"]?.integerValue, let recipient = value?["recipient"]?.stringValue,
      let server = value?["server"]?.stringValue.flatMap({ Base64URL.decode($0) }), server.count == 32
    else { throw BackupFault(.format, "its first record is not one that this version knows") }
    self.init(
      store: store, schema: schema, program: program, date: Date(millisecondsSince1970: created),
      recipient: recipient, server: server)
  }

  var record: [UInt8] {
    let object: JSONValue = [
      "form": .integer(Self.form), "store": .string(store.rawValue), "schema": .integer(Int64(schema)),
      "program": .string(program), "created": .integer(date.millisecondsSince1970),
      "recipient": .string(recipient), "server": .string(Base64URL.encode(server)),
    ]
    return Array(object.text.utf8)
  }

  /// The fingerprint of the server that made the backup: ``ServerKey/fingerprint``.
  package var fingerprint: String { ServerKey.fingerprint(of: server) }

  /// - Throws: ``StoreError/unavailable(_:)`` when a database of `kind` cannot take it.
  package func require(_ kind: StoreKind, schema known: Int) throws {
    let other = "it is of Sealring \(program)"
    guard store == kind else {
      // Columns that have the same names in both have the same meaning in one version only.
      guard program == ProductVersion.text else {
        throw StoreError.unavailable(
          "the backup is of another kind of database, and \(other), not \(ProductVersion.text); restore it into its own "
            + "kind, start this version on that once, and back it up again")
      }
      return
    }
    guard schema <= known else {
      throw StoreError.unavailable("the backup is of a newer version: \(other); restore it with that version")
    }
  }
}

extension ServerKey {
  /// The key that signs backups, so that nobody can forge one: the key that they are encrypted to is public. It is derived from the server
  /// key in use, so it needs no place of its own, every server that has the key has it, and a retired key signs nothing.
  func backupSigner() throws -> Curve25519.Signing.PrivateKey {
    try derived(for: "sealring backup signature 1").withUnsafeBytes {
      try Curve25519.Signing.PrivateKey(rawRepresentation: Data($0))
    }
  }

  /// Identifies the key in use without revealing it. All servers of one database and their backups show the same fingerprint. A rotation
  /// changes it.
  package var fingerprint: String {
    get throws { Self.fingerprint(of: [UInt8](try backupSigner().publicKey.rawRepresentation)) }
  }

  /// Begins with a word, because base64url may begin with a hyphen, and the value of an option must not.
  static func fingerprint(of signer: [UInt8]) -> String {
    "server-" + Base64URL.encode(SHA256.hash(data: Data("sealring server 1".utf8) + signer))
  }
}
