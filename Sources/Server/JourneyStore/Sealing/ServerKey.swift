internal import Bytes
package import Crypto
internal import Foundation

/// The key under which secrets are encrypted before they are stored: 256 bits, in a file of its own, so that a copy of
/// the database alone gives them away to nobody.
package struct ServerKey: Sendable, Redacted {
  package static let length = 32

  private static let fileName = "server.key"

  /// What is longer than this is not looked at. Far more than a key, so that a damaged one is called damaged.
  private static let longestFile = 4096

  private let key: SymmetricKey
  private let place: String

  package init(bytes: [UInt8], place: String) {
    key = SymmetricKey(data: bytes)
    self.place = place
  }

  /// Reads `server.key`; `nil` when there is none.
  package init?(existingIn directory: StoreDirectory) throws {
    let path = directory.path(of: Self.fileName)
    guard let stored = try directory.read(Self.fileName, limit: Self.longestFile) else { return nil }
    guard stored.count == Self.length else {
      throw StoreError.corrupt(
        "\(path) is not \(Self.length) bytes long; it was left as it is; restore it from a backup")
    }
    self.init(bytes: stored, place: path)
  }

  /// Reads `server.key`, or creates it.
  ///
  /// - Parameter mayCreate: Whether nothing has been encrypted yet. If something has, a new key would only hide that
  ///   the old one is lost.
  package init(in directory: StoreDirectory, mayCreate: Bool, randomBytes: (Int) -> [UInt8]) throws {
    let path = directory.path(of: Self.fileName)
    if let existing = try ServerKey(existingIn: directory) {
      try directory.makePrivate(Self.fileName)
      self = existing
      return
    }
    guard mayCreate else {
      throw StoreError.unavailable(
        "\(path) is missing, and the database holds secrets encrypted under it; restore it from a backup")
    }
    let bytes = randomBytes(Self.length)
    guard bytes.count == Self.length, try directory.createAtomically(Self.fileName, bytes) else {
      throw StoreError.unavailable("\(path) could not be created because it appeared meanwhile; start again")
    }
    self.init(bytes: bytes, place: path)
  }

  /// Encrypts with AES-256-GCM: nonce, ciphertext, tag. `name` is authenticated, so that stored secrets cannot be
  /// exchanged for one another.
  package func seal(_ secret: [UInt8], named name: String) throws -> [UInt8] {
    let box = try AES.GCM.seal(secret, using: key, authenticating: Data(name.utf8))
    guard let sealed = box.combined else {
      throw StoreError.unavailable("the secret \(name) could not be encrypted")
    }
    return [UInt8](sealed)
  }

  /// Reverses ``seal(_:named:)``.
  ///
  /// - Parameter table: where the secret is stored, for the operator.
  package func open(_ sealed: [UInt8], named name: String, in table: String) throws -> [UInt8] {
    do {
      return try [UInt8](
        AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key, authenticating: Data(name.utf8)))
    } catch {
      throw StoreError.corrupt(
        "table \(table), \(name): cannot be decrypted with \(place); "
          + "the key belongs to another database, or the row was changed")
    }
  }

  /// A key of its own for another purpose (HKDF, RFC 5869).
  package func derived(for purpose: String) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Data(purpose.utf8), outputByteCount: 32)
  }

  package var description: String { "server key of \(place)" }
}
