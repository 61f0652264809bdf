#if os(Linux)
  internal import Bytes
  internal import Crypto
  internal import Foundation

  /// Codes that let a user in once each, when the key, PIN or phone is lost. Each has 100 random bits, and root's file has the hashes.
  package struct RecoveryCodes: Sendable {
    package static let count = 10
    /// Without letters that look like digits (Crockford's Base32).
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    private let file: PAMUserFile

    package init(_ file: PAMUserFile) { self.file = file }

    /// Makes ten codes in place of all earlier ones. Only the caller gets to know them.
    package func renew(randomBytes: (Int) -> [UInt8] = SystemRandom.bytes) async throws -> [String] {
      let codes = (0..<Self.count).map { _ in
        let letters = randomBytes(20).map { Self.alphabet[Int($0 & 31)] }
        return stride(from: 0, to: 20, by: 4)
          .map { String(decoding: letters[$0..<$0 + 4], as: UTF8.self) }.joined(separator: "-")
      }
      try await file.change { lines in
        lines.removeAll { $0.hasPrefix("recovery ") }
        lines += codes.map { "recovery \(hash($0))" }
      }
      return codes
    }

    /// The number of unused codes.
    package func left() throws -> Int { try file.lines().count { $0.hasPrefix("recovery ") } }

    /// Uses a code up: when several try the same one at once, one is accepted. Wrong codes are not counted: nobody guesses 100 bits, and
    /// others could keep such a count at its limit.
    ///
    /// - Returns: The number of unused codes; `nil` for a wrong code.
    func use(_ typed: String) async throws -> Int? {
      let line = "recovery \(hash(typed))"
      return try await file.change { lines in
        guard lines.contains(line) else { return nil }
        lines.removeAll { $0 == line }
        return lines.count { $0.hasPrefix("recovery ") }
      }
    }

    /// The hash of a code. Capitals, and letters that look like digits, make no difference.
    private func hash(_ typed: String) -> String {
      let code = typed.lowercased().replacing("o", with: "0").replacing("i", with: "1").replacing(
        "l", with: "1")
      return Array(SHA256.hash(data: Array("sealring-pam-recovery \(file.user) \(code)".utf8))).hexadecimal
    }
  }
#endif
