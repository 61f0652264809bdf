import Foundation
import PingOidc
import StrictJSON

extension Token {
  /// Prints the token as commands do. It is a secret for the program that asked.
  func show(_ output: ResultOptions) {
    let fields: [(String, String?)] = [
      ("access_token", accessToken), ("token_type", tokenType), ("scope", scope),
      ("expires_in", String(expiresIn)), ("refresh_token", refreshToken), ("id_token", idToken),
    ]
    guard output.json else {
      for case (let name, let value?) in fields {
        Output.line(name.padding(toLength: 15, withPad: " ", startingAt: 0) + printable(value))
      }
      return
    }
    var json = JSONObject()
    for (name, value) in fields { json[name] = value.map(JSONValue.string) }
    json["expires_in"] = .integer(expiresIn)
    Output.json(.object(json))
  }
}

extension CommandFailure {
  static func of(oidc error: OidcError) -> CommandFailure {
    if case .networkError(let cause?, nil) = error, PlainReason.isForeign(cause) {
      return .unreachable(
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
