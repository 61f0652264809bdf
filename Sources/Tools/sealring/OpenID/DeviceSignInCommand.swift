import ArgumentParser
import BindingFormats
import Foundation
import PingOidc
import PingStorage
import QRCodes
import StrictJSON
import TerminalPrompts

extension OpenIDCommand {
  /// Plays a device that cannot show a sign-in page.
  struct Device: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Get tokens as a device does: somebody approves elsewhere (RFC 8628).",
      discussion: """
        Shows an address and a code, where the terminal has room for it also as a QR code, waits until a person who signs in there has \
        decided, and prints the tokens. They are secrets, and kept nowhere. With --json the address and the code are the first line, \
        the tokens the second. Nobody but the person in front of this terminal should get the code: whoever approves it signs \
        this terminal in as themselves.
        """)

    @OptionGroup var server: ServerOptions

    @Option(help: "The client's id: a public client that was added with --device.")
    var client: String

    @Option(help: "Scopes, separated by spaces.")
    var scope = "openid"

    @Option(help: "How the person has to sign in: acr values, separated by spaces.")
    var acr: String?

    @Option(help: "The OpenID provider's address, if it is not that of --server and --realm.")
    var issuer: String?

    @OptionGroup var output: ResultOptions

    func validate() throws {
      if let issuer, !ServerOptions.isWebAddress(issuer) {
        throw ValidationError("--issuer needs a web address, not '\(issuer)'.")
      }
      guard scope.contains(where: { $0 != " " }) else { throw ValidationError("--scope is empty.") }
    }

    private var provider: String {
      guard let issuer else { return server.openIDProvider }
      return issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    }

    func run() async throws {
      let config = OidcClientConfig()
      config.discoveryEndpoint = provider + "/.well-known/openid-configuration"
      config.clientId = client
      config.scopes = Set(scope.split(separator: " ").map(String.init))
      config.acrValues = acr
      config.storage = MemoryStorage<Token>()
      for await state in OidcDeviceClient(config: config).deviceAuthorization() {
        switch state {
        case .started(let answer): show(answer)
        case .polling: break
        case .success(let user): return try await user.token().get().show(output)
        case .accessDenied: throw CommandFailure.cancelled("The person refused.")
        case .expired:
          throw CommandFailure.expired("Nobody approved in time. Run the command again for a new code.")
        case .failure(let error): throw CommandFailure.of(oidc: error)
        }
      }
      throw CommandFailure("The questions ended without an answer.")
    }

    private func show(_ answer: DeviceAuthorizationResponse) {
      if output.json {
        var json: JSONObject = [
          "user_code": .string(answer.userCode), "verification_uri": .string(answer.verificationUri),
          "expires_in": .integer(answer.expiresIn),
        ]
        json["verification_uri_complete"] = answer.verificationUriComplete.map(JSONValue.string)
        return Output.json(.object(json))
      }
      EnrolmentDisplay.draw(answer.verificationUriComplete ?? answer.verificationUri) { _, _ in }
      Output.remark("Open \(printable(answer.verificationUri)) on a phone or computer, and type in")
      Output.raw("    \(printable(answer.userCode))\n")
      Output.remark("Waiting up to \(max(1, answer.expiresIn / 60)) minutes …")
    }
  }
}
