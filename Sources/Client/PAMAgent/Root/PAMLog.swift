#if os(Linux)
  internal import Bytes
  internal import Crypto
  package import Foundation
  internal import PrivateFiles
  internal import StrictJSON

  /// The log of what PAM allowed, in a file of root's alone: challenges with the signatures of the keys that answered them, one JSON object
  /// per line.
  ///
  /// Each entry proves by itself that the key signed this command, for this account, on this host, at this time. Each has the hash of the
  /// line before it, so a changed or removed line is noticed; a removed end is not. Uses of recovery codes are recorded unsigned.
  package struct PAMLog: Sendable {
    private static let longestLine = 64 << 10

    private let file: URL

    package init(_ file: URL) { self.file = file }

    /// Records a signed challenge; durable on return.
    func append(signed request: PAMRequest, signature: [UInt8], by point: [UInt8]) async throws {
      try await append([
        "kind": "signed", "challenge": .string(String(decoding: request.bytes, as: UTF8.self)),
        "signature": .string(signature.hexadecimal), "key": .string(point.hexadecimal),
      ])
    }

    /// Records the use of a recovery code.
    func append(recovered request: PAMRequest) async throws {
      try await append([
        "kind": "recovery", "challenge": .string(String(decoding: request.bytes, as: UTF8.self)),
      ])
    }

    private func append(_ entry: JSONObject) async throws {
      let folder = file.deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try await FileLock(file: folder.appending(path: ".\(file.lastPathComponent).lock")).withLock {
        let path = file.path(percentEncoded: false)
        let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        let (end, last) = try Self.lastLine(of: descriptor)
        // Removes a line that a crash has cut off: nobody was let in for it.
        guard ftruncate(descriptor, end) == 0 else { throw failure() }
        var entry = entry
        entry["previous"] = .string(Self.hash(of: last))
        let line = Array((JSONValue.object(entry).lineText + "\n").utf8)
        guard line.count <= Self.longestLine else {
          throw PAMRootError("An entry of \(path) would be too long.")
        }
        guard write(descriptor, line, line.count) == line.count, fsync(descriptor) == 0 else {
          let failure = failure()
          // For example on a full disk: half a line would end what can be verified.
          _ = ftruncate(descriptor, end)
          throw failure
        }
      }
    }

    private func failure() -> PAMRootError {
      PAMRootError(
        "\(file.path(percentEncoded: false)) cannot be written: \(String(cString: strerror(errno))).")
    }

    /// The end of the last complete line, and that line.
    private static func lastLine(of descriptor: Int32) throws -> (end: off_t, line: [UInt8]) {
      let length = Int(lseek(descriptor, 0, SEEK_END))
      guard length >= 0 else { throw PAMRootError("The log's length is not known.") }
      // The last line, and a part that a crash has cut off behind it.
      let start = max(0, length - 2 * longestLine - 1)
      var bytes = [UInt8](repeating: 0, count: length - start)
      guard pread(descriptor, &bytes, bytes.count, off_t(start)) == bytes.count else {
        throw PAMRootError("The log cannot be read.")
      }
      let last = bytes.lastIndex(of: 10) ?? -1
      guard bytes.count - 1 - last <= longestLine else {
        throw PAMRootError("The log's last line is not an entry.")
      }
      return (off_t(start + last + 1), Array(bytes[..<(last + 1)].split(separator: 10).last ?? []))
    }

    private static func hash(of line: [UInt8]) -> String { Array(SHA256.hash(data: line)).hexadecimal }

    // MARK: Reading

    /// A verified entry.
    package struct Entry: Sendable {
      package let number: Int
      package let request: PAMRequest
      /// The key that signed the entry, `04 ‖ x ‖ y`; `nil` for a recovery code.
      package let key: [UInt8]?
    }

    /// Verifies all entries: signatures, keys and the chain of lines.
    ///
    /// - Parameter take: Receives each entry.
    /// - Throws: ``PAMRootError`` with the number of the first wrong entry, or of a last one without its line's end.
    package func verify(_ take: (Entry) throws -> Void) throws {
      let bytes: [UInt8]
      do { bytes = Array(try Data(contentsOf: file)) } catch {
        throw PAMRootError("\(file.path(percentEncoded: false)) cannot be read: \(FileReason.of(error))")
      }
      // A line without its end is no entry: the next one that is appended replaces it.
      let end = bytes.lastIndex(of: 10).map { $0 + 1 } ?? 0
      let lines = bytes[..<end].split(separator: 10)
      var before: [UInt8] = []
      for (index, line) in lines.enumerated() {
        guard let entry = Self.entry(Array(line), index + 1, after: before) else {
          throw PAMRootError(
            "Entry \(index + 1) is damaged, or was changed: what it says is not proved.", isDamage: true)
        }
        try take(entry)
        before = Array(line)
      }
      guard end == bytes.count else {
        throw PAMRootError(
          """
          Entry \(lines.count + 1) is cut off, and proves nothing; those before it are verified. A crash while it was written leaves \
          such a line, and then nobody was let in for it; so does somebody who cuts the file.
          """, isDamage: true)
      }
    }

    private static func entry(_ line: [UInt8], _ number: Int, after before: [UInt8]) -> Entry? {
      guard let json = try? JSONValue(parsing: line), let challenge = json["challenge"]?.stringValue,
        let request = try? PAMRequest(parsing: Array(challenge.utf8)),
        json["previous"]?.stringValue == hash(of: before)
      else { return nil }
      switch json["kind"]?.stringValue {
      case "recovery" where request.wanted == .recovery:
        return Entry(number: number, request: request, key: nil)
      case "signed":
        guard let signature = json["signature"]?.stringValue.flatMap({ Hexadecimal.decode($0) }),
          let point = json["key"]?.stringValue.flatMap({ Hexadecimal.decode($0) }),
          request.keys.contains(point), ECDSASignature.isValid(signature, of: request.bytes, by: point)
        else { return nil }
        return Entry(number: number, request: request, key: point)
      default: return nil
      }
    }
  }
#endif
