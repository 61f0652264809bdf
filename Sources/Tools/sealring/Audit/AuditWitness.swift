import ArgumentParser
import Bytes
import Crypto
import EvidenceLedger
import Foundation
import JOSE
import PrivateFiles

extension Audit {
  struct Witness: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Countersign a checkpoint that continues the last one that this witness has signed.",
      discussion: """
        Run it where the server's operator has no access. The witness's key is made at first use and stays in its folder, with the \
        last checkpoint of each ledger. A checkpoint that does not continue that one is refused; `sealring audit checkpoint --since` \
        puts the needed proof into the file. At a ledger's first checkpoint pass its fingerprint as --ledger.
        """)

    @Option(help: "Where the witness keeps its key and what it saw. Default: 'witness' in the state folder.")
    var folder: String?

    @OptionGroup var known: FingerprintOption

    @Argument(help: "The checkpoint to countersign.", completion: .file())
    var checkpoint: String

    @Argument(help: "The file to write: the checkpoint with the second signature.", completion: .file())
    var file: String

    @OptionGroup var write: WriteOptions

    private static let keyName = "witness.key"

    func run() async throws {
      let offered = try CheckpointFile.read(checkpoint, ledger: known.fingerprint)
      let output = try AtomicFile(path: file, replaces: write.force)
      let folder =
        folder.map { URL(filePath: $0) } ?? ClientHome.standard.directory.appending(path: "witness")
      let signed: VerifiedCheckpoint
      do {
        try ProtectedFiles.createFolder(folder)
        let key = try Self.key(in: folder)
        // Two witnesses in parallel could sign both sides of a fork.
        signed = try await FileLock(file: folder.appending(path: ".lock")).withLock {
          try await sign(offered, with: key, in: folder)
        }
      } catch let error as FileStorageError {
        throw CommandFailure(PlainReason.of(error), code: PlainReason.code(of: error))
      }
      try output.finish(signed.file)
      CheckpointFile.report(signed, in: file, write)
    }

    /// Compares with the last signed checkpoint, and stores the new one before it is returned.
    private func sign(
      _ offered: VerifiedCheckpoint, with key: P256.Signing.PrivateKey, in folder: URL
    ) async throws -> VerifiedCheckpoint {
      let publicKey = try JWK(p256X963: [UInt8](key.publicKey.x963Representation), keyID: nil)
      let ledger = offered.header.fingerprint
      let memory = folder.appending(path: "ledger-\(ledger.text).json")
      if let bytes = try ProtectedFiles.read(memory, limit: UnverifiedCheckpoint.maximumBytes) {
        do throws(EvidenceFault) {
          let last = try UnverifiedCheckpoint(parsing: bytes).verified(
            ledger: ledger, witness: publicKey.thumbprint)
          try offered.requireContinuing(last)
        } catch {
          throw CommandFailure.damaged(
            "\(printable(checkpoint)) was not countersigned: \(printable(sentence("\(error)"))) The last one that was is "
              + "\(printable(memory.path))."
          )
        }
      } else if known.fingerprint == nil {
        throw CommandFailure.invalid(
          "This witness has not seen the ledger \(ledger). Compare that with a note from elsewhere, and pass it as --ledger."
        )
      }
      let signed = try await offered.countersigned(
        at: Date().millisecondsSince1970, key: publicKey, signer: P256Signer(privateKey: key))
      try ProtectedFiles.replace(memory, with: signed.file)
      return signed
    }

    /// The witness's key, which is created on first use.
    private static func key(in folder: URL) throws -> P256.Signing.PrivateKey {
      let file = folder.appending(path: keyName)
      let bytes = try ProtectedFiles.readOrCreate(file, limit: 4096) {
        Array(P256.Signing.PrivateKey().pemRepresentation.utf8)
      }
      guard let key = try? P256.Signing.PrivateKey(pemRepresentation: String(decoding: bytes, as: UTF8.self))
      else {
        throw CommandFailure.damaged(
          "\(printable(file.path)) does not hold a witness's key. Restore it; a new key would be a new witness."
        )
      }
      return key
    }
  }
}
