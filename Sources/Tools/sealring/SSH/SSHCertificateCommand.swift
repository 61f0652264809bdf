import ArgumentParser
import StrictJSON

struct SSHCertificateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "certificate",
    abstract: "Renew the certificate of this device's key without a question.",
    discussion: """
      Exit code 0 when there is one that is good for another minute, or the kept session gave a new one; 1 when somebody has to sign in, \
      by `sealring ssh login`. In ~/.ssh/config:

        Match host *.example.com exec "sealring ssh certificate --for %h"
      """)

  @Option(name: .customLong("for"), help: "The host that it is wanted for, for messages.")
  var host: SSHHost?

  @OptionGroup var options: CertificateOptions
  @OptionGroup var output: ResultOptions

  func run() async throws {
    let (certificate, key) = try await options.renewed(for: host)
    // ssh runs this command before each connection, and needs no output.
    if host == nil || output.json { output.done(certificate.sentence(of: key), certificate.record(of: key)) }
  }
}
