import Agent
import ArgumentParser
import DeviceKeys
import Foundation
import RuntimeLibraries
import SSHFormats
import StrictJSON
import TerminalPrompts
import TerminalText

struct SSHLogin: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Have this device's key certified by the realm, and sign in to a host with ssh.",
    discussion: """
      Signs in with the journey of the realm unless a certificate is kept that is still good, or the session of an earlier sign-in gives a new \
      one. The certificate and the session are kept: until the session ends, `sealring ssh certificate` and `sealring ssh proxy` renew the \
      certificate without a question. Then ssh runs, with the agent, and with what stands after --. Without HOST it ends before that.

      Each PIN is tried on its own key: that of --pin-stdin on the key that signs in to the realm, that of --key-pin-stdin on the key for SSH.
      """)

  static let keyPINOption = "--key-pin-stdin"

  @Argument(help: "The host, or USER@HOST.")
  var host: SSHHost?

  @Argument(
    parsing: .postTerminator, help: ArgumentHelp("Further arguments of ssh.", valueName: "ssh-arguments"))
  var arguments: [String] = []

  @OptionGroup var place: AgentCommand.SocketOptions
  @OptionGroup var options: CertificateOptions
  @OptionGroup var secrets: SecretOptions

  @Flag(
    help:
      "Read the PIN of the key for SSH, which the chip needs to attest it, from standard input: the line after those of --password-stdin and --pin-stdin."
  )
  var keyPinStdin = false

  @Option(help: "The journey to sign in with. Default: the realm's for certificates.")
  var journey: String?

  @Flag(
    help: "Get a new certificate even if the kept one seems valid, such as after it was revoked.")
  var new = false

  @OptionGroup var output: ResultOptions

  func validate() throws {
    guard host != nil || arguments.isEmpty else {
      throw ValidationError("Arguments of ssh need a host before them: sealring ssh login HOST -- ARGUMENTS.")
    }
    guard host == nil || !output.json else { throw ValidationError("--json is for a login without HOST.") }
  }

  func run() async throws {
    // ssh reads the terminal next, and needs the echo.
    if host != nil { Terminal.controlling.keepsEchoOff = false }
    let given = try await secrets.load()
    let keyPIN =
      keyPinStdin
      ? try await StandardInput.shared.line(of: "PIN of the key for SSH", for: Self.keyPINOption) : nil
    let person = Certification.Person(
      secrets: given, keyPIN: keyPIN.map { PIN($0) }, journey: journey, wantsNew: new)
    let (certificate, key) = try await options.certificate(asking: person)
    output.done(certificate.sentence(of: key), certificate.record(of: key))
    guard let host else { return }
    #if os(Linux)
      let socket = try socket(offering: certificate)
      let failure = SpawnedProgram.become(
        "ssh", [host.text] + arguments, environment: ["SSH_AUTH_SOCK": socket])
      throw CommandFailure.unsupported("\(failure.description). Install OpenSSH's client.")
    #else
      throw AgentCommand.needsLinux
    #endif
  }

  #if os(Linux)
    /// The socket of the agent that offers the certificate.
    private func socket(offering certificate: SSHCertificate) throws -> String {
      let file = try place.file()
      let identities: [UInt8]
      do {
        identities = try AgentConnection.ask(AgentRequest.identities.bytes, at: file)
      } catch let error as AgentError {
        throw CommandFailure.notFound(
          "\(error.localizedDescription) The certificate is kept until \(Times.text(certificate.end)): run this again once the agent is there."
        )
      }
      guard AgentReply.identities(in: identities).contains(where: { $0.blob == certificate.blob }) else {
        throw CommandFailure(
          "The agent at \(printable(file.path(percentEncoded: false))) does not offer the certificate. It is locked, has another SEALRING_HOME, or "
            + "is not `sealring agent`.")
      }
      return file.path(percentEncoded: false)
    }
  #endif
}
