import ArgumentParser
import BackupFormats
internal import Bytes
import Foundation
import JourneyStore
import JourneyStorePostgres
import StrictJSON

struct RestoreCommand: AsyncParsableCommand, JSONFlag {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Check a backup, or restore it into an empty folder or database.",
    discussion: """
      Everything is verified: the encryption, counts and hashes, the signature of the server that made the backup, the database, and the whole \
      ledger. Nothing is there before all of that has succeeded, and nothing is replaced. With --database the data go there, and --into gets \
      server.key; without it, --into gets both.
      """)

  @Argument(help: "The backup; - reads standard input.", completion: .file())
  var file: String

  @Option(help: "The file with the private key, of `sealring backup keygen`.", completion: .file())
  var identity: String

  @Flag(
    help: """
      Only check the backup. A copy of the database is made in a nameless temporary file, or with --database in a transaction \
      that is undone.
      """
  )
  var check = false

  @Option(help: "The server's new data folder; absent or empty.", completion: .directory)
  var into: String?

  @Option(help: "An empty PostgreSQL database: postgres://USER@HOST/DATABASE.")
  var database: String?

  @Option(
    parsing: .unconditional,
    help:
      "The fingerprint of the server that made the backup, as `sealring backup` and `sealring doctor` print it."
  )
  var fingerprint: String?

  @Flag(help: "Restore whatever server made the backup. Only when you know where the file comes from.")
  var anyServer = false

  @Flag(
    help: """
      End all sessions: leave them out, and what people stay signed in by without them (offline grants, persistent cookies, open \
      journeys). Users' SSH certificates are revoked.
      """
  )
  var endSessions = false

  @Flag(help: "Print what was found as JSON.")
  var json = false

  func validate() throws {
    guard check != (into != nil) else {
      throw ValidationError("Name the server's new folder with --into, or check the backup with --check.")
    }
    if check, endSessions {
      throw ValidationError("--check changes nothing, so it cannot be combined with --end-sessions.")
    }
    if fingerprint != nil, anyServer {
      throw ValidationError("--fingerprint and --any-server cannot be combined.")
    }
    if let database, try ServerPlace(data: into, database: database).address == nil {
      throw ValidationError("--database is postgres://USER@HOST/DATABASE. For SQLite, --into is enough.")
    }
  }

  func run() async throws {
    let backup: BackupReader
    do {
      let identity = try BackupIdentity(file: GivenFile.bytes(identity, limit: BackupIdentity.longestFile))
      let input = try InputFile(path: file)
      backup = try BackupReader(identity) { try input.read() }
      try requireServer(of: backup.head)
      backup.endsSessions = endSessions
      let restored = check ? try await checked(backup) : try await restore(backup)
      done(restored.text, restored.json)
    } catch let fault as BackupFault {
      throw CommandFailure(
        "\(fault.code == .key ? "The key does not fit: " : "\(name) is not restored: ")\(printable(sentence(fault.reason)))",
        code: fault.code == .damaged ? .damaged : .invalid)
    } catch let error as StoreError {
      throw CommandFailure(printable(sentence("\(error)")), code: error.code)
    }
  }

  private var name: String { file == "-" ? "Standard input" : printable(file) }

  /// Compares the server in the backup with the fingerprint that its owner knows, because anyone can encrypt to a public key.
  private func requireServer(of head: BackupHead) throws {
    guard let fingerprint else {
      guard !check, !anyServer else { return }
      throw CommandFailure.refused(
        "\(name) was made by the server \(head.fingerprint). Compare that with the fingerprint that `sealring backup` printed, and add "
          + "--fingerprint \(head.fingerprint).")
    }
    guard fingerprint == head.fingerprint else {
      throw CommandFailure.refused(
        "\(name) was made by another server: \(head.fingerprint), not \(printable(fingerprint)).")
    }
  }

  private func checked(_ backup: BackupReader) async throws -> Restored {
    // PostgreSQL runs the check in one transaction, which is rolled back.
    let target: any BackupTarget =
      database.map { PostgresRestore($0, isTrial: true) } ?? SQLiteRestore(file: nil)
    return Restored(
      head: backup.head, ledger: try await target.load(backup) { _, _ in }, manifest: backup.manifest,
      checked: true, lines: fingerprint == nil ? [Self.comparison] : [])
  }

  private func restore(_ backup: BackupReader) async throws -> Restored {
    let folder = try RestoredFolder(
      URL(filePath: into ?? ""), keys: backup.keyFiles, keepsKeys: database != nil)
    do {
      let target: any BackupTarget =
        try database.map { PostgresRestore($0) } ?? SQLiteRestore(file: folder.database())
      let ledger = try await target.load(backup) { try folder.append($1, to: $0) }
      try folder.commit(mayRemain: database != nil)
      return Restored(
        head: backup.head, ledger: ledger, manifest: backup.manifest, checked: false, lines: advice(backup))
    } catch {
      folder.discard()
      throw error
    }
  }

  private static let comparison =
    "Compare the server's fingerprint with the one that `sealring backup` printed, or pass it as --fingerprint."

  /// The steps to take after a restore.
  private func advice(_ backup: BackupReader) -> [String] {
    [
      database == nil ? "" : "The other servers of the database need the same server.key: copy it.",
      endSessions
        ? "All sessions have ended, and so have offline grants, persistent cookies and open journeys; users' SSH certificates are revoked."
        : "Sessions that were open on \(Times.text(backup.head.date)) are open again; --end-sessions would have ended them.",
      "Devices that were removed since then are back, and so are old passwords, roles and locks. One-time codes that were used since then "
        + "are unused. Go through the security events since then.",
      "The server key that was in use then is in use again. If it was retired since, rotate it at once and retire it again, with --stolen if it "
        + "was stolen: what a thief seals with it is accepted until then (docs/backup.md).",
      backup.manifest.rows(of: "ssh_authorities") > 0
        ? "SSH certificates and keys that were revoked since then are good again, and keys of SSH authorities that were retired are trusted "
          + "again: do both again (docs/backup.md)." : "",
      "The folder belongs to the user who ran this: if the server runs as another user, give it to that one with chown.",
    ].filter { !$0.isEmpty }
  }
}

