import ArgumentParser
import Foundation
import StrictJSON

extension User {
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add the accounts of a file.",
      discussion: """
        CSV with a header line (RFC 4180), or JSON Lines, one object a line; by the file's name, or --format. Columns and members: \
        username, mail, password or passwordhash (Argon2id in PHC form, $argon2id$v=19$…), status, pwdReset; all others become \
        attributes. The whole file is checked first, without storing anything; then the valid lines are stored. An invalid line is \
        reported with its number, and nothing of it is stored. Standard input (-) and pipes are stored as they are read.
        """)

    enum Format: String, ExpressibleByArgument, CaseIterable { case csv, jsonl }

    @OptionGroup var administration: Administration

    @Argument(help: "The file; - reads standard input.", completion: .file(extensions: ["csv", "jsonl"]))
    var file: String

    @Option(help: "csv or jsonl. Default: the extension of the file's name.")
    var format: Format?

    @Flag(help: "Report what would be stored and what would not, and store nothing.")
    var dryRun = false

    @OptionGroup var output: ResultOptions

    func validate() throws {
      guard format ?? nameFormat != nil else {
        throw ValidationError(
          "Add --format csv or --format jsonl: the name \(file) does not show which it is.")
      }
      if file == "-", administration.passwordStdin {
        throw ValidationError(
          "Standard input has the accounts: pass the password in SEALRING_ADMIN_PASSWORD.")
      }
    }

    private var nameFormat: Format? { Format(rawValue: URL(filePath: file).pathExtension.lowercased()) }

    func run() async throws {
      let input = try InputFile(path: file)
      let result = try await administration.signedIn { client in
        guard input.canRewind else { return try await pass(input, client, isTrial: dryRun, passedOver: []) }
        let trial = try await pass(input, client, isTrial: true, passedOver: [])
        guard !dryRun, trial.stored > 0 else { return trial }
        try input.rewind()
        var result = try await pass(
          input, client, isTrial: false, passedOver: Set(trial.faults.map(\.line)))
        result.faults = (trial.faults + result.faults).sorted { $0.line < $1.line }
        return result
      }
      report(result)
      guard result.faults.isEmpty else {
        let isOne = result.faults.count == 1
        throw CommandFailure.invalid(
          "\(result.faults.count) \(isOne ? "line was" : "lines were") not \(dryRun ? "valid" : "stored"); nothing of "
            + "\(isOne ? "it" : "them") was kept."
        )
      }
    }

    private func report(_ result: Result) {
      if output.json {
        Output.json([
          "dryRun": .bool(dryRun), "accounts": .integer(Int64(result.stored)),
          "faults": .array(
            result.faults.map { ["line": .integer(Int64($0.line)), "reason": .string($0.reason)] }),
        ])
        return
      }
      for fault in result.faults { Output.remark("line \(fault.line): \(printable(sentence(fault.reason)))") }
      let count = "\(result.stored) \(result.stored == 1 ? "account" : "accounts")"
      Output.remark(
        dryRun
          ? "\(count) would be added to realm \(printable(administration.server.realm))."
          : "Added \(count) to realm \(printable(administration.server.realm)).")
    }

    /// The result of a pass over the file.
    struct Result {
      var stored = 0
      var faults: [(line: Int, reason: String)] = []
    }

    /// The most accounts, because their names are kept in memory to find duplicates.
    private static let mostAccounts = 1_000_000

    /// The most bad lines; a file with more is probably the wrong file.
    private static let mostFaults = 1000

    private func pass(
      _ input: InputFile, _ client: AdministrationClient, isTrial: Bool, passedOver: Set<Int>
    ) async throws -> Result {
      let isCSV = (format ?? nameFormat) == .csv
      var reader = RecordReader(input, isCSV: isCSV)
      let progress = ProgressLine()
      defer { progress.clear() }
      var result = Result()
      var columns: [String]?
      // Names of earlier lines in the file: a trial stores none of them.
      var names: Set<String> = []
      while let record = try reader.next() {
        guard !passedOver.contains(record.line) else { continue }
        do {
          guard let bytes = record.bytes else {
            throw ImportedAccount.Fault(reason: "it is longer than \(RecordReader.longest) bytes")
          }
          guard !isCSV || columns != nil else {
            columns = try Self.header(bytes)
            continue
          }
          let account =
            try isCSV
            ? ImportedAccount(cells: ImportedAccount.cells(of: bytes), columns: columns ?? [])
            : ImportedAccount(json: bytes)
          guard names.insert((account.body["username"]?.stringValue ?? "").lowercased()).inserted else {
            throw ImportedAccount.Fault(reason: "another line of the file has the same name")
          }
          guard names.count <= Self.mostAccounts else {
            throw CommandFailure.invalid(
              "The file has more than \(Self.mostAccounts) accounts. Split it; those before line \(record.line) were "
                + "\(isTrial ? "tried" : "stored")."
            )
          }
          try await Self.send(account, client, isTrial: isTrial)
          result.stored += 1
        } catch let error as ImportedAccount.Fault {
          // A CSV file is unusable without its header.
          guard !isCSV || columns != nil else {
            throw CommandFailure.invalid(
              "The header on line \(record.line) cannot be read: \(sentence(error.reason))")
          }
          result.faults.append((record.line, error.reason))
          guard result.faults.count < Self.mostFaults else {
            throw CommandFailure.invalid(
              "\(Self.mostFaults) lines are not valid, the last of them line \(record.line): \(sentence(error.reason)) Is it the "
                + "right file? \(isTrial ? "Nothing was stored." : "\(result.stored) accounts were stored.")"
            )
          }
        }
        progress.show("\(isTrial ? "tried" : "stored") \(result.stored)…")
      }
      return result
    }

    private static func header(_ bytes: [UInt8]) throws(ImportedAccount.Fault) -> [String] {
      let columns = try ImportedAccount.cells(of: bytes).map { $0.trimmingCharacters(in: .whitespaces) }
      guard (1...100).contains(columns.count), !columns.contains("") else {
        throw ImportedAccount.Fault(reason: "a header has 1 to 100 names, and none is empty")
      }
      guard Set(columns.map { $0.lowercased() }).count == columns.count else {
        throw ImportedAccount.Fault(reason: "a name appears twice")
      }
      return columns
    }

    /// The most seconds that the server's limits may delay one account, over all tries.
    private static let patience = 120

    private static func send(
      _ account: ImportedAccount, _ client: AdministrationClient, isTrial: Bool
    ) async throws {
      for _ in 0..<patience {
        do {
          try await client.createUser(account.body, isTrial: isTrial)
          return
        } catch let failure as CommandFailure where failure.code == .busy {
          try? await Task.sleep(for: .seconds(1))
        } catch let failure as CommandFailure
          where ![.unreachable, .refused, .forbidden].contains(failure.code)
        {
          throw ImportedAccount.Fault(reason: failure.description)
        }
      }
      throw ImportedAccount.Fault(reason: "the server is too busy")
    }
  }
}
