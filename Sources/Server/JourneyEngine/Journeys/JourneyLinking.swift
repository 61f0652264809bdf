/// Connects the journeys of a realm to those that they run inside.
///
/// A journey holds the ones inside it, so that a run finishes on the versions that it began with.
struct JourneyLinking {
  /// The realm's journeys, by name.
  private(set) var journeys: [String: CompiledJourney]

  /// Journeys that run each other inside without end, sorted; they are not linked.
  private(set) var cycle: [String] = []

  /// - Parameter changed: those that are new here. Others are linked again only if these concern them.
  init(_ journeys: [String: CompiledJourney], changed: Set<String>) {
    self.journeys = journeys
    let inner = journeys.mapValues { journey in journey.innerNames.filter { journeys[$0] != nil } }
    var callers: [String: [String]] = [:]
    for (name, names) in inner { for each in names { callers[each, default: []].append(name) } }
    // From those that run nothing inside to those that run them.
    var waiting = inner.mapValues(\.count)
    var ready = waiting.filter { $0.value == 0 }.map(\.key)
    var isAffected = changed
    func finish(_ name: String) {
      for caller in callers[name] ?? [] {
        if isAffected.contains(name) { isAffected.insert(caller) }
        waiting[caller, default: 0] -= 1
        if waiting[caller] == 0 { ready.append(caller) }
      }
      waiting[name] = nil
    }
    while let name = ready.popLast() {
      // Also when an inner journey is gone.
      if isAffected.contains(name) || !(inner[name] ?? []).isEmpty || journeys[name]?.inner.isEmpty == false {
        link(name)
      }
      finish(name)
    }
    guard !waiting.isEmpty else { return }
    for name in waiting.keys { self.journeys[name]?.warnings = journeys[name]?.ownWarnings ?? [] }
    // What only leads into a circle is not part of it.
    var circle = Set(waiting.keys)
    while let outside = circle.first(where: { name in
      !(callers[name] ?? []).contains { circle.contains($0) }
    }) {
      circle.remove(outside)
    }
    cycle = circle.sorted()
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
    // What an inner journey lacks is looked for in those that run it.
    journey.warnings =
      journey.ownWarnings + flow.warnings(unmet: journey.summary.canStart ? unmet : [])
    let levels = LevelFlow(journey)
    journey.summary.guaranteedLevel = levels.guaranteed
    journey.summary.reachableLevel = levels.reachable
    journeys[name] = journey
  }
}