/// The result of a check or restore, for the command's output.
private struct Restored {
  let head: BackupHead
  let ledger: RestoredLedger?
  let manifest: BackupManifest
  let checked: Bool
  let lines: [String]

  var json: JSONObject {
    [
      "checked": .bool(checked), "created": .string(JSONTimes.text(head.date.millisecondsSince1970)),
      "program": .string(head.program),
      "database": .string(head.store.rawValue), "fingerprint": .string(head.fingerprint),
      "tables": .object(JSONObject(manifest.tables.map { ($0.name, .integer($0.count)) })),
      "files": .object(JSONObject(manifest.files.map { ($0.name, .integer($0.count)) })),
      "ledger": ledger.map {
        [
          "fingerprint": .string($0.fingerprint), "entries": .integer($0.entries), "head": .string($0.head),
        ]
      } ?? .null,
    ]
  }

  var text: String {
    let rows = manifest.tables.reduce(0) { $0 + $1.count }
    let ledger = ledger.map { "ledger \($0.fingerprint): \($0.entries) entries, verified to \($0.head)" }
    return
      ([
        "\(checked ? "The backup is whole" : "Restored"): \(rows) rows, \(manifest.rows(of: "users")) accounts, of "
          + "\(Times.text(head.date)), "
          + "by Sealring \(printable(head.program)) on \(head.store == .sqlite ? "SQLite" : "PostgreSQL").",
        "fingerprint \(head.fingerprint)", ledger ?? "without a ledger",
      ] + lines).joined(separator: "\n")
  }
}
