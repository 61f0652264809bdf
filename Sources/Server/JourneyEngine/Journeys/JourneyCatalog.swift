public import Foundation
public import StrictJSON

/// All journeys that a server can run, compiled once.
///
/// A value, replaced as a whole by every change, so that a request sees one consistent set of journeys.
public struct JourneyCatalog: Sendable {
  /// The journey that starts when the client names none; also used for zero-page login.
  public var defaultJourney = "Login"

  private let compiler: JourneyCompiler
  private var realms: [String: [String: CompiledJourney]] = [:]

  /// Designed node types of files without journeys: by realm, file and name.
  private var nodeTypes: [String: [String: [String: DesignedNodeType]]] = [:]

  /// Journeys that are no longer started, kept for the runs that began on them.
  private var earlier: [EarlierJourney] = []

  public init(registry: NodeRegistry) { compiler = JourneyCompiler(registry: registry) }

  /// A journey file that is to be loaded.
  public struct File: Sendable {
    public let bytes: [UInt8]

    /// Where the file is, for messages and ``JourneyCatalog/summaries(realm:)``.
    public let source: String

    /// Reads the files that it refers to; `nil` refuses all.
    public let references: JourneyFileReferences?

    /// The parsed content; `nil` for a file that has not been parsed yet.
    var content: Result<JourneyFile, JourneyFileError>?

    /// Why the details of nodes cannot be read, by node id, where each node has a file of its own. One sentence without the node.
    public var damagedNodes: [String: String] = [:]

    /// Why there are no ``bytes``; `nil` when there are.
    var unreadable: String?

    public init(_ bytes: [UInt8], source: String, references: JourneyFileReferences? = nil) {
      self.bytes = bytes
      self.source = source
      self.references = references
    }

    /// A file that cannot be read, so that nothing of it is loaded. The reason is one sentence without the place.
    public init(source: String, unreadable reason: String) {
      self.init([], source: source)
      unreadable = reason
    }
  }

  /// The outcome of loading a file.
  public struct LoadedFile: Sendable {
    public var source: String

    /// The names of its journeys, in its order; empty when it could not be read.
    public var journeys: [String]

    /// The node types of a file that has no journeys, as nodes name them.
    public var nodeTypes: [String] = []

    /// Why journeys of the file are not offered. Each fault names its journey; a fault without one concerns all of them.
    public var faults: [JourneyFileError]

    /// The subset of ``journeys`` that is not offered.
    public var refused: [String] {
      guard !faults.isEmpty else { return [] }
      guard faults.allSatisfy({ $0.journey != nil }) else { return journeys }
      let names = Set(faults.compactMap(\.journey))
      return journeys.filter(names.contains)
    }

    /// The subset of ``journeys`` that is offered.
    public var loaded: [String] {
      let refused = Set(refused)
      return journeys.filter { !refused.contains($0) }
    }
  }

  /// Compiles all journeys of one exported file into `realm`; journeys of the same name are replaced.
  ///
  /// A file holds one tree, or several under `trees`. A journey that is refused does not keep the others from loading.
  ///
  /// - Parameters:
  ///   - bytes: the file; at most 64 MiB of JSON.
  ///   - source: where the file is, for messages and ``summaries(realm:)``.
  /// - Returns: the journeys' names, in the file's order.
  /// - Throws: the first fault, with journey, node, type and property; the file's other journeys are loaded.
  @discardableResult
  public mutating func load(_ bytes: [UInt8], realm: String, source: String) throws(JourneyFileError)
    -> [String]
  {
    let loaded = load([File(bytes, source: source)], realm: realm)[0]
    if let fault = loaded.faults.first { throw fault }
    return loaded.journeys
  }

