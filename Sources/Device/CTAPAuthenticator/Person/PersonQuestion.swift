package import DeviceKeys
package import Foundation

/// What a person is asked before the security key does what a program wants.
package struct PersonQuestion: Sendable, Hashable {
  package enum Purpose: Sendable, Hashable {
    case register
    case signIn
    /// The program wants a token that stands for the person, for what it will ask next.
    case verify
    /// Among several security keys, is it this one?
    case select
    case setPIN
    /// All passkeys and the PIN are to be deleted.
    case reset
  }

  package let purpose: Purpose
  /// The relying party's id, as the program says it: a security key cannot see a page's address. `nil` where none is meant.
  package let relyingParty: String?
  /// The account, as the relying party calls it; `nil` where none is meant.
  package let account: String?
  /// What a finger on the reader means while the question is there.
  package enum Finger: Sendable, Hashable {
    case none
    /// It answers as the PIN does, or in place of a yes where there is no PIN.
    case accepted
    /// The fingers that are enrolled are not trusted, or no more; with the PIN they will be.
    case trustedByPIN
  }

  /// Whether the PIN is needed; otherwise yes or no.
  package internal(set) var needsPIN: Bool
  package internal(set) var finger: Finger
  /// What came of the last answer, such as a wrong PIN.
  package var remark: String?

  package init(
    _ purpose: Purpose, relyingParty: String? = nil, account: String? = nil, needsPIN: Bool = false,
    finger: Finger = .none, remark: String? = nil
  ) {
    (self.purpose, self.relyingParty, self.account) = (purpose, relyingParty, account)
    (self.needsPIN, self.finger, self.remark) = (needsPIN, finger, remark)
  }
}

/// What a person said.
package enum PersonAnswer: Sendable, Equatable {
  case pin(PIN)
  case yes
  /// Also when the time was over.
  case no
  /// Nobody could be asked, for this reason.
  case nobody(String)
}

/// Asks a person. One question at a time; a cancelled task takes its question away.
package protocol PersonPrompt: Sendable {
  /// - Parameter end: When the question is over, which is ``PersonAnswer/no`` then.
  func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer
}
