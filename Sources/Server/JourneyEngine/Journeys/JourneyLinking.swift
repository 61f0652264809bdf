/// Connects the journeys of a realm to their inner journeys.
///
/// A journey holds its inner journeys, so that a run finishes on the versions that it began with.
struct JourneyLinking {
  /// The realm's journeys, by name.
  private(set) var journeys: [String: CompiledJourney]

  /// Journeys that run each other inside without end, sorted. Neither these journeys nor those that run them are linked.
  private(set) var rings: [[String]] = []

  /// - Parameter changed: the names of new journeys. Of the others, those that run, or ran, a journey inside are linked again.
  init(_ journeys: [String: CompiledJourney], changed: Set<String>) {
    self.journeys = journeys
    let inner = journeys.mapValues { journey in journey.innerNames.filter { journeys[$0] != nil } }
    var callers: [String: [String]] = [:]
    for (name, names) in inner { for each in names { callers[each, default: []].append(name) } }
    // Journeys that run nothing inside come first, then those that run them.
    var waiting = inner.mapValues(\.count)
    var ready = waiting.filter { $0.value == 0 }.map(\.key)
    func finish(_ name: String) {
      for caller in callers[name] ?? [] {
        waiting[caller, default: 0] -= 1
        if waiting[caller] == 0 { ready.append(caller) }
      }
      waiting[name] = nil
    }
    while let name = ready.popLast() {
      // The last condition holds for a journey whose inner journeys are gone.
      if changed.contains(name) || !(inner[name] ?? []).isEmpty || journeys[name]?.inner.isEmpty == false {
        link(name)
      }
      finish(name)
    }
    guard !waiting.isEmpty else { return }
    for name in waiting.keys { self.journeys[name]?.warnings = journeys[name]?.ownWarnings ?? [] }
    rings = Self.rings(among: Set(waiting.keys), inner: inner, callers: callers)
  }

  /// The rings among `names`: groups in which each leads to all others, by Kosaraju's algorithm. A journey that only leads into a ring, or
  /// from one to another, is in none.
  private static func rings(
    among names: Set<String>, inner: [String: [String]], callers: [String: [String]]
  ) -> [[String]] {
    // The names in the order in which a depth-first search leaves them, without recursion.
    var finished: [String] = []
    var seen: Set<String> = []
    for start in names.sorted() where seen.insert(start).inserted {
      var open: [(name: String, next: Int)] = [(start, 0)]
      while let (name, next) = open.last {
        let targets = inner[name] ?? []
        guard next < targets.count else {
          finished.append(name)
          open.removeLast()
          continue
        }
        open[open.count - 1].next += 1
        let target = targets[next]
        if names.contains(target), seen.insert(target).inserted { open.append((target, 0)) }
      }
    }
    var rings: [[String]] = []
    var grouped: Set<String> = []
    for start in finished.reversed() where !grouped.contains(start) {
      var group: [String] = []
      var open = [start]
      while let name = open.popLast() {
        guard grouped.insert(name).inserted else { continue }
        group.append(name)
        open += (callers[name] ?? []).filter { names.contains($0) && !grouped.contains($0) }
      }
      if group.count > 1 || inner[start]?.contains(start) == true { rings.append(group.sorted()) }
    }
    return rings.sorted { ($0.first ?? "") < ($1.first ?? "") }
  }

  private mutating func link(_ name: String) {
    guard var journey = journeys[name] else { return }
    var inner: [String: CompiledJourney] = [:]
    for name in journey.innerNames {
      guard let other = journeys[name], other.faults.isEmpty,
        other.depth < CompiledJourney.maximumDepth
      else { continue }
      inner[name] = other
    }
    journey.inner = inner
    journey.depth = 1 + (inner.values.map(\.depth).max() ?? 0)
    journey.version = JourneyCompiler.version(journey.ownVersion, inner: inner)
    let flow = StateFlow(journey)
    let unmet = flow.unmetNeeds
    journey.provides = flow.provides
    var seen: Set<String> = []
    journey.needs = unmet.map(\.variable).filter { seen.insert($0).inserted }
    // A journey that cannot be started may get its variables from the journeys that run it.
    journey.warnings =
      journey.ownWarnings + flow.warnings(unmet: journey.summary.canStart ? unmet : [])
    let levels = LevelFlow(journey)
    journey.summary.guaranteedLevel = levels.guaranteed
    journey.summary.reachableLevel = levels.reachable
    journeys[name] = journey
  }
}
