public import StrictJSON

/// All journeys that a server can run, compiled once.
///
/// A value, replaced as a whole by every change, so that a request sees one consistent set of journeys.
public struct JourneyCatalog: Sendable {
  /// The journey that starts when the client names none; also used for zero-page login.
  public var defaultJourney = "Login"

  private let compiler: JourneyCompiler
  private var realms: [String: [String: CompiledJourney]] = [:]

  public init(registry: NodeRegistry) { compiler = JourneyCompiler(registry: registry) }

  /// Compiles all journeys of one exported file into `realm`; journeys of the same name are replaced.
  ///
  /// A file holds one tree, or several under `trees`. Either all of a file's journeys load, or none.
  ///
  /// - Parameters:
  ///   - bytes: the file; at most 16 MiB of JSON.
  ///   - source: where the file is, for messages and ``summaries(realm:)``.
  /// - Returns: the journeys' names, in the file's order.
  /// - Throws: what is wrong, with journey, node, type and property.
  @discardableResult
  public mutating func load(_ bytes: [UInt8], realm: String, source: String) throws(JourneyFileError)
    -> [String]
  {
    let trees = try JourneyFile(parsing: bytes, source: source).trees
    var compiled: [CompiledJourney] = []
    for tree in trees { compiled.append(try compiler.compile(tree, realm: realm, source: source)) }
    for journey in compiled { realms[realm, default: [:]][journey.name] = journey }
    return compiled.map(\.name)
  }

  /// Removes the journeys of a file that does not load from `realm`, so that their names start nothing: a bundled journey of the same name
  /// may ask for less than the one that was meant.
  ///
  /// - Parameter fileName: stands for the journey's name when the file does not tell it.
  /// - Returns: the names.
  @discardableResult
  public mutating func withdraw(_ bytes: [UInt8], realm: String, fileName: String) -> [String] {
    let named = (try? JourneyFile(parsing: bytes, source: fileName))?.trees.map(\.name)
    let names = named ?? [fileName]
    for name in names { realms[realm]?[name] = nil }
    return names
  }

  /// Takes out all journeys of `realm`.
  public mutating func remove(realm: String) { realms[realm] = nil }

  /// What loads but is likely a mistake, of all journeys that are in the catalog now; by realm and journey.
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
    self.journey(named: journey, realm: realm)?.document
  }

  /// The journey for a user who needs authentication level `level`: the realm's ``stepUpJourney`` if it can reach the
  /// level, else the default journey if every success of it has the level, else of all journeys of which that is true the
  /// one with the lowest level, then by name. `nil` when none will do.
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

  /// The journey in which a signed-in user proves more.
  public static let stepUpJourney = "StepUp"

  func journey(named name: String, realm: String) -> CompiledJourney? { realms[realm]?[name] }
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
}
