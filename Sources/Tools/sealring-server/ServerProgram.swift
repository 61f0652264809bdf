import ArgumentParser
import JourneyScripts
import PrivateFiles
import ProductVersion
import ServerCommand

/// The server without the client: `sealring serve` in a program that loads no device libraries (TPM, fingerprint, PAM, camera).
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

  @OptionGroup(title: "Options of every command") var everywhere: GlobalOptions

  static func main() async {
    ScriptWorkerProgram.runIfAsked()
    ClientHome.useCommandLine()
    var arguments = Array(CommandLine.arguments.dropFirst())
    do {
      let options = try GlobalOptions.take(from: &arguments)
      CurrentSettings.load(options, for: arguments)
      // Adds the settings of `[serve]`, as `sealring serve` does.
      if arguments.first == "serve" {
        arguments += ServeSettings.arguments(for: arguments, try CurrentSettings.settings())
      }
      var command = try parseAsRoot(arguments)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      exit(withError: PlainReason.failure(error))
    }
  }
}
