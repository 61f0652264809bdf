import BenchmarkReport
import Crypto
import EvidenceLedger
import Foundation
import JOSE
import StrictJSON

/// Verifies an export of evidence: the chain alone, then with every device's signature, beside the bare P-256 operations
/// that the latter cannot do without.
///
/// Usage: audit-bench [ENTRIES], 100,000 unless given. Every entry has a signature of its own, by one of 64 keys. The
/// export is a file, read in pieces as `sealring audit verify` does.
@main
struct AuditBench {
  static func main() async throws {
    let count = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 100_000
    let file = FileManager.default.temporaryDirectory.appending(path: "evidence-\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: file) }
    let fingerprint = try await Generator().write(count, to: file)
    let bytes = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    print(Measurement("audit-entries", Double(count), "entries").line)
    print(Measurement("audit-export", Double(bytes) / 1e6, "MB").line)

    let workers = ProcessInfo.processInfo.activeProcessorCount
    for checksSignatures in [false, true] {
      let verifier = EvidenceVerifier(
        fingerprint: fingerprint, checksSignatures: checksSignatures, workers: workers)
      let seconds = try await Self.time(verifier, on: file, entries: count)
      print(
        Measurement(checksSignatures ? "audit-verify" : "audit-verify-hashes-only", seconds, "s").line)
    }
    for (name, tasks) in [("single", 1), ("all", workers)] {
      print(Measurement("p256-import-verify-\(name)", try await bareVerification(count, by: tasks), "s").line)
    }
    print(Measurement("processors", Double(workers), "processors").line)
  }

  /// Seconds that one verification of the file takes.
  nonisolated private static func time(
    _ verifier: EvidenceVerifier, on file: URL, entries: Int
  ) async throws -> Double {
    let handle = try FileHandle(forReadingFrom: file)
    let clock = ContinuousClock()
    let start = clock.now
    let summary = try await verifier.verify { [UInt8](try handle.read(upToCount: 256 << 10) ?? Data()) }
    guard summary.checkpoint.count == Int64(entries) else { throw WrongResult() }
    return start.duration(to: clock.now) / .seconds(1)
  }

  /// Seconds that `count` imports of a key with one verification each take `tasks` at once; measured over 4,000 each. Processors of a
  /// machine may share more than memory, so all of them together are not so many times as fast as one.
  private static func bareVerification(_ count: Int, by tasks: Int) async throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try await withThrowingTaskGroup { group in
      for _ in 0..<tasks { group.addTask { try bareVerifications(4000) } }
      try await group.waitForAll()
    }
    return start.duration(to: clock.now) / .seconds(1) / Double(4000 * tasks) * Double(count)
  }

  private static func bareVerifications(_ count: Int) throws {
    let key = P256.Signing.PrivateKey()
    let point = key.publicKey.x963Representation
    let payload = [UInt8](repeating: 7, count: 800)
    let signature = try key.signature(for: payload)
    for _ in 0..<count {
      guard try P256.Signing.PublicKey(x963Representation: point).isValidSignature(signature, for: payload)
      else { throw WrongResult() }
    }
  }
}

private struct WrongResult: Error {}

/// Makes an export as a server would, signatures included.
private struct Generator {
  private let server = P256.Signing.PrivateKey()
  private let devices: [(id: String, key: P256.Signing.PrivateKey)]

  init() { devices = (0..<64).map { _ in (UUID().uuidString, P256.Signing.PrivateKey()) } }

  func write(_ count: Int, to file: URL) async throws -> EvidenceHash {
    let header = EvidenceHeader(
      ledger: "bench",
      key: try JWK(p256X963: [UInt8](server.publicKey.x963Representation), keyID: nil))
    var chain = EvidenceChain(header: header)
    FileManager.default.createFile(atPath: file.path(percentEncoded: false), contents: nil)
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: header.line + [0x0A])
    let now = Int64(Date().timeIntervalSince1970)
    for number in 0..<count {
      let entry = try EvidenceEntry(
        number: chain.count + 1, previous: chain.head, record: try await record(number, now: now))
      try chain.append(entry.line)
      try handle.write(contentsOf: entry.line + [0x0A])
    }
    let checkpoint = try await EvidenceCheckpoint(
      of: chain, at: now * 1000, signer: P256Signer(privateKey: server))
    try handle.write(contentsOf: checkpoint.line + [0x0A])
    try handle.close()
    return header.fingerprint
  }

  private func record(_ number: Int, now: Int64) async throws -> EvidenceRecord {
    let device = devices[number % devices.count]
    let jwk = try JWK(p256X963: [UInt8](device.key.publicKey.x963Representation), keyID: device.id)
    let subject = "id=user-\(number % 64),ou=user,o=alpha,ou=services,ou=am-config"
    let claims: JSONObject = [
      "sub": .string(subject), "iss": "com.acme.wallet",
      "challenge": .string("Pay \(number).00 USD to babs@example.com"), "iat": .integer(now),
      "nbf": .integer(now), "exp": .integer(now + 60), "platform": "linux", "amount": .string("\(number).00"),
      "currency": "USD", "recipient": "babs@example.com",
    ]
    let jws = try await JWS.compact(
      header: JWSHeader(algorithm: .es256, type: "JWS", keyID: device.id, jwk: jwk), claims: claims,
      signer: P256Signer(privateKey: device.key))
    return EvidenceRecord(
      kind: .sign, time: now * 1000, realm: "alpha", journey: "SignTransaction",
      nodeID: "0b62aff1-f0a3-417a-aa8f-f4e9e1482dc5", username: "user-\(number % 64)", userID: subject,
      device: device.id, key: jwk.json, jws: jws)
  }
}
