package import DeviceKeys
package import Foundation

/// The answer of a person.
package enum PersonAnswer: Sendable, Equatable {
  case pin(PIN)
  case yes
  /// The person was recognised by a finger: more than a yes, but no PIN was entered.
  case finger
  /// The person refused, or the time ran out.
  case no
  /// Nobody could be asked, for this reason.
  case nobody(String)
}

/// Asks a person. One question at a time; a cancelled task takes its question away.
package protocol PersonPrompt: Sendable {
  /// - Parameter end: When the question expires; the answer is then ``PersonAnswer/no``.
  func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer
}

/// A prompt without a person: every answer is ``PersonAnswer/nobody(_:)``.
package struct NobodyToAsk: PersonPrompt {
  package init() {}

  package func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer {
    .nobody("there is no terminal, and no pinentry was found")
  }
}
