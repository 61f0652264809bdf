package import BindingFormats
internal import Concurrency

/// What is learned of a request while it is answered: its ids, and whose session it came with.
package final class RequestTrail: Sendable {
  /// The trail of the request that the current task answers.
  @TaskLocal package static var current: RequestTrail?

  private struct Found {
    var account: UniversalID?
    var chargedAccount: UniversalID?
    var journeyID: String?
    var route: String?
    var run: JourneyRunTrail?
    var isByWatcher = false
  }

  /// Joins the request's lines in the log; the client gets it as `X-Request-Id`.
  package let requestID: String

  private let found = Locked(Found())

  package init(requestID: String) { self.requestID = requestID }

  /// The run of the journey that the request belongs to; `nil` until it was found.
  var journeyID: String? { found.withLock { $0.journeyID } }

  /// The pattern of the request's route; `nil` until one was found.
  package var route: String? { found.withLock { $0.route } }

  /// The account of the request's valid session; `nil` until one was found.
  package var account: UniversalID? { found.withLock { $0.account } }

  /// Whether the account still has to be charged for the request, which the first caller does.
  package func charges(_ account: UniversalID) -> Bool {
    found.withLock { found in
      defer { found.chargedAccount = account }
      return found.chargedAccount != account
    }
  }

  package func note(_ account: UniversalID) { found.withLock { $0.account = account } }

  package func note(journeyID: String) { found.withLock { $0.journeyID = journeyID } }

  /// What the request's journey has done; `nil` without one.
  var journeyRun: JourneyRunTrail? { found.withLock { $0.run } }

  package func note(_ run: JourneyRunTrail) { found.withLock { $0.run = run } }

  package func change(_ change: @Sendable (inout JourneyRunTrail) -> Void) {
    found.withLock { found in
      // Taken out, so that its list is changed in place.
      guard var run = found.run.take() else { return }
      change(&run)
      found.run = run
    }
  }

  /// Whether a page's script polls, and no person asks. Such requests are not in the plots, which would change by being watched.
  var isByWatcher: Bool { found.withLock { $0.isByWatcher } }

  package func noteWatcher() { found.withLock { $0.isByWatcher = true } }

  package func note(route: String) { found.withLock { $0.route = route } }
}
