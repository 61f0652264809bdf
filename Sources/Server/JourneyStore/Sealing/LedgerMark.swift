internal import Bytes
internal import Concurrency
package import EvidenceLedger
package import Logging
internal import StrictJSON

/// Which ledger of evidence a database has, written down beside it: in a file of the data folder, which those who can write to the
/// database alone do not reach. So a ledger that was exchanged for a new one is noticed at the next start.
///
/// The file is a JSON object: the ledger's fingerprint, and a MAC of it under a key derived from the server key that it names.
package struct LedgerMark: Sendable {
  package static let fileName = "ledger.mark"

  private let folder: StoreDirectory

  /// Under which key the file was last seen to be sealed.
  private let latest = Locked<String?>(nil)

  private static let purpose = "sealring ledger mark 1"

  /// Many times what it has.
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
      // Whoever no longer has a retired key still compares the fingerprint.
      serverKey.isValid(code, for: known.bytes, purpose: Self.purpose, under: key) ?? true
    else {
      throw StoreError.corrupt(
        "\(place) does not say which ledger the database has, as this server has written it; restore it from a backup of the folder, "
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

  /// Writes down the ledger, unless that is there under the key in use. Call it after ``check(_:_:)``.
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

  /// The same, at a start, which does not fail for a folder that cannot be written to.
  package func note(_ ledger: EvidenceHash, _ serverKey: ServerKey, _ logger: Logger) {
    do { try keep(ledger, serverKey) } catch {
      logger.warning(
        "\(place) could not be written, so a ledger that is removed from the database is harder to notice: \(error)"
      )
    }
  }

  /// A database that has accounts or secrets had a ledger, which was made before them.
  package static let isMissing = StoreError.corrupt(
    "the database has accounts or secrets and no ledger of evidence: somebody has removed it; keep the database for an inquiry and "
      + "restore a backup")

  /// Whether there is anything that only a database with a ledger has.
  package static let hasContent = SQLStatement(
    "SELECT EXISTS (SELECT 1 FROM users) OR EXISTS (SELECT 1 FROM server_secrets) OR EXISTS (SELECT 1 FROM server_keys)"
  ).flag
}
