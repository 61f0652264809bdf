#if os(Linux)
  internal import Bytes
  internal import Crypto
  internal import Foundation

  /// Codes that let a user in once each, when key, PIN or phone are lost: 100 random bits, of which root's file has hashes.
  package struct RecoveryCodes: Sendable {
    package static let count = 10
    /// After so many wrong codes in a row
    static let tries = 5
    /// none is taken for so long, in seconds, after the last of them.
    static let pause: TimeInterval = 300
    /// Without letters that look like digits (Crockford's Base32).
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// What became of a code that was entered.
    enum Outcome: Sendable, Hashable {
      /// It is used up; so many are left.
      case accepted(left: Int)
      case wrong
      /// After too many wrong ones none is taken for now.
      case locked
    }

    private let file: PAMUserFile

    package init(_ file: PAMUserFile) { self.file = file }

    /// Makes ten codes in place of all earlier ones. They are known to nobody but the caller.
    package func renew(randomBytes: (Int) -> [UInt8] = SystemRandom.bytes) async throws -> [String] {
      let codes = (0..<Self.count).map { _ in
        let letters = randomBytes(20).map { Self.alphabet[Int($0 & 31)] }
        return stride(from: 0, to: 20, by: 4)
          .map { String(decoding: letters[$0..<$0 + 4], as: UTF8.self) }.joined(separator: "-")
      }
      try await file.change { lines in
        lines.removeAll { $0.hasPrefix("recovery ") || $0.hasPrefix("wrong ") }
        lines += codes.map { "recovery \(hash($0))" }
      }
      return codes
    }

    /// How many are left.
    package func left() throws -> Int { try file.lines().count { $0.hasPrefix("recovery ") } }

    /// Uses a code up: of several at once that try the same, one is accepted.
    func use(_ typed: String, at now: Date) async throws -> Outcome {
      let line = "recovery \(hash(typed))"
      return try await file.change { lines in
        let (wrong, last) = Self.wrong(in: lines)
        // A clock that was set back does not make it longer.
        if wrong >= Self.tries, (0..<Self.pause).contains(now.timeIntervalSince(last)) { return .locked }
        lines.removeAll { $0.hasPrefix("wrong ") }
        guard lines.contains(line) else {
          lines.append("wrong \(min(wrong + 1, 1000)) \(Int(now.timeIntervalSince1970))")
          return .wrong
        }
        lines.removeAll { $0 == line }
        return .accepted(left: lines.count { $0.hasPrefix("recovery ") })
      }
    }

    private static func wrong(in lines: [String]) -> (count: Int, last: Date) {
      let words = lines.first { $0.hasPrefix("wrong ") }?.split(separator: " ").compactMap { Int($0) } ?? []
      guard words.count == 2 else { return (0, .distantPast) }
      return (words[0], Date(timeIntervalSince1970: TimeInterval(words[1])))
    }

    /// In capitals, and with letters that look like digits, it is the same code.
    private func hash(_ typed: String) -> String {
      let code = typed.lowercased().replacing("o", with: "0").replacing("i", with: "1").replacing(
        "l", with: "1")
      return Array(SHA256.hash(data: Array("sealring-pam-recovery \(file.user) \(code)".utf8))).hexadecimal
    }
  }
#endif
