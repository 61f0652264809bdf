import ArgumentParser
import EvidenceLedger
import Foundation
import Operations
import StrictJSON

extension Audit {
  struct Checkpoint: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write the signed head of the ledger's tree to a file, or send it to an address.",
      discussion: """
        A few hundred bytes that stand for all entries. Publish it, or keep it where the server's operator cannot change it: \
        `sealring audit verify --against` shows later that nothing was rewritten, removed or forked. \
        With --since, the proof that it continues an earlier checkpoint is in the file, and nothing is written when it does not.
        """)

    @OptionGroup var source: LedgerSource

    @Option(help: "An earlier checkpoint of the same ledger.", completion: .file())
    var since: String?

    @Argument(help: "The file to write.", completion: .file())
    var file: String?

    @Option(
      name: .customLong("url"),
      help: "Send it to this https address by PUT, as well as or instead of writing a file.")
    var address: String?

    @Option(help: "File with the bearer token for --url.", completion: .file())
    var tokenFile: String?

    @OptionGroup var write: WriteOptions

    func validate() throws {
      guard file != nil || address != nil else {
        throw ValidationError("Name a file, or an address with --url.")
      }
      if tokenFile != nil, address == nil { throw ValidationError("--token-file is for --url.") }
    }

    private func upload() throws -> CheckpointUpload? {
      guard let address else { return nil }
      guard let url = URL(string: address) else { throw ValidationError("--url is an https address.") }
      do { return try CheckpointUpload(url, tokenFile: tokenFile.map { URL(filePath: $0) }) } catch {
        throw CommandFailure.invalid(printable(error.description))
      }
    }

    func run() async throws {
      let upload = try upload()
      let earlier = try since.map { try CheckpointFile.read($0) }
      guard case .checkpoint(let made) = try await source.make(.checkpoint(since: earlier)) else { return }
      if let file { try AtomicFile.write(made.file, to: file, replaces: write.force) }
      if let upload {
        do { try await upload.send(made.file) } catch {
          throw CommandFailure.unreachable(printable(error.description))
        }
      }
      CheckpointFile.report(made, in: file ?? upload?.place ?? "", write)
    }
  }
}
