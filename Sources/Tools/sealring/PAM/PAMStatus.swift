import ArgumentParser
import DeviceKeys
import Foundation
import PAMAgent
import StrictJSON

struct PAMStatus: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show your keys for PAM, whether root enrolled them, and which services ask for one.")

  @Option(help: "Where the enrolled keys are, if not in /etc/sealring/pam.", completion: .directory)
  var folder = PAMFiles.users

  @Option(help: "Where the services of PAM are.", completion: .directory)
  var services = "/etc/pam.d"

  @OptionGroup var chip: ChipOptions
  @OptionGroup var output: ResultOptions

  func run() async throws {
    let user = try PAMCommand.currentUser().name
    let enrolled = try Self.enrolled(user, in: folder)
    let (keys, faults) = try await PAMKeys(store: chip.keyStore(in: "pam")).readable()
    var rows = keys.map { key in
      (
        kind: "key",
        name: "\(key.name) (\(key.hasPIN ? "PIN" : "your consent"), \(key.stored.kind.rawValue))",
        state: enrolled.contains(key.line) ? "enrolled for \(user)" : "not enrolled"
      )
    }
    if let account = enrolled.first(where: { $0.hasPrefix("server ") }) {
      rows.append(("account", String(account.dropFirst("server ".count)), "at the server"))
    }
    let codes = enrolled.count { $0.hasPrefix("recovery ") }
    if codes > 0 { rows.append(("recovery codes", "\(codes)", "not used yet")) }
    rows += asking().map { ("service", $0.service, $0.line) }
    output.list(
      rows,
      [
        Column("WHAT", "kind") { $0.kind }, Column("NAME", "name") { $0.name },
        Column("STATE", "state") { $0.state },
      ],
      none: "No key for PAM on this device, and no service asks for one. Begin with `sealring pam enrol`.")
    try Output.end(with: faults)
  }

  private static func enrolled(_ user: String, in folder: String) throws -> [String] {
    #if os(Linux)
      do { return try PAMUserFile(user: user, folder: folder).lines() } catch {
        throw CommandFailure.unsupported(error.localizedDescription)
      }
    #else
      return []
    #endif
  }

  /// The services whose files name the module, each with the line.
  private func asking() -> [(service: String, line: String)] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: services)) ?? []
    return names.sorted().flatMap { name in
      let text = (try? String(contentsOfFile: "\(services)/\(name)", encoding: .utf8)) ?? ""
      return text.split(separator: "\n")
        .filter { $0.contains("pam_sealring.so") && !$0.hasPrefix("#") }
        .map { (name, $0.split(whereSeparator: \.isWhitespace).joined(separator: " ")) }
    }
  }
}
