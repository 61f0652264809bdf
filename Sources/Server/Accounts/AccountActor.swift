package import BindingFormats
package import Foundation
package import JourneyStore

/// Who acts upon an account, and what they have proven.
package enum AccountActor: Sendable {
  /// A session that was verified: REST and pages.
  case session(SessionRecord)

  /// A run of a journey, which the operator wrote: its nodes and scripts act for the person whom it has proven.
  case journey(JourneyFacts)

  /// Somebody who can write to the server's data: a command on its machine, or a program that embeds it.
  case `operator`

  /// What a run knows of its person.
  package struct JourneyFacts: Sendable {
    package var journey: String
    package var realm: String

    /// The run's user, and when and how well they were proven; `nil` for never.
    package var username: String?
    package var authenticatedAt: Date?
    package var authLevel: Int

    /// SHA-256 of the token of the session that the client presented at the run's start.
    package var sessionHash: [UInt8]?

    /// Addresses from which the run's person has opened a link.
    package var provenMail: Set<String>

    package init(
      journey: String, realm: String, username: String? = nil, authenticatedAt: Date? = nil,
      authLevel: Int = 0, sessionHash: [UInt8]? = nil, provenMail: Set<String> = []
    ) {
      self.journey = journey
      self.realm = realm
      self.username = username
      self.authenticatedAt = authenticatedAt
      self.authLevel = authLevel
      self.sessionHash = sessionHash
      self.provenMail = provenMail
    }
  }

  /// Whether the actor is the account's own person, as far as it is known.
  package func isOwner(of account: UniversalID) -> Bool {
    switch self {
    case .session(let session): UniversalID(username: session.username, realm: session.realm) == account
    case .journey(let run):
      run.username.map { UniversalID(username: $0, realm: run.realm) == account } ?? false
    case .operator: false
    }
  }
}
