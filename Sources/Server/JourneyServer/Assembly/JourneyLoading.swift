internal import CEmbeddedFiles
internal import EmbeddedFiles
internal import Foundation
internal import JourneyEngine
internal import Logging
internal import PrivateFiles

/// Fills the catalog, at start and for realms that are created later: first the bundled journeys in every realm, then the
/// operator's, which replace them.
struct JourneyLoading {
  private(set) var catalog: JourneyCatalog
  private let realms: [String]
  private var before: JourneyCatalog?
  private let logger: Logger

  /// What the bundled journeys lack, such as roots: not a mistake of the operator.
  private var expected: Set<JourneyWarning> = []

  /// The operator's journeys that did not load, and are therefore not offered.
  private(set) var unavailable: [UnavailableJourney] = []

  /// The files of the folder `journeys`. This is the only list of their names.
  private static let bundled: [(name: String, file: EmbeddedFile)] = [
    ("Login", .Login_journey_json), ("BindDevice", .BindDevice_journey_json),
    ("BindDeviceNoPin", .BindDeviceNoPin_journey_json),
    ("BindDeviceAttested", .BindDeviceAttested_journey_json),
    ("BindDeviceBiometric", .BindDeviceBiometric_journey_json),
    ("BindDeviceBiometricOrCredential", .BindDeviceBiometricOrCredential_journey_json),
    ("SignTransaction", .SignTransaction_journey_json),
    ("ApproveTransaction", .ApproveTransaction_journey_json),
    ("SignIn", .SignIn_journey_json),
    ("PushRegister", .PushRegister_journey_json),
    ("PushSignIn", .PushSignIn_journey_json),
    ("PushNumber", .PushNumber_journey_json),
    ("PushCode", .PushCode_journey_json),
    ("PushBiometric", .PushBiometric_journey_json),
    ("WebAuthnRegister", .WebAuthnRegister_journey_json),
    ("WebAuthnSignIn", .WebAuthnSignIn_journey_json),
    ("Usernameless", .Usernameless_journey_json),
    ("PasskeyOrPassword", .PasskeyOrPassword_journey_json),
    ("CombinedRegister", .CombinedRegister_journey_json),
    ("OathRegister", .OathRegister_journey_json),
    ("OathSignIn", .OathSignIn_journey_json),
    ("StepUp", .StepUp_journey_json),
  ]

  init(registry: NodeRegistry, realms: [String], logger: Logger) {
    self.init(adding: realms, to: JourneyCatalog(registry: registry), logger: logger)
  }

  /// - Parameters:
  ///   - realms: those whose journeys are loaded; the others' stay as they are.
  ///   - before: the catalog that is served now. Where a file does not load, its journeys stay as they are there.
  init(
    adding realms: [String], to catalog: JourneyCatalog, keeping before: JourneyCatalog? = nil, logger: Logger
  ) {
    self.catalog = catalog
    self.realms = realms
    self.before = before
    self.logger = logger
  }

  /// How the sources of bundled journeys begin.
  static let bundledSource = "bundled "

  /// The names that ``BundledJourneys`` chooses from.
  static let bundledNames = bundled.map(\.name)

  /// The bundled journeys as their files have them.
  static var bundledFiles: [(name: String, bytes: [UInt8])] { bundled.map { ($0.name, $0.file.bytes) } }

  /// - Parameter isPublic: whether other machines reach the server's address.
  /// - Throws: ``ServerSetupError`` when the choice names a realm that does not exist.
  mutating func load(_ chosen: BundledJourneys, isPublic: Bool) throws {
    if let unknown = chosen.namedRealms.subtracting(realms).min() {
      throw ServerSetupError(
        "There is no realm \(unknown.debugDescription) to choose bundled journeys for. Realms are \(realms.joined(separator: ", "))."
      )
    }
    loadBundled(chosen, isPublic: isPublic)
  }

  /// The same without checking that the named realms exist.
  mutating func loadBundled(_ chosen: BundledJourneys, isPublic: Bool) {
    for realm in realms {
      let files = Self.bundledFiles.filter { chosen.offers($0.name, realm: realm, isPublic: isPublic) }
        .map { JourneyCatalog.File($0.bytes, source: "\(Self.bundledSource)\($0.name)") }
      for file in catalog.load(files, realm: realm) {
        for fault in file.faults {
          logger.error("a journey file does not load: \(fault)", metadata: ["source": "\(file.source)"])
        }
        noteLoaded(file, realm: realm)
      }
    }
    expected = Set(catalog.warnings)
  }

