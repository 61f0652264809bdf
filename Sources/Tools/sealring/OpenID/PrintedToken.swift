import Foundation
import PingOidc
import StrictJSON

/// Tokens as commands print them: secrets, for the program that asked.
struct PrintedToken {
  private let token: Token

  init(_ token: Token) { self.token = token }

  func show(_ output: ResultOptions) {
    let fields: [(String, String?)] = [
      ("access_token", token.accessToken), ("token_type", token.tokenType), ("scope", token.scope),
      ("expires_in", String(token.expiresIn)), ("refresh_token", token.refreshToken),
      ("id_token", token.idToken),
    ]
    guard output.json else {
      for case (let name, let value?) in fields {
        Output.line(name.padding(toLength: 15, withPad: " ", startingAt: 0) + printable(value))
      }
      return
    }
    var json = JSONObject()
    for (name, value) in fields { json[name] = value.map(JSONValue.string) }
    json["expires_in"] = .integer(token.expiresIn)
    Output.json(.object(json))
  }

  static func failure(_ error: OidcError) -> CommandFailure {
    if case .networkError(let cause?, nil) = error, PlainReason.isForeign(cause) {
      return CommandFailure.unreachable(
        "The OpenID provider cannot be reached: \(PlainReason.of(cause)) Check its address.")
    }
    let code: CommandFailure.Code =
      switch error {
      case .networkError: .unreachable
      case .apiError(let status, _): CommandFailure.code(forStatus: status)
      default: .failed
      }
    return CommandFailure(printable(error.errorMessage), code: code)
  }
}
