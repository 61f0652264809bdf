import ArgumentParser
import ProductVersion
import ServerCommand

/// The server alone: what `sealring serve` runs, in a program that loads no library for devices (TPM, fingerprint, PAM, camera).
@main
struct ServerProgram: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sealring-server",
    abstract: "Run the journey server, without the commands of devices.",
    discussion: """
      `sealring-server serve` is `sealring serve`. Users, applications and the ledger are administered with `sealring`, \
      which is a package of its own.
      """,
    version: "sealring-server \(ProductVersion.text)",
    subcommands: [Serve.self, HealthCheck.self])
}
