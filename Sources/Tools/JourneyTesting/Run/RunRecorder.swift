internal import Concurrency
internal import JourneyEngine

/// Records the visits of journeys on a test's servers.
final class RunRecorder: JourneyObserver, Sendable {
  private struct Record {
    var sinceRequest: [NodeVisit] = []
    var all: Set<JourneyCoverage.Place> = []
  }

  private let record = Locked(Record())

  /// Forgets the visits of the previous step.
  func beginStep() { record.withLock { $0.sinceRequest = [] } }

  /// The visits since the step began.
  var visits: [NodeVisit] { record.withLock { $0.sinceRequest } }

  /// All visited places.
  var places: Set<JourneyCoverage.Place> { record.withLock { $0.all } }

  func visited(_ visit: NodeVisit) {
    record.withLock { record in
      record.sinceRequest.append(visit)
      var place = JourneyCoverage.Place(journey: visit.journey, realm: visit.realm, nodeID: visit.nodeID)
      record.all.insert(place)
      if case .outcome(let outcome)? = visit.result {
        place.outcome = JourneyCoverage.key(outcome)
        record.all.insert(place)
      }
    }
  }
}

extension NodeVisit {
  /// The node's name in reports.
  var label: String { displayName.isEmpty ? type : displayName }

  /// The visit in reports: the node, and its outcome.
  var text: String {
    switch result {
    case .outcome(let outcome)?: "\(label): \(outcome)"
    case .suspend?: "\(label): suspends"
    case .callbacks?: "\(label): asks"
    case nil: "\(label): failed"
    }
  }
}
