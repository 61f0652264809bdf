import ArgumentParser
import PingOath

extension OathCommand {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the accounts that this device makes codes for.")

    @OptionGroup var output: ResultOptions

    func run() async throws {
      let credentials = try await OathClients.with { try await $0.getCredentials() }
      output.list(
        credentials, OathCredential.columns,
        none: "This device makes no one-time codes yet. Enrol it with `sealring oath add`.")
    }
  }
}
