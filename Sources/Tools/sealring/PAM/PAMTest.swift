import ArgumentParser
import Foundation
import PingBinding
import StrictJSON
import UserVerification
import UserVerificationPAM

struct PAMTest: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Have PAM recognise you as a service would, before any service depends on it.",
    discussion: """
      Uses the PAM service `sealring-test`, in which the module stands alone: what works here works for sudo. As root with --user it takes \
      the way of a login, before there is a session.
      """)

  @Option(help: "Another PAM service, such as sudo.")
  var service = "sealring-test"

  @Option(help: "Another user than the one who runs the command; for root.")
  var user: String?

  @Option(help: "A folder of PAM services that is used instead of /etc/pam.d.", completion: .directory)
  var services: String?

  @OptionGroup var output: ResultOptions

  func run() async throws {
    #if os(Linux)
      let user = try user ?? PAMCommand.currentUser().name
      let verifier = PAMVerifier(
        service: service, user: user, configuration: services.map { URL(filePath: $0) })
      do {
        try await verifier.verify(reason: "Try the PAM service \(service)", source: DefaultCredentialSource())
      } catch let error as UserVerificationError {
        throw CommandFailure.unsupported(
          "PAM does not recognise \(printable(user)) by the service \(printable(service)): \(error.localizedDescription) The system's log says why (journalctl -t sealring)."
        )
      }
      output.done(
        "PAM recognises \(user) by the service \(service).",
        ["user": .string(user), "service": .string(service), "recognised": true])
    #else
      throw PAMCommand.needsLinux
    #endif
  }
}
