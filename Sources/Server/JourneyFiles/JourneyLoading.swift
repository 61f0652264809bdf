internal import CEmbeddedFiles
package import Foundation
package import JourneyEngine
internal import JourneyStore
package import Logging
internal import Operations
internal import PrivateFiles

/// Fills the catalog, at start and for realms that are created later: first the bundled journeys in every realm, then the
/// operator's, which replace them.
package struct JourneyLoading {
  package private(set) var catalog: JourneyCatalog
  private let realms: [String]
  private var before: JourneyCatalog?
  private let logger: Logger

  /// A file that is loaded in place of the one of the same source in its realm's folder, or in addition to the others.
  private let upload: (file: JourneyCatalog.File, realm: String)?

  /// Warnings about what the bundled journeys lack, such as roots. They are not the operator's mistakes.
  private var expected: Set<JourneyWarning> = []

  /// The operator's journeys that did not load, and are therefore not offered.
  package private(set) var unavailable: [UnavailableJourney] = []

  /// The journeys in the folder `journeys`, which ``BundledJourneys`` chooses from, in the order in which they are loaded.
  static let bundledNames = [
    "Login", "BindDevice", "BindDeviceNoPin", "BindDeviceAttested", "BindDeviceBiometric",
    "BindDeviceBiometricOrCredential", "SignTransaction", "ApproveTransaction", "SignIn", "PushRegister",
    "PushSignIn", "PushNumber", "PushCode", "PushBiometric", "WebAuthnRegister", "WebAuthnSignIn",
    "Usernameless", "PasskeyOrPassword", "CombinedRegister", "OathRegister", "OathSignIn", "StepUp",
    "ProveStrongestFactor",
  ]

  package init(registry: NodeRegistry, realms: [String], logger: Logger) {
    self.init(adding: realms, to: JourneyCatalog(registry: registry), logger: logger)
  }

  /// - Parameters:
  ///   - realms: those whose journeys are loaded; the others' stay as they are.
  ///   - before: the catalog that is served now. Journeys whose file does not load stay as they are there.
  ///   - upload: a file that is examined before it is in the folder, and its realm.
  package init(
    adding realms: [String], to catalog: JourneyCatalog, keeping before: JourneyCatalog? = nil,
    with upload: (file: JourneyCatalog.File, realm: String)? = nil, logger: Logger
  ) {
    (self.catalog, self.realms, self.before, self.logger) = (catalog, realms, before, logger)
    self.upload = upload
  }

  /// How the sources of bundled journeys begin.
  package static let bundledSource = "bundled "

  /// The bundled journeys, read once for all realms.
  static let bundledFiles: [(name: String, file: JourneyCatalog.File)] = bundledNames.map { name in
    let file = EmbeddedFile.journey(name)
    let bytes = Array(UnsafeBufferPointer(start: file.start, count: file.count))
    return (name, JourneyCatalog.File(bytes, source: "\(bundledSource)\(name)").asRead())
  }

  /// - Parameter isPublic: whether other machines reach the server's address.
  /// - Throws: ``ServerSetupError`` when the choice names a realm that does not exist.
  package mutating func load(_ chosen: BundledJourneys, isPublic: Bool) throws {
    if let unknown = chosen.namedRealms.subtracting(realms.map { RealmKey($0).realm }).min() {
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
      for file in catalog.load(files.map(\.file), realm: realm) {
        for fault in file.faults {
          logger.error("a journey file does not load: \(fault)", metadata: ["source": "\(file.source)"])
        }
        noteLoaded(file, realm: realm)
      }
    }
    expected = Set(catalog.warnings)
  }

  /// Loads `DIRECTORY/<realm>/*.journey.json`, and folders there in which each node has a file (``NodeFileFolder``). When a journey does not
  /// load, neither it nor a bundled one of the same name is offered: a sign-in that was meant to ask for two factors must not become one
  /// that asks for a password. It is logged, and the others are loaded.
  ///
  /// - Parameter isStrict: whether a journey that does not load stops the start.
  /// - Throws: ``ServerSetupError`` when the directory cannot be read or, with `isStrict`, when a journey does not load.
  package mutating func load(directory: URL, isStrict: Bool) throws {
    for folder in try JourneyFolder.contents(of: directory) {
      guard JourneyFolder.isDirectory(folder) else {
        if folder.pathExtension == "json" {
          logger.warning(
            "ignored a file, because it is not in a realm's folder: move it to DIR/<realm>/",
            metadata: ["file": "\(folder.path)", "realms": "\(realms.joined(separator: ", "))"])
        }
        continue
      }
      let realm = JourneyFolder.realm(of: folder)
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
  /// - Throws: ``ServerSetupError`` when the directory, or an existing folder, cannot be read.
  mutating func loadFolders(in directory: URL) throws {
    _ = try JourneyFolder.contents(of: directory)
    for realm in realms {
      let folder = JourneyFolder.folder(of: realm, in: directory)
      if JourneyFolder.isDirectory(folder) { try loadFiles(in: folder, realm: realm) }
    }
    guard let upload, !JourneyFolder.isDirectory(JourneyFolder.folder(of: upload.realm, in: directory)) else {
      return
    }
    take(JourneyFolder.Contents(files: [upload.file]), realm: upload.realm)
  }

  /// Refuses the operator's journeys that do not load as they were written: a node fails when it is reached, or a value is replaced.
  ///
  /// - Throws: ``ServerSetupError`` that names them.
  package func refuseDeviations() throws {
    let deviations = catalog.warnings.filter { $0.isDeviation && !expected.contains($0) }
    guard !deviations.isEmpty else { return }
    let shown = deviations.prefix(20).map { "  \($0)" }
    let others = deviations.count - shown.count
    throw ServerSetupError(
      "These journeys do not load as they were written, and --strict-journeys is set:\n"
        + shown.joined(separator: "\n") + (others == 0 ? "" : "\n  and \(others) more"))
  }

  /// Loads all files of a realm at once, because a journey may run one of another file inside.
  private mutating func loadFiles(in folder: URL, realm: String) throws {
    var found = try JourneyFolder.files(inRealm: folder)
    if let upload, upload.realm == realm { found.put(upload.file) }
    take(found, realm: realm)
  }

  private mutating func take(_ found: JourneyFolder.Contents, realm: String) {
    if let before { catalog.keepNodeTypes(of: found.nodeTypesFiles, from: before, realm: realm) }
    var refusals = found.unreadable.flatMap { file in
      names(ofFile: file.path, realm: realm, because: file.reason).map {
        Refusal(name: $0, source: file.path, reason: "\(file.path) cannot be read: \(file.reason)")
      }
    }
    for file in catalog.load(found.files, realm: realm) {
      if !file.loaded.isEmpty { noteLoaded(file, realm: realm) }
      let refused = file.journeys.isEmpty && !file.faults.isEmpty
      let names =
        refused ? names(ofFile: file.source, realm: realm, because: "\(file.faults[0])") : file.refused
      for name in names {
        let own = file.faults.filter { $0.journey == nil || $0.journey == name }
        let others = own.count - 1
        refusals.append(
          Refusal(
            name: name, source: file.source,
            reason: "\(own.first.map { "\($0)" } ?? "")"
              + (others <= 0 ? "" : " (and \(others) more; see sealring journey check)")))
      }
    }
    refuse(refusals, realm: realm)
    let ignored = found.ignored
    guard !ignored.isEmpty else { return }
    logger.warning(
      "ignored files that are not journeys by their names: exports end in .journey.json or .journeys.json, node types in .nodeTypes.json, policies in .authz.json",
      metadata: [
        "realm": "\(realm)",
        "files":
          "\(ignored.prefix(20).joined(separator: ", "))\(ignored.count > 20 ? " and \(ignored.count - 20) more" : "")",
      ])
  }

  /// A journey that does not load.
  private struct Refusal {
    let name: String
    let source: String
    let reason: String
  }

  /// The journeys' names in a file that cannot be read because of `reason`: those that are served from it now, else the file's own name.
  /// None for a file of node types.
  private func names(ofFile source: String, realm: String, because reason: String) -> [String] {
    guard !JourneyFolder.isNodeTypesFile(URL(filePath: source)) else {
      logger.error(
        "a file of node types does not load, so that its types stay as they were, or nodes of these types fail: \(reason)",
        metadata: ["realm": "\(realm)", "file": "\(source)"])
      return []
    }
    let earlier = earlier(realm).filter { $0.source == source }.map(\.name)
    return earlier.isEmpty ? [JourneyFolder.name(of: URL(fileURLWithPath: source))] : earlier
  }

  /// The operator's journeys that are served now.
  private func earlier(_ realm: String) -> [JourneySummary] {
    before?.summaries(realm: realm).filter { !$0.source.hasPrefix(Self.bundledSource) } ?? []
  }

  /// Keeps the served versions of journeys that do not load. Journeys without one are not offered.
  private mutating func refuse(_ refusals: [Refusal], realm: String) {
    guard !refusals.isEmpty else { return }
    let names = Set(refusals.map(\.name))
    catalog.withdraw(names, realm: realm)
    var kept: Set<String> = []
    if let before {
      kept = catalog.keep(names.intersection(earlier(realm).map(\.name)), of: before, realm: realm)
    }
    var known = Set(unavailable)
    for refusal in refusals {
      let metadata: Logger.Metadata = [
        "realm": "\(realm)", "file": "\(refusal.source)", "name": "\(refusal.name)",
      ]
      guard !kept.contains(refusal.name) else {
        logger.error(
          "a changed journey does not load, so that it stays as it was: \(refusal.reason)",
          metadata: metadata)
        continue
      }
      logger.error(
        "a journey does not load, so that nothing is offered under its name: \(refusal.reason)",
        metadata: metadata)
      // Two files with one journey are at fault together, and the fault is reported once.
      let lost = UnavailableJourney(realm: realm, name: refusal.name, reason: refusal.reason)
      if known.insert(lost).inserted { unavailable.append(lost) }
    }
  }

  /// Logs likely mistakes in the loaded journeys. What bundled journeys lack, such as roots, is not a mistake: where it matters,
  /// ``StartupAdvice`` mentions it.
  package func logWarnings() {
    for warning in catalog.warnings {
      logger.log(level: expected.contains(warning) ? .debug : .warning, "\(warning)")
    }
  }

  private func noteLoaded(_ file: JourneyCatalog.LoadedFile, realm: String) {
    logger.debug(
      "loaded journeys",
      metadata: ["realm": "\(realm)", "source": "\(file.source)", "names": "\(file.loaded)"])
  }
}

/// One of the operator's journeys that did not load.
public struct UnavailableJourney: Sendable, Hashable {
  public let realm: String
  public let name: String

  /// What is wrong, with node, type and property.
  public let reason: String
}
