internal import Bytes
package import Foundation

/// A challenge of the PAM module (`Sources/System/PAMModule`), which says who is to be recognised, and for what.
///
/// It is text with one fact per line, and ends with an empty line. Values that others chose are visible ASCII, with `%XX` for all other
/// bytes. It is signed as it is; nothing else that keys of this device sign begins in the same way.
package struct PAMRequest: Sendable, Hashable {
  /// The error for bytes that are not a challenge.
  package struct Malformed: LocalizedError {
    package var errorDescription: String? { "The challenge is not one of Sealring's PAM module." }
  }

  package static let maximumBytes = 16 << 10
  private static let firstLine = "sealring-pam 1"
  private static let maximumKeys = 16

  /// The kind of proof that is asked for.
  package enum Wanted: String, Sendable {
    /// A signature by a key with a PIN, or by any enrolled key.
    case pin, consent
    /// A journey of the server; a transaction that the server keeps.
    case server, transaction
    /// A recovery code.
    case recovery

    /// Whether a key of this device signs.
    package var isLocal: Bool { self == .pin || self == .consent }
  }

  /// The bytes to sign.
  package let bytes: [UInt8]
  /// 32 random bytes, in hexadecimal digits.
  package let nonce: String
  /// When the module made it.
  package let time: Date
  /// The machine's name.
  package let host: String
  /// The PAM service, such as `sudo`.
  package let service: String
  /// The account that the person has to be.
  package let user: String
  /// The user who asks (`PAM_RUSER`), the host they come from (`PAM_RHOST`) and their terminal, according to the program that asks; may be
  /// empty.
  package let caller: String
  package let remote: String
  package let terminal: String
  /// The program that asks.
  package let program: String
  /// The program's arguments; those of `sudo` are the command to run.
  package let arguments: [String]
  /// The arguments as they stand in the challenge: visible ASCII, and `%XX` for all else.
  package let escapedCommand: String
  /// How many bytes of the arguments were left out because they were too long.
  package let leftOut: Int
  package let wanted: Wanted
  /// Whether only keys with a PIN are accepted.
  package var needsPIN: Bool { wanted == .pin }
  /// The accepted keys, as points `04 ‖ x ‖ y`; none unless a key is to sign.
  package let keys: [[UInt8]]

  /// How old a challenge may be, in seconds. It was made on this machine, by this clock.
  static let maximumAge: TimeInterval = 60

  func isFresh(at now: Date) -> Bool { abs(now.timeIntervalSince(time)) <= Self.maximumAge }

  /// - Throws: ``Malformed`` when `bytes` are not exactly what the module writes.
  package init(parsing bytes: [UInt8]) throws(Malformed) {
    guard bytes.count <= Self.maximumBytes, bytes.allSatisfy({ $0 == 10 || (0x20..<0x7F).contains($0) })
    else {
      throw Malformed()
    }
    var lines = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)[...]
    func next(_ name: String) throws(Malformed) -> Substring {
      guard let line = lines.popFirst(), line.hasPrefix(name + " ") else { throw Malformed() }
      return line.dropFirst(name.count + 1)
    }
    func text(_ name: String) throws(Malformed) -> String { try Self.text(next(name)) }
    guard lines.popFirst() == Self.firstLine[...] else { throw Malformed() }
    nonce = try String(next("nonce"))
    guard Hexadecimal.decode(nonce)?.count == 32, let seconds = try Int64(next("time")),
      (0..<1 << 40).contains(seconds)
    else { throw Malformed() }
    time = Date(timeIntervalSince1970: TimeInterval(seconds))
    host = try text("host")
    service = try text("service")
    user = try text("user")
    caller = try text("caller")
    remote = try text("remote")
    terminal = try text("terminal")
    program = try text("program")
    guard let command = lines.popFirst(), command == "command" || command.hasPrefix("command ") else {
      throw Malformed()
    }
    var words: [String] = []
    for word in command.split(separator: " ", omittingEmptySubsequences: false).dropFirst() {
      words.append(try Self.text(word))
    }
    arguments = words
    escapedCommand = String(command.dropFirst("command ".count))
    guard let left = try Int(next("left-out")), left >= 0 else { throw Malformed() }
    leftOut = left
    guard let known = try Wanted(rawValue: String(next("verify"))) else { throw Malformed() }
    wanted = known
    var points: [[UInt8]] = []
    while lines.first?.isEmpty == false {
      guard let point = try Hexadecimal.decode(next("key")), Self.isPoint(point) else {
        throw Malformed()
      }
      points.append(point)
    }
    // The empty line, and nothing after it.
    guard lines.elementsEqual(["", ""]),
      (wanted.isLocal ? 1...Self.maximumKeys : 0...0).contains(points.count)
    else {
      throw Malformed()
    }
    keys = points
    self.bytes = bytes
  }

  static func isPoint(_ bytes: [UInt8]) -> Bool { bytes.count == 65 && bytes[0] == 4 }

  /// The decoded value; unchanged when it does not decode to UTF-8.
  private static func text(_ value: Substring) throws(Malformed) -> String {
    guard !value.contains(" "), let bytes = PercentEncoding.bytes(value) else { throw Malformed() }
    return String(validating: bytes, as: UTF8.self) ?? String(value)
  }

  /// The command for a person. It stays escaped as in the challenge, so that no character ends a line, or hides or reorders another. An
  /// empty word is `''`.
  package var command: String {
    let words =
      arguments.isEmpty ? [] : escapedCommand.split(separator: " ", omittingEmptySubsequences: false)
    return
      (words.map { $0.isEmpty ? "''" : String($0) }
      + (leftOut > 0 ? ["… and \(leftOut) bytes that are not shown"] : [])).joined(separator: " ")
  }
}
