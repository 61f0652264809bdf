// Apart from the other cases: FRAuth has a `Token` of its own.
import PingOidc

@testable import PingJourney

extension SecretCase {
  static var oidc: [SecretCase] {
    [
      .text("Tokens of OpenID Connect") {
        Token(
          accessToken: $0, tokenType: "Bearer", scope: nil, expiresIn: 60, refreshToken: $0, idToken: $0)
      },
      .text("JourneyUser") { JourneyUser(value: $0, journey: Journey.createJourney()) },
    ]
  }
}
