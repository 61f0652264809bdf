/// Failures, counted by kind and text. The number of texts is limited, because servers supply them.
package struct LoadErrors: Sendable, Equatable {
  /// The most different texts; further failures are counted by kind only.
  package static let most = 32

  private var counts: [LoadFailure: Int] = [:]

  package init() {}

  package mutating func add(_ failure: LoadFailure, count: Int = 1) {
    guard count > 0 else { return }
    let isKnown = counts[failure] != nil || counts.count < Self.most
    counts[isKnown ? failure : LoadFailure(failure.kind, "with other texts"), default: 0] += count
  }

  package mutating func add(_ other: LoadErrors) {
    for entry in other.entries { add(LoadFailure(entry.kind, entry.detail), count: entry.count) }
  }

  /// The failures, most frequent first.
  package var entries: [(kind: LoadFailure.Kind, detail: String, count: Int)] {
    counts.map { (kind: $0.kind, detail: $0.detail, count: $1) }
      .sorted { ($1.count, $0.kind.rawValue, $0.detail) < ($0.count, $1.kind.rawValue, $1.detail) }
  }

  /// The number of failures by kind.
  package var byKind: [(kind: LoadFailure.Kind, count: Int)] {
    LoadFailure.Kind.allCases.compactMap { kind in
      let count = counts.filter { $0.key.kind == kind }.reduce(0) { $0 + $1.value }
      return count > 0 ? (kind, count) : nil
    }
  }
}
