import ArgumentParser
import Foundation

struct SSHProxy: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "proxy",
    abstract: "Renew the certificate without a question, and connect ssh to a host.",
    discussion: """
      For ssh, which speaks to the host through standard input and output. In ~/.ssh/config:

        Host *.example.com
          ProxyCommand sealring ssh proxy %h %p
      """)

  @Argument(help: "The host.")
  var host: SSHHost

  @Argument(help: "Its port (1 to 65535).")
  var port: UInt16

  @OptionGroup var options: CertificateOptions

  func validate() throws {
    guard port > 0 else { throw ValidationError("The port is 1 to 65535, not 0.") }
    guard !host.hasAccount else { throw ValidationError("The host has no account before it here.") }
  }

  func run() async throws {
    _ = try await options.renewed(for: host)
    // When ssh exits, writes fail, and must not kill this process.
    signal(SIGPIPE, SIG_IGN)
    let (process, relay) = (CommandProcess.current, try await TCPRelay.connect(to: host.text, port: port))
    try await relay.run(input: process.input, output: process.output)
  }
}
