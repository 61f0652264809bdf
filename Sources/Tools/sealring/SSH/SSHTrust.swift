import ArgumentParser
import Foundation
import PrivateFiles
import SSHFormats
import StrictJSON

struct SSHTrust: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trust",
    abstract: "Print the lines for known_hosts that trust the realm's authority for hosts.",
    discussion: """
      With them ssh does not ask about a host that shows a certificate of the realm for its name. The authority can then vouch for any \
      host that the pattern fits: name your own hosts, such as '*.example.com', and not '*'.
      """)

  @Argument(help: "The hosts, as patterns of known_hosts with commas between them, such as '*.example.com'.")
  var pattern: String

  @OptionGroup var server: ServerOptions

  @Option(help: "Append what this file does not have yet, such as ~/.ssh/known_hosts.", completion: .file())
  var file: String?

  @OptionGroup var output: ResultOptions

  func validate() throws {
    guard Self.isPattern(pattern) else {
      throw ValidationError(
        "The pattern needs names of hosts, with * and ? and commas between them, not '\(printable(pattern))'."
      )
    }
  }

  /// Letters, digits and what names, addresses, ports and patterns have besides.
  static func isPattern(_ text: String) -> Bool {
    (1...512).contains(text.utf8.count)
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_:*?!,[]".contains($0)) }
  }

  func run() async throws {
    let keys = try await PresentedAuthority.of(server).hostKeys
    guard !keys.isEmpty else {
      throw CommandFailure.notFound("Realm \(printable(server.realm)) has no authority for hosts.")
    }
    let lines = keys.map { key in
      "@cert-authority \(pattern) "
        + AuthorizedKey(key: key.key, comment: "\(server.baseAddress) \(server.realm)").line
    }
    let added = try file.map { try Self.append(lines, to: $0) }
    let fingerprints = keys.map { JSONValue.string($0.key.fingerprint) }
    guard !output.json else {
      return Output.json([
        "lines": .array(lines.map { .string($0) }), "fingerprints": .array(fingerprints),
        "added": added.map { .integer(Int64($0)) } ?? .null,
      ])
    }
    if let added, let file {
      let names = keys.map(\.key.fingerprint).joined(separator: ", ")
      Output.remark(
        "\(printable(file)) trusts \(names) for \(pattern). Lines added: \(added). Compare this with what the realm's administrators have."
      )
    } else {
      for line in lines { Output.line(line) }
    }
  }

  /// Appends those of `lines` whose pattern and key the file does not have; how many these are.
  static func append(_ lines: [String], to path: String) throws -> Int {
    let path = path.hasPrefix("~/") ? ClientHome.userFolder(Environment.variables) + path.dropFirst() : path
    let there = FileManager.default.contents(atPath: path) ?? Data()
    func isThere(_ line: String) -> Bool {
      let words = line.split(separator: " ").prefix(4)
      return String(decoding: there, as: UTF8.self).split(whereSeparator: \.isNewline).contains {
        $0.split(separator: " ").prefix(4) == words
      }
    }
    let new = lines.filter { !isThere($0) }
    guard !new.isEmpty else { return 0 }
    let separator = there.isEmpty || there.last == UInt8(ascii: "\n") ? "" : "\n"
    let bytes = Array((separator + new.joined(separator: "\n") + "\n").utf8)
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    guard descriptor >= 0, write(descriptor, bytes, bytes.count) == bytes.count else {
      throw CommandFailure("\(printable(path)) cannot be written: \(String(cString: strerror(errno))).")
    }
    return new.count
  }
}
