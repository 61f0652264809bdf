import ArgumentParser
import CommandSettings
import ProductVersion
import StrictJSON

struct Status: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show whether the server answers, who is signed in, and which keys belong to it.",
    discussion:
      "Exit code 1 when the server cannot be reached. `sealring doctor` finds out what may be wrong with this device."
  )

  @OptionGroup var server: ServerOptions
  @OptionGroup var output: ResultOptions

  func run() async throws {
    let keys = try await FittingKeys.find(for: server)
    let probe: Result<ServerProbe, any Error>
    do { probe = .success(try await ServerProbe.ask(server)) } catch { probe = .failure(error) }
    var account: JSONValue?
    if case .success = probe, let session = try await server.keptSession() {
      account = try? await AdministrationClient(server: server, token: session.token)
        .sessionInformation()
    }
    if output.json {
      report(probe, account, keys)
    } else {
      show(probe, account, keys)
    }
    if case .failure(let error) = probe { throw error }
  }

  private func show(_ probe: Result<ServerProbe, any Error>, _ account: JSONValue?, _ keys: FittingKeys) {
    Output.line("server    \(printable(server.baseAddress)), realm \(printable(server.realm))")
    if let profile = CurrentSettings.given("profile") { Output.line("profile   \(printable(profile.text))") }
    if case .success(let probe) = probe {
      Output.line("version   \(printable(probe.version ?? "unknown")) there, \(ProductVersion.text) here")
      Output.line("clock     \(probe.clockText)")
      let name = account?["username"]?.stringValue
      Output.line(
        "account   \(name.map { "signed in as \(printable($0))" } ?? "nobody is signed in (sealring session login)")"
      )
    } else {
      Output.line("version   not known there, \(ProductVersion.text) here")
    }
    let lines = keys.lines
    Output.line(
      "keys      \(lines.isEmpty ? "none for this server and realm (sealring bind)" : "\(lines.count) for this server and realm")"
    )
    for line in lines { Output.line("  \(line)") }
  }

  private func report(_ probe: Result<ServerProbe, any Error>, _ account: JSONValue?, _ keys: FittingKeys) {
    let answer = try? probe.get()
    Output.json([
      "server": .string(server.baseAddress), "realm": .string(server.realm),
      "profile": CurrentSettings.given("profile").map { .string($0.text) } ?? .null,
      "reachable": .bool(answer != nil), "serverVersion": answer?.version.map { .string($0) } ?? .null,
      "version": .string(ProductVersion.text),
      "clockDifferenceSeconds": answer?.clockDifference.map { .integer(Int64($0.rounded())) } ?? .null,
      "username": account?["username"] ?? .null, "keys": keys.json,
    ])
  }
}
