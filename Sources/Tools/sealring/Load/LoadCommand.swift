import ArgumentParser
import LoadTesting

struct LoadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load",
    abstract: "Load a server with thousands of simulated devices, and measure it.",
    discussion: """
      Scenarios: bind, sign-in, push-register, push, passkey-register, passkey, transaction. Devices have software keys and speak the \
      protocol of PingAM; what is Sealring's own has an option of its own. The page load-testing is a tutorial.

      Only load servers that are yours: the command says whom it loads, and asks before it loads another machine.
      """,
    subcommands: [Run.self, Accounts.self, Merge.self], defaultSubcommand: Run.self)
}

extension LoadScenario: ExpressibleByArgument {}
