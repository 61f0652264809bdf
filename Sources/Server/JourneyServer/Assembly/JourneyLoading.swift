internal import Foundation
internal import JourneyEngine
internal import Logging
internal import PrivateFiles

/// Fills the catalog, at start and for realms that are created later: first the bundled journeys in every realm, then the
/// operator's, which replace them.
struct JourneyLoading {
  private(set) var catalog: JourneyCatalog
  private let realms: [String]
  private let logger: Logger

  /// What the bundled journeys lack, such as roots: not a mistake of the operator.
  private var expected: Set<JourneyWarning> = []

  /// The operator's journeys that did not load, and are therefore not offered.
  private(set) var unavailable: [UnavailableJourney] = []

  /// Longest journey file that is read.
  private static let maximumFileBytes = 16 << 20

  /// The files of the folder `journeys`, all of which `Package.swift` builds in. This is the only list of their names.
  private static let bundled: [(name: String, bytes: [UInt8])] = [
    ("Login", PackageResources.Login_journey_json), ("BindDevice", PackageResources.BindDevice_journey_json),
    ("BindDeviceNoPin", PackageResources.BindDeviceNoPin_journey_json),
    ("BindDeviceAttested", PackageResources.BindDeviceAttested_journey_json),
    ("BindDeviceBiometric", PackageResources.BindDeviceBiometric_journey_json),
    ("BindDeviceBiometricOrCredential", PackageResources.BindDeviceBiometricOrCredential_journey_json),
    ("SignTransaction", PackageResources.SignTransaction_journey_json),
    ("ApproveTransaction", PackageResources.ApproveTransaction_journey_json),
    ("SignIn", PackageResources.SignIn_journey_json),
    ("PushRegister", PackageResources.PushRegister_journey_json),
    ("PushSignIn", PackageResources.PushSignIn_journey_json),
    ("PushNumber", PackageResources.PushNumber_journey_json),
    ("PushCode", PackageResources.PushCode_journey_json),
    ("PushBiometric", PackageResources.PushBiometric_journey_json),
    ("WebAuthnRegister", PackageResources.WebAuthnRegister_journey_json),
    ("WebAuthnSignIn", PackageResources.WebAuthnSignIn_journey_json),
    ("Usernameless", PackageResources.Usernameless_journey_json),
    ("CombinedRegister", PackageResources.CombinedRegister_journey_json),
    ("OathRegister", PackageResources.OathRegister_journey_json),
    ("OathSignIn", PackageResources.OathSignIn_journey_json),
    ("StepUp", PackageResources.StepUp_journey_json),
  ]

  init(registry: NodeRegistry, realms: [String], logger: Logger) {
    self.init(adding: realms, to: JourneyCatalog(registry: registry), logger: logger)
  }

  /// - Parameter realms: those whose journeys are loaded; the others' stay as they are.
  init(adding realms: [String], to catalog: JourneyCatalog, logger: Logger) {
    self.catalog = catalog
    self.realms = realms
    self.logger = logger
  }

  /// How the sources of bundled journeys begin.
  static let bundledSource = "bundled "

  /// The names that ``BundledJourneys`` chooses from.
  static let bundledNames = bundled.map(\.name)

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
      for journey in Self.bundled where chosen.offers(journey.name, realm: realm, isPublic: isPublic) {
        load(journey.bytes, realm: realm, source: "\(Self.bundledSource)\(journey.name)")
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
    for folder in try Self.contents(of: directory) {
      guard Self.isDirectory(folder) else {
        if Self.isJourneyFile(folder) {
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
      if Self.isDirectory(folder) { try loadFiles(in: folder, realm: realm) }
    }
  }

  private mutating func loadFiles(in folder: URL, realm: String) throws {
    for file in try Self.contents(of: folder) where Self.isJourneyFile(file) { load(file, realm: realm) }
  }

  private mutating func load(_ file: URL, realm: String) {
    var bytes: [UInt8] = []
    let reason: String
    do {
      bytes = try Self.bytes(of: file)
      let names = try catalog.load(bytes, realm: realm, source: file.path)
      return noteLoaded(names, realm: realm, source: file.path)
    } catch let error as JourneyFileError {
      reason = "\(error)"
    } catch {
      reason = "\(file.path) cannot be read: \(FileReason.of(error))"
    }
    let names = catalog.withdraw(bytes, realm: realm, fileName: Self.name(of: file))
    unavailable += names.map { UnavailableJourney(realm: realm, name: $0, reason: reason) }
    logger.error(
      "a journey file does not load, so that nothing is offered under its journeys' names: \(reason)",
      metadata: ["realm": "\(realm)", "file": "\(file.path)", "names": "\(names)"])
  }

  /// Logs likely mistakes in the loaded journeys. What bundled ones lack, such as roots, is not a mistake: where it matters,
  /// ``StartupAdvice`` mentions it.
  func logWarnings() {
    for warning in catalog.warnings {
      logger.log(level: expected.contains(warning) ? .debug : .warning, "\(warning)")
    }
  }

  private mutating func load(_ bytes: [UInt8], realm: String, source: String) {
    do throws(JourneyFileError) {
      noteLoaded(try catalog.load(bytes, realm: realm, source: source), realm: realm, source: source)
    } catch {
      logger.error(
        "a journey file does not load: \(error)", metadata: ["realm": "\(realm)", "source": "\(source)"])
    }
  }

  private func noteLoaded(_ names: [String], realm: String, source: String) {
    logger.debug(
      "loaded journeys", metadata: ["realm": "\(realm)", "source": "\(source)", "names": "\(names)"])
  }

  private static let suffix = ".journey.json"

  private static func isJourneyFile(_ file: URL) -> Bool { file.lastPathComponent.hasSuffix(suffix) }

  /// The journey's name, which exports give to the file.
  private static func name(of file: URL) -> String { String(file.lastPathComponent.dropLast(suffix.count)) }

  private static func contents(of directory: URL) throws -> [URL] {
    do {
      return try FileManager.default.contentsOfDirectory(
        at: directory, includingPropertiesForKeys: [.isDirectoryKey], options: [.skipsHiddenFiles]
      ).sorted { $0.lastPathComponent < $1.lastPathComponent }
    } catch {
      throw ServerSetupError(
        "The journeys in \(directory.path) cannot be read: \(FileReason.of(error)) Name a readable folder."
      )
    }
  }

  /// Follows symbolic links, which are common in mounted configuration.
  private static func isDirectory(_ url: URL) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }

  private static func bytes(of file: URL) throws -> [UInt8] {
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    let data = try handle.read(upToCount: maximumFileBytes + 1) ?? Data()
    guard data.count <= maximumFileBytes else {
      throw ServerSetupError("it is longer than \(maximumFileBytes) bytes")
    }
    return Array(data)
  }
}

/// One of the operator's journeys that did not load.
public struct UnavailableJourney: Sendable, Hashable {
  public let realm: String
  public let name: String

  /// What is wrong, with node, type and property.
  public let reason: String
}
