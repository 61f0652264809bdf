internal import Bytes
internal import Crypto
internal import Foundation
package import JourneyStore
package import PageTemplates

/// What a page has seen of the latest runs: a time, and a digest that tells whether anything is new.
package struct ActivityMark: Equatable {
  /// The time of the latest run, in milliseconds since 1970.
  private let moment: Int
  private let digest: String

  /// How late a run may come to the database: other servers store what they saw within half a minute. Milliseconds.
  private static let lateness = 60_000

  private static let digits = 16

  /// - Parameter findings: what the page says beside the runs.
  package init(_ attempts: [SignInAttempt], _ findings: PageValue?) {
    moment = attempts.map(Self.moment).max() ?? 0
    var hash = SHA256()
    for attempt in attempts { hash.update(data: Data("\(attempt.run) \(Self.version(of: attempt))\n".utf8)) }
    if case .list(let findings)? = findings {
      for case .fields(let finding) in findings {
        if case .text(let text)? = finding["text"] { hash.update(data: Data("\(text)\n".utf8)) }
      }
    }
    digest = String(Array(hash.finalize()).hexadecimal.prefix(Self.digits))
  }

  /// `nil` for anything that ``text`` cannot be.
  package init?(parsing text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard text.utf8.count <= 40, parts.count == 2, let moment = Int(parts[0]), moment >= 0,
      parts[1].utf8.count == Self.digits, parts[1].utf8.allSatisfy(Hexadecimal.isLowercaseDigit)
    else { return nil }
    (self.moment, digest) = (moment, String(parts[1]))
  }

  package var text: String { "\(moment)-\(digest)" }

  /// Whether the page may lack the run's current state. The page recognises by the version what it already has.
  package func precedes(_ attempt: SignInAttempt) -> Bool {
    Self.moment(of: attempt) >= moment - Self.lateness
  }

  package static func moment(of attempt: SignInAttempt) -> Int {
    Int((attempt.latest.timeIntervalSince1970 * 1000).rounded())
  }

  /// A text that changes whenever the run continues.
  package static func version(of attempt: SignInAttempt) -> String {
    "\(moment(of: attempt)).\(attempt.steps.count).\(attempt.state.rawValue)"
  }
}