  /// Loads `DIRECTORY/<realm>/*.journey.json`. When a file does not load, neither its journeys nor bundled ones of the same names
  /// are offered: a sign-in that was meant to ask for two factors must not become one that asks for a password. It is logged, and
  /// the others are loaded.
  ///
  /// - Parameter isStrict: whether a file that does not load stops the start.
  /// - Throws: ``ServerSetupError`` when the directory cannot be read, or with `isStrict` for what does not load.
  mutating func load(directory: URL, isStrict: Bool) throws {
    for folder in try JourneyFolder.contents(of: directory) {
      guard JourneyFolder.isDirectory(folder) else {
        if JourneyFolder.isJourneyFile(folder) {
          logger.warning(
            "ignored a journey file, because it is not in a realm's folder: move it to DIR/<realm>/",
            metadata: ["file": "\(folder.path)", "realms": "\(realms.joined(separator: ", "))"])
        }
        continue
      }
      let realm = folder.lastPathComponent
      guard realms.contains(realm) else {
        logger.warning(
          "ignored a folder of journeys, because there is no such realm yet: they are loaded when it is created",
          metadata: ["folder": "\(folder.path)"])
        continue
      }
      try loadFiles(in: folder, realm: realm)
    }
    guard isStrict, !unavailable.isEmpty else { return }
    throw ServerSetupError(
      "These journeys do not load, and --strict-journeys is set:\n"
        + unavailable.map { "  \($0.realm)/\($0.name): \($0.reason)" }.joined(separator: "\n"))
  }

  /// Loads the folders of these realms alone.
  ///
  /// - Throws: ``ServerSetupError`` when an existing folder cannot be read.
  mutating func loadFolders(in directory: URL) throws {
    for realm in realms {
      let folder = directory.appending(path: realm)
      if JourneyFolder.isDirectory(folder) { try loadFiles(in: folder, realm: realm) }
    }
  }

  /// All files of a realm at once: a journey may run one of another file inside.
  private mutating func loadFiles(in folder: URL, realm: String) throws {
    var files: [JourneyCatalog.File] = []
    let found = try JourneyFolder.contents(of: folder)
    let types = found.filter(JourneyFolder.isNodeTypesFile).map(\.path)
    if let before { catalog.keepNodeTypes(of: types, from: before, realm: realm) }
    for file in found where JourneyFolder.isJourneyFile(file) || JourneyFolder.isNodeTypesFile(file) {
      do {
        files.append(
          JourneyCatalog.File(
            try JourneyFolder.bytes(of: file), source: file.path,
            references: JourneyFolder.references(beside: file)))
      } catch {
        refuse(
          [], of: file.path, realm: realm, reason: "\(file.path) cannot be read: \(FileReason.of(error))")
      }
    }
    for file in catalog.load(files, realm: realm) {
      guard let fault = file.faults.first else {
        noteLoaded(file, realm: realm)
        continue
      }
      let others = file.faults.count - 1
      refuse(
        file.journeys, of: file.source, realm: realm,
        reason: "\(fault)" + (others == 0 ? "" : " (and \(others) more; see sealring journey check)"))
    }
  }

  /// A file that does not load: its journeys stay as they were, or else are not offered.
  ///
  /// - Parameter names: empty when the file does not tell them.
  private mutating func refuse(_ names: [String], of source: String, realm: String, reason: String) {
    guard !JourneyFolder.isNodeTypesFile(URL(filePath: source)) else {
      logger.error(
        "a file of node types does not load, so that its types stay as they were, or nodes of these types fail: \(reason)",
        metadata: ["realm": "\(realm)", "file": "\(source)"])
      return
    }
    let earlier = before?.summaries(realm: realm).filter { !$0.source.hasPrefix(Self.bundledSource) } ?? []
    var names = names
    if names.isEmpty { names = earlier.filter { $0.source == source }.map(\.name) }
    if names.isEmpty { names = [JourneyFolder.name(of: URL(fileURLWithPath: source))] }
    catalog.withdraw(Set(names), realm: realm)
    var kept: Set<String> = []
    if let before {
      kept = catalog.keep(Set(names).intersection(earlier.map(\.name)), of: before, realm: realm)
    }
    let lost = names.filter { !kept.contains($0) }
    // Two files with one journey are at fault together, and it is told once.
    unavailable += lost.map { UnavailableJourney(realm: realm, name: $0, reason: reason) }
      .filter { !unavailable.contains($0) }
    if !lost.isEmpty {
      logger.error(
        "a journey file does not load, so that nothing is offered under its journeys' names: \(reason)",
        metadata: ["realm": "\(realm)", "file": "\(source)", "names": "\(lost)"])
    }
    if !kept.isEmpty {
      logger.error(
        "a changed journey file does not load, so that its journeys stay as they were: \(reason)",
        metadata: ["realm": "\(realm)", "file": "\(source)", "names": "\(kept.sorted())"])
    }
  }

  /// Logs likely mistakes in the loaded journeys. What bundled ones lack, such as roots, is not a mistake: where it matters,
  /// ``StartupAdvice`` mentions it.
  func logWarnings() {
    for warning in catalog.warnings {
      logger.log(level: expected.contains(warning) ? .debug : .warning, "\(warning)")
    }
  }

  private func noteLoaded(_ file: JourneyCatalog.LoadedFile, realm: String) {
    logger.debug(
      "loaded journeys",
      metadata: ["realm": "\(realm)", "source": "\(file.source)", "names": "\(file.journeys)"])
  }
}

/// One of the operator's journeys that did not load.
public struct UnavailableJourney: Sendable, Hashable {
  public let realm: String
  public let name: String

  /// What is wrong, with node, type and property.
  public let reason: String
}