  /// Loads files that belong together: a journey may run one of another file inside, and use scripts and e-mail templates of another.
  ///
  /// A journey that cannot be played sensibly is refused, and all others are loaded. Nothing is offered under the name of a
  /// refused one, even if the realm had a journey of that name, because that one may ask for less than intended.
  ///
  /// - Parameter isCheck: also keeps refused journeys, so that ``warnings`` tells what else is wrong with them. Such a catalog is for
  ///   inspection, not for serving.
  /// - Returns: the outcome of each file, in the same order.
  @discardableResult
  public mutating func load(_ files: [File], realm: String, isCheck: Bool = false) -> [LoadedFile] {
    var trees: [[JourneyTree]] = []
    var results: [LoadedFile] = []
    for file in files {
      do throws(JourneyFileError) {
        let parsed = try JourneyFile(file)
        trees.append(parsed.trees)
        results.append(
          LoadedFile(source: file.source, journeys: parsed.names, faults: parsed.refused.map(\.fault)))
        let types = parsed.names.isEmpty ? parsed.nodeTypes : nil
        nodeTypes[realm, default: [:]][file.source] = types
        results[results.count - 1].nodeTypes = (types ?? [:]).values.map(\.nodeType).sorted()
      } catch {
        trees.append([])
        results.append(
          LoadedFile(source: file.source, journeys: error.journey.map { [$0] } ?? [], faults: [error]))
      }
    }
    refuseDuplicates(in: &results)
    // The first file that has a script, template or type counts; those that were there before come last.
    var shared = JourneyAttachments()
    let types = nodeTypes[realm] ?? [:]
    for (index, file) in files.enumerated() {
      for tree in trees[index] { shared.add(tree.attachments) }
      if let types = types[file.source] { shared.add(JourneyAttachments(nodeTypes: types)) }
    }
    for (_, types) in types.sorted(by: { $0.key < $1.key }) {
      shared.add(JourneyAttachments(nodeTypes: types))
    }
    for journey in (realms[realm] ?? [:]).sorted(by: { $0.key < $1.key }) {
      shared.add(journey.value.attachments)
    }
    var changed: Set<String> = []
    for index in files.indices {
      let duplicates = Set(results[index].refused)
      for tree in trees[index] {
        let journey = compiler.compile(tree, realm: realm, source: files[index].source, others: shared)
        results[index].faults += journey.faults
        guard isCheck || (journey.faults.isEmpty && !duplicates.contains(tree.name)) else { continue }
        realms[realm, default: [:]][journey.name] = journey
        changed.insert(journey.name)
      }
      if !isCheck { for name in results[index].refused { realms[realm]?[name] = nil } }
    }
    let rings = link(realm, changed: changed)
    guard !rings.isEmpty else { return results }
    refuse(rings, in: &results, realm: realm, isCheck: isCheck)
    if !isCheck { link(realm, changed: changed) }
    return results
  }

  /// Refuses a journey that several files have: it is unclear which is meant, so none is loaded.
  private func refuseDuplicates(in results: inout [LoadedFile]) {
    var places: [String: [Int]] = [:]
    for (index, result) in results.enumerated() {
      for name in result.journeys { places[name, default: []].append(index) }
    }
    for (name, indices) in places.sorted(by: { $0.key < $1.key }) where Set(indices).count > 1 {
      let sources = indices.map { results[$0].source }.joined(separator: " and ")
      for index in Set(indices) {
        results[index].faults.append(
          JourneyFileError("\(sources) both have this journey; remove it from one of them", journey: name))
      }
    }
  }

  /// Refuses the journeys of these files that are in a ring, and no others.
  private mutating func refuse(
    _ rings: [[String]], in results: inout [LoadedFile], realm: String, isCheck: Bool
  ) {
    for ring in rings {
      let problem =
        ring.count == 1
        ? "the journey runs itself as an inner journey, so it would never end; remove that node"
        : "the journeys \(ring.joined(separator: ", ")) run each other as inner journeys, so they would never end; remove one of them from another"
      let members = Set(ring)
      for index in results.indices {
        for name in results[index].journeys where members.contains(name) {
          results[index].faults.append(JourneyFileError(problem, journey: name, property: "tree"))
          if !isCheck { realms[realm]?[name] = nil }
        }
      }
    }
  }

