internal import JourneyStore
internal import Operations

/// Which of the bundled journeys a server offers in which realm.
///
/// Bundled journeys are a starting point. A server on a public address leaves out those after which possession of a device alone is enough
/// to sign in (``possessionOnly``), unless they are named.
public struct BundledJourneys: Sendable, Hashable {
  /// The bundled journeys of one realm.
  struct Selection: Sendable, Hashable {
    /// Whether the realm has all of them; on a public address, except those that must be named.
    var isAll = false

    /// Journeys that are named, which the realm has on any address.
    var names: Set<String> = []
  }

  /// By realm's key: a realm that was deleted may be created again in another case.
  private var realms: [String: Selection] = [:]

  /// For realms that are not named, except the root realm, whose administrators manage all others.
  private var others = Selection(isAll: true)
  private var root = Selection(names: [Self.login])

  /// Whether the journeys were chosen explicitly.
  public private(set) var isChosen = false

  /// The inner journeys of those that add a factor. They come along with any choice of more than `Login`, and nobody can start them.
  private static let inside: Set<String> = ["ProveStrongestFactor"]

  static let login = "Login"
  private static let rootRealm = "root"

  /// Journeys after which possession of a device is enough to sign in: they create a key that signs without PIN, fingerprint or
  /// password.
  public static let possessionOnly: Set<String> = ["BindDeviceNoPin"]

  /// All in every realm but the root, which has `Login`.
  public static let standard = BundledJourneys()

  /// All in every realm, the root realm too, whatever the server's address: for tests.
  public static let everywhere: BundledJourneys = {
    var journeys = BundledJourneys()
    journeys.others.names = Set(JourneyLoading.bundledNames)
    journeys.root = journeys.others
    journeys.isChosen = true
    return journeys
  }()

  private init() {}

  /// Reads options such as `login`, `alpha=all,root=none` or `all,BindDeviceNoPin`: lists of `all`, `login`, `none` and journeys' names. A
  /// list after `REALM=` is for that realm, one before any for all realms but the root.
  ///
  /// - Throws: ``ServerSetupError`` for anything else.
  public init(options: [String]) throws {
    self.init()
    guard !options.isEmpty else { return }
    isChosen = true
    var chosen: [String?: Selection] = [:]
    for option in options {
      var realm: String?
      for item in option.split(separator: ",", omittingEmptySubsequences: false) {
        var name = item[...]
        if let sign = item.firstIndex(of: "=") {
          realm = RealmKey(String(item[..<sign])).realm
          name = item[item.index(after: sign)...]
        }
        try Self.add(String(name), to: &chosen[realm, default: Selection()])
      }
    }
    if let others = chosen.removeValue(forKey: nil) { self.others = others }
    for case (let realm?, let selection) in chosen {
      if realm == Self.rootRealm { root = selection } else { realms[realm] = selection }
    }
  }

  private static func add(_ item: String, to selection: inout Selection) throws {
    switch item {
    case "all": selection.isAll = true
    case "login": selection.names.insert(login)
    case "none": break
    default:
      guard JourneyLoading.bundledNames.contains(item) else {
        throw ServerSetupError(
          "\(item.debugDescription) is not a bundled journey. Choose all, login, none, or among \(JourneyLoading.bundledNames.sorted().joined(separator: ", "))."
        )
      }
      selection.names.insert(item)
    }
  }

  /// The keys of the realms that options name, which must exist.
  var namedRealms: Set<String> { Set(realms.keys) }

  /// Whether the realm has the journey.
  ///
  /// - Parameter isPublic: whether other machines reach the server's address.
  func offers(_ name: String, realm: String, isPublic: Bool) -> Bool {
    let selection = realm == Self.rootRealm ? root : realms[RealmKey(realm).realm] ?? others
    if selection.names.contains(name) { return true }
    if Self.inside.contains(name), !selection.names.subtracting([Self.login]).isEmpty { return true }
    return selection.isAll && !(isPublic && Self.possessionOnly.contains(name))
  }
}
