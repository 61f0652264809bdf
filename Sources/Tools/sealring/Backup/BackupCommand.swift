import ArgumentParser
import BackupFormats
import Foundation
import JourneyStore
import SecurityEvents
import StrictJSON

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Back up a server's database and key, encrypted, while it runs.",
    discussion: """
      Everything is read at one moment: accounts, devices, sessions, the ledger, and server.key. Only the owner of the private key, which \
      need not be on the server, can read the backup; `sealring restore` opens it. A backup of one machine's SQLite can be restored into a \
      PostgreSQL for several, and back.
      """,
    subcommands: [Create.self, Keygen.self], defaultSubcommand: Create.self)

  struct Create: AsyncParsableCommand, JSONFlag {
    static let configuration = CommandConfiguration(
      abstract: "Write a backup.",
      discussion: """
        Note the fingerprint that is printed: `sealring restore` asks for it, because anyone who has the public key could make a file that is \
        encrypted to it.
        """)

    @OptionGroup var data: Audit.DataOptions

    @Option(help: "The public key to encrypt to, as `sealring backup keygen` prints it.")
    var recipient = CurrentSettings.text("backup.recipient")

    @Option(
      name: [.customLong("output"), .customShort("o")],
      help: "The file to write; - writes to standard output.",
      completion: .file())
    var file: String

    @Flag(help: "Include the security events in the data folder.")
    var events = false

    @Flag(help: "Replace the file if it exists.")
    var force = false

    @Flag(help: "Print what was backed up as JSON.")
    var json = false

    func validate() throws {
      if json, file == "-" {
        throw ValidationError("--json and the backup would both go to standard output.")
      }
      guard !recipient.isEmpty else {
        throw ValidationError(
          "Name the public key with --recipient, or set it for good: sealring config set backup.recipient KEY. "
            + "`sealring backup keygen FILE` makes one.")
      }
      do throws(BackupFault) { _ = try BackupRecipient(recipient) } catch {
        throw ValidationError("--recipient: \(sentence(error.reason))")
      }
    }

    func run() async throws {
      let place = try data.place
      let source = try place.backup()
      let output = try AtomicFile(path: file, replaces: force, hyphenIsOutput: true)
      let progress = ProgressLine()
      defer { progress.clear() }
      var bytes = 0
      let writer = try BackupWriter(to: BackupRecipient(recipient), keyIn: place.directory, at: Date()) {
        piece in
        bytes += piece.count
        progress.show("\(bytes >> 20) MiB…")
        try output.write(piece)
      }
      try await source.read { try writer.add($0) }
      if events { try Self.addEvents(of: place.directory, to: writer) }
      let manifest = try writer.finish()
      try output.commit()
      progress.clear()
      report(manifest, bytes: bytes, fingerprint: try writer.fingerprint, place)
    }

    /// Adds the files of security events, all of which are open before the first is read: if the server rotates them meanwhile, no event is
    /// missing, and none is there twice.
    private static func addEvents(of directory: URL, to writer: BackupWriter) throws {
      let path = directory.appending(path: "events.jsonl").path(percentEncoded: false)
      do {
        for (number, file) in try EventFiles.open(at: path).reversed() {
          try writer.add(file: number == 0 ? "events.jsonl" : "events.jsonl.\(number)") {
            Array(try file.read(upToCount: 256 << 10) ?? Data())
          }
        }
      } catch let error as SecurityEventError { throw CommandFailure(sentence(error.description)) }
    }

    private func report(_ manifest: BackupManifest, bytes: Int, fingerprint: String, _ place: ServerPlace) {
      let rows = manifest.tables.reduce(0) { $0 + $1.count }
      done(
        """
        Backed up \(rows) rows to \(file == "-" ? "standard output" : printable(file)): \(manifest.rows(of: "users")) accounts, \
        \(manifest.rows(of: "evidence")) entries of the ledger.
        fingerprint \(fingerprint)
        """,
        [
          "file": .string(file), "bytes": .integer(Int64(bytes)),
          "database": .string(place.address == nil ? "sqlite" : "postgres"), "rows": .integer(rows),
          "accounts": .integer(manifest.rows(of: "users")),
          "evidence": .integer(manifest.rows(of: "evidence")),
          "eventFiles": .integer(Int64(manifest.files.count)), "fingerprint": .string(fingerprint),
          "recipient": .string(recipient),
        ])
    }
  }

  struct Keygen: ParsableCommand, JSONFlag {
    static let configuration = CommandConfiguration(
      abstract:
        "Make a key pair for backups: the private key into a file, the public one on standard output.",
      discussion: """
        The file is for its owner only (mode 0600). Take it away from the server, and keep it in more than one place: without it, no backup \
        can be read.
        """)

    @Argument(help: "The file for the private key.", completion: .file())
    var file: String

    @Flag(help: "Print the public key as JSON.")
    var json = false

    func run() throws {
      let identity = BackupIdentity()
      try AtomicFile.write(identity.file, to: file, replaces: false)
      result(
        "\(identity.recipient)",
        ["recipient": .string("\(identity.recipient)"), "file": .string(file)])
    }
  }
}