  /// - Returns: rings of journeys that run each other inside without end; the caller has to take them out.
  @discardableResult
  private mutating func link(_ realm: String, changed: Set<String>) -> [[String]] {
    let linking = JourneyLinking(realms[realm] ?? [:], changed: changed)
    realms[realm] = linking.journeys.isEmpty ? nil : linking.journeys
    return linking.rings
  }

  /// Removes these journeys from `realm`; nodes that run one of them inside fail.
  public mutating func withdraw(_ names: Set<String>, realm: String) {
    for name in names { realms[realm]?[name] = nil }
    link(realm, changed: [])
  }

  /// Removes all journeys of `realm`, and runs that began on earlier versions of them.
  public mutating func remove(realm: String) {
    realms[realm] = nil
    earlier.removeAll { $0.journey.realm == realm }
    nodeTypes[realm] = nil
  }

  /// Likely mistakes in all journeys of the catalog, by realm and journey.
  public var warnings: [JourneyWarning] {
    realms.sorted { $0.key < $1.key }.flatMap { _, journeys in
      journeys.values.sorted { $0.name < $1.name }.flatMap(\.warnings)
    }
  }

  /// The realm's journeys, by name.
  public func summaries(realm: String) -> [JourneySummary] {
    (realms[realm] ?? [:]).values.map(\.summary).sorted { $0.name < $1.name }
  }

  /// The journey as its file had it, with all its members; `nil` when there is none.
  public func document(journey: String, realm: String) -> JSONObject? {
    realms[realm]?[journey]?.document
  }

  /// The journey's scripts and e-mail templates as its file had them, decoded; `nil` when there is no such journey.
  public func attachments(journey: String, realm: String) -> JourneyAttachments? {
    realms[realm]?[journey]?.attachments
  }

  /// The journey's attachments together with what other files of the realm have for its nodes. A run uses these.
  package func wholeAttachments(journey: String, realm: String) -> JourneyAttachments? {
    realms[realm]?[journey]?.wholeAttachments
  }

  /// Names the content of the journey and of those inside it; `nil` when there is no such journey.
  package func version(journey: String, realm: String) -> String? { realms[realm]?[journey]?.version }

  /// The journey for a user who needs authentication level `level`: the realm's ``stepUpJourney`` if it can reach the level; else the
  /// default journey if every success of it has the level; else, of all journeys whose every success has it, the one with the lowest level
  /// (by name if equal). `nil` when none will do.
  ///
  /// The step-up journey asks for the factors that its user has, so not every success of it has the highest level; a run that was
  /// started for a level and ends below it fails (``JourneyOptions/requiredLevel``).
  public func journey(reaching level: Int, realm: String) -> String? {
    let summaries = summaries(realm: realm).filter(\.canStart)
    if summaries.contains(where: { $0.name == Self.stepUpJourney && $0.reachableLevel >= level }) {
      return Self.stepUpJourney
    }
    let sufficient = summaries.filter { $0.guaranteedLevel >= level }
    if sufficient.contains(where: { $0.name == defaultJourney }) { return defaultJourney }
    return sufficient.min { $0.guaranteedLevel < $1.guaranteedLevel }?.name
  }

  /// The level that a success of the journey stands for: the guaranteed level or, if higher, the reachable one up to 2 (two factors),
  /// although people with one factor may end below it. 0 for journeys that change no levels, and for unknown ones.
  public func promisedLevel(of journey: String, realm: String) -> Int {
    guard let summary = realms[realm]?[journey]?.summary else { return 0 }
    return max(summary.guaranteedLevel, min(summary.reachableLevel, Self.strongLevel))
  }

  /// The level of two factors.
  private static let strongLevel = 2

  /// The journey in which a signed-in user proves more.
  public static let stepUpJourney = "StepUp"

  /// The designed node types that the journey's nodes use, from any file of the realm.
  public func nodeTypes(journey: String, realm: String) -> [DesignedNodeType] {
    realms[realm]?[journey]?.designedTypes ?? []
  }

