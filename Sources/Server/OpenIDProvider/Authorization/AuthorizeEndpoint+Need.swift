internal import Foundation
internal import JourneyStore
internal import ServerHTTP
internal import StrictJSON

extension AuthorizeEndpoint {
  /// A requirement of the request that the session does not meet.
  enum Need { case session, person, newer, journey }

  /// The error for the client when the person comes back and the need is still unmet.
  static func refusal(of need: Need?) -> OAuthError {
    switch need {
    case .journey: OAuthError(.unmetAuthenticationRequirements, "None of the acr_values was reached.")
    case .person: OAuthError(.loginRequired, "The id_token_hint names a person other than the one signed in.")
    case .session, .newer, nil: OAuthError(.loginRequired, "The person has not signed in anew.")
    }
  }

  /// The first requirement of the request that the session does not meet.
  func need(_ interaction: Interaction, _ session: AuthenticatedSession?) -> Need? {
    guard let session else { return .session }
    let (request, record) = (interaction.request, session.record)
    if let subject = request.subject, record.accountID?.hasSameBytes(as: subject) != true {
      return .person
    }
    // The session is new if this request sent the browser to sign in and the browser did not have the session before.
    let isNew =
      record.authenticatedAt >= interaction.began
      && (interaction.earlier.map { $0 != Self.sessionMark(session) } ?? false)
    if request.asksAgain, !isNew { return .newer }
    if let age = request.maxAge, !isNew,
      provider.clock().timeIntervalSince(record.authenticatedAt) > TimeInterval(age)
    {
      return .newer
    }
    return provider.reaches(oneOf: request.acrValues, record, for: interaction.client) ? nil : .journey
  }
}
