internal import Bytes
internal import Concurrency
package import EvidenceLedger
package import Logging
internal import StrictJSON

/// A record of which ledger of evidence a database has, in a file of the data folder. Somebody who can write only to the database does not
/// reach it, so a ledger that was exchanged for a new one is noticed at the next start.
///
/// The file is a JSON object: the ledger's fingerprint, and a MAC of it under a key derived from the server key that it names.
package struct LedgerMark: Sendable {
  package static let fileName = "ledger.mark"

  private let folder: StoreDirectory

  /// The key under which the file was last seen to be sealed.
  private let latest = Locked<String?>(nil)

  private static let purpose = "sealring ledger mark 1"

  /// The most bytes to read, many times the size of the file.
  private static let longest = 4096

  package init(folder: StoreDirectory) { self.folder = folder }

  private var place: String { folder.path(of: Self.fileName) }

  /// Compares the ledger of the database with the one that was written down. Without a file there is nothing to compare.
  ///
  /// - Parameter ledger: its fingerprint; `nil` when the database has none.
  /// - Throws: ``StoreError/corrupt(_:)`` when it is another one, or the file is not one that this server has written.
  package func check(_ ledger: EvidenceHash?, _ serverKey: ServerKey) throws {
    guard let bytes = try folder.read(Self.fileName, limit: Self.longest) else { return }
    guard let value = try? JSONValue(parsing: bytes),
      let known = value["ledger"]?.stringValue.flatMap({ EvidenceHash($0) }),
      let key = value["key"]?.stringValue,
      let code = value["code"]?.stringValue.flatMap({ Base64URL.decode($0) }),
      // A server that no longer has a retired key still compares the fingerprint.
      serverKey.isValid(code, for: known.bytes, purpose: Self.purpose, under: key) ?? true
    else {
      throw StoreError.corrupt(
        "\(place) does not say which ledger the database has: it is damaged or forged; restore it from a backup of the folder, "
          + "or remove it when you have compared the ledger's fingerprint with the one that you noted (docs/audit.md)"
      )
    }
    guard known == ledger else {
      throw StoreError.corrupt(
        "the database's ledger of evidence is \(ledger.map { "\($0)" } ?? "gone"), and \(place) says that it was \(known): "
          + "somebody has removed or exchanged it; keep the database for an inquiry and restore a backup. If you have begun a new "
          + "database on purpose, remove that file")
    }
    latest.withLock { $0 = key }
  }

  /// Writes the file, unless it is already there under the key in use. Call it after ``check(_:_:)``.
  package func keep(_ ledger: EvidenceHash, _ serverKey: ServerKey) throws {
    let code = try serverKey.authenticationCode(for: ledger.bytes, purpose: Self.purpose)
    guard latest.withLock({ $0 }) != code.key else { return }
    let object: JSONValue = [
      "ledger": .string(ledger.text), "key": .string(code.key), "code": .string(Base64URL.encode(code.bytes)),
    ]
    try folder.replaceAtomically(Self.fileName, Array("\(object.text)\n".utf8))
    try folder.giveToOwner(Self.fileName)
    latest.withLock { $0 = code.key }
  }

  /// Like ``keep(_:_:)``, but a folder that cannot be written to is only logged, so that the start does not fail.
  package func note(_ ledger: EvidenceHash, _ serverKey: ServerKey, _ logger: Logger) {
    do { try keep(ledger, serverKey) } catch {
      logger.warning(
        "\(place) could not be written, so a ledger that is removed from the database is harder to notice: \(error)"
      )
    }
  }

  /// The error for a database without a ledger that has accounts or secrets: the ledger is made before them.
  package static let isMissing = StoreError.corrupt(
    "the database has accounts or secrets and no ledger of evidence: somebody has removed it; keep the database for an inquiry and "
      + "restore a backup")

  /// Whether the database has anything that only a database with a ledger has.
  package static let hasContent = SQLStatement(
    "SELECT EXISTS (SELECT 1 FROM users) OR EXISTS (SELECT 1 FROM server_secrets) OR EXISTS (SELECT 1 FROM server_keys)"
  ).flag
}
