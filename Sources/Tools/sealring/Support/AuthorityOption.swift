import ArgumentParser
import CommandSettings
import Foundation
import PingNetwork

/// The certificate authorities that commands trust for servers.
struct AuthorityOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Accept servers whose certificate is signed by an authority in this PEM file, and no others, such as a company's own. Default: \(variable), else the machine's authorities.",
      valueName: "file"), completion: .file(extensions: ["pem", "crt"]))
  var caFile: String?

  private static let variable = "$SEALRING_CA_FILE"
  private static let name = "--ca-file"

  /// Commands that contact no server, and so do not read the file in the settings.
  private static let askNobody: Set<String> = ["config", "profile", "help", "completion", "serve"]

  /// Takes the option out of a command line, and reads the file that it or the settings name.
  ///
  /// - Returns: `nil` for the machine's authorities.
  /// - Throws: `ValidationError` for an option without its value; `CommandFailure` for a file that cannot be used.
  static func take(from arguments: inout [String]) throws -> CertificateAuthorities? {
    // `profile` has its own option of that name.
    guard arguments.first != "profile" else { return nil }
    let (option, rest) = try GlobalOptions.taking(name, from: arguments)
    arguments = rest
    let first = rest.first ?? "help"
    if option != nil, first == "serve" {
      throw ValidationError(
        "\(name) is for commands that ask a server; sealring serve is one. Its own certificate is --tls-certificate."
      )
    }
    let asksForHelp = !Set(rest).isDisjoint(with: ["--help", "-h", "--version"])
    guard !askNobody.contains(first), !asksForHelp, let file = option ?? fromSettings else { return nil }
    return try authorities(
      in: file, origin: option == nil ? CurrentSettings.given("ca-file")?.source.text : nil)
  }

  /// - Parameter origin: The source of the file's name, when it is not the command line.
  /// - Throws: `CommandFailure`, which names the file.
  static func authorities(in file: String, origin: String? = nil) throws -> CertificateAuthorities {
    do throws(CertificateAuthoritiesError) {
      return try CertificateAuthorities(contentsOf: URL(filePath: file))
    } catch {
      throw CommandFailure.invalid(
        [error.localizedDescription, error.recoverySuggestion, origin.map { "The name is from \($0)." }]
          .compactMap { $0.map(printable) }.joined(separator: " "))
    }
  }

  private static var fromSettings: String? {
    CurrentSettings.givenText("ca-file").flatMap { $0.isEmpty ? nil : $0 }
  }
}
