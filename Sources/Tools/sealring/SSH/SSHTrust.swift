import ArgumentParser
import BindingFormats
import Foundation
import SSHFormats
import StrictJSON

struct SSHTrust: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trust",
    abstract: "Print the lines for known_hosts that trust the realm's authority for hosts.",
    discussion: """
      With them ssh does not ask about a host that shows a certificate of the realm for its name. The authority can then vouch for any \
      host that the pattern fits: name your own hosts, such as '*.example.com', and not '*'.

      After the authority's key for hosts was changed, run it again with the same --file: it adds the new line, and removes those that it \
      wrote for keys which the realm does not present any more.

      So that ssh also learns which hosts' certificates were taken back, name a file with RevokedHostKeys in ssh_config, and fetch what the \
      realm serves at /ssh/revoked into it every few minutes.
      """)

  @Argument(help: "The hosts, as patterns of known_hosts with commas between them, such as '*.example.com'.")
  var pattern: String

  @OptionGroup var server: ServerOptions

  @Option(
    help:
      "File that gets the lines it lacks, such as ~/.ssh/known_hosts. Earlier lines of this realm with a key that it no longer presents are removed.",
    completion: .file())
  var file: String?

  @OptionGroup var output: ResultOptions

  func validate() throws {
    guard Self.isPattern(pattern) else {
      throw ValidationError(
        "The pattern needs names of hosts, with * and ? and commas between them, not '\(printable(pattern))'."
      )
    }
  }

  /// Whether a text has only letters, digits and the other characters of names, addresses, ports and patterns.
  static func isPattern(_ text: String) -> Bool {
    (1...512).contains(text.utf8.count)
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_:*?!,[]".contains($0)) }
  }

  func run() async throws {
    let keys = try await PresentedAuthority.of(server).hostKeys
    guard !keys.isEmpty else {
      throw CommandFailure.notFound("Realm \(printable(server.realm)) has no authority for hosts.")
    }
    let lines = TrustLines(
      pattern: pattern, keys: keys.map(\.key), origin: "\(server.baseAddress) \(server.realm)")
    let change = try file.map { try lines.put(into: $0) }
    let revoked = "\(RealmPath(server.realm).resources(at: server.baseAddress))/ssh/revoked"
    guard !output.json else {
      return Output.json([
        "lines": .array(lines.all.map { .string($0) }),
        "fingerprints": .array(keys.map { .string($0.key.fingerprint) }),
        "added": change.map { .integer(Int64($0.added)) } ?? .null,
        "removed": change.map { .array($0.removed.map { .string($0) }) } ?? .null,
        "revokedHostKeys": .string(revoked),
      ])
    }
    if let change, let file {
      let names = keys.map(\.key.fingerprint).joined(separator: ", ")
      Output.remark(
        "\(printable(file)) trusts \(names) for \(pattern). Lines added: \(change.added). Compare this with what the realm's administrators have."
      )
      for line in change.removed {
        Output.remark("Removed, because the realm does not present its key any more: \(printable(line))")
      }
    } else {
      for line in lines.all { Output.line(line) }
    }
    Output.remark(
      "What was taken back ssh learns from a file that RevokedHostKeys names in ssh_config: fetch \(printable(revoked)) into it every few minutes. While the file is missing ssh refuses all hosts."
    )
  }
}