  func journey(named name: String, realm: String) -> CompiledJourney? {
    realms[realm]?[name].flatMap { $0.faults.isEmpty ? $0 : nil }
  }

  /// The version of a journey that a run began on; `nil` when it is not here, or the journey cannot be started any more.
  ///
  /// - Parameter version: the run's version; `nil`, from servers that did not name it, means the present one.
  func journey(named name: String, version: String?, realm: String) -> CompiledJourney? {
    guard let present = journey(named: name, realm: realm), present.summary.canStart else { return nil }
    guard let version, version != present.version else { return present }
    return earlier.first {
      $0.journey.realm == realm && $0.journey.name == name && $0.journey.version == version
    }?
    .journey
  }
}

// MARK: - Versions

extension JourneyCatalog {
  private struct EarlierJourney: Sendable {
    let journey: CompiledJourney
    let until: Date
  }

  /// The most earlier versions kept of one journey, so that a file that changes often does not fill the memory.
  private static let maximumVersions = 20

  /// This catalog as the successor of `old`: runs that began on `old`'s journeys finish on them.
  ///
  /// - Parameter until: when no run of an old journey can be under way any more.
  public func succeeding(_ old: JourneyCatalog, now: Date, until: Date) -> JourneyCatalog {
    var next = self
    next.earlier = old.earlier.filter { $0.until > now }
    for (realm, journeys) in old.realms {
      for journey in journeys.values where realms[realm]?[journey.name]?.version != journey.version {
        next.earlier.removeAll {
          $0.journey.realm == realm && $0.journey.name == journey.name
            && $0.journey.version == journey.version
        }
        next.earlier.insert(EarlierJourney(journey: journey, until: until), at: 0)
      }
    }
    var counts: [String: Int] = [:]
    next.earlier = next.earlier.filter { earlier in
      counts["\(earlier.journey.realm)/\(earlier.journey.name)", default: 0] += 1
      return counts["\(earlier.journey.realm)/\(earlier.journey.name)", default: 0] <= Self.maximumVersions
    }
    return next
  }

  /// Takes over the node types that `old` read from these files; they count for files that cannot be read now.
  public mutating func keepNodeTypes(of sources: [String], from old: JourneyCatalog, realm: String) {
    for source in sources { nodeTypes[realm, default: [:]][source] = old.nodeTypes[realm]?[source] }
  }

  /// Takes journeys over from `old`, in place of files that do not load.
  ///
  /// - Returns: the subset of `names` that `old` had.
  public mutating func keep(_ names: Set<String>, of old: JourneyCatalog, realm: String) -> Set<String> {
    var kept: Set<String> = []
    for name in names {
      guard let journey = old.realms[realm]?[name] else { continue }
      realms[realm, default: [:]][name] = journey
      kept.insert(name)
    }
    let circling = Set(link(realm, changed: kept).joined())
    guard !circling.isEmpty else { return kept }
    for name in kept.intersection(circling) { realms[realm]?[name] = nil }
    link(realm, changed: kept)
    return kept.subtracting(circling)
  }
}

extension JourneyAttachments {
  /// Adds what is not there yet.
  fileprivate mutating func add(_ others: JourneyAttachments) {
    scripts.merge(others.scripts) { first, _ in first }
    emailTemplates.merge(others.emailTemplates) { first, _ in first }
    nodeTypes.merge(others.nodeTypes) { $0.beside($1) }
  }
}

/// A journey as lists show it.
public struct JourneySummary: Sendable, Hashable {
  public var name: String

  /// The author's description; may be empty.
  public var description: String

  /// Where it was loaded from.
  public var source: String

  /// Whether clients may start it: it is enabled and not meant as an inner tree only.
  public var canStart: Bool

  /// The authentication level that every success of the journey has, by its nodes that change the level.
  public var guaranteedLevel: Int

  /// The highest level that it can reach.
  public var reachableLevel: Int

  /// The inner journeys that its nodes run, whether or not the realm has them.
  public var inner: [String] = []
}
