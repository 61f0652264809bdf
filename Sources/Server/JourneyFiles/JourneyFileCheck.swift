internal import Accounts
internal import AppIntegrity
package import Foundation
public import JourneyEngine
public import JourneyNodes
internal import JourneyStore
public import KeyAttestation

/// Checks whether a server would load journey files, without a server.
public enum JourneyFileCheck {
  /// What a file that loads holds.
  public struct Report: Sendable, Hashable {
    /// The names of its journeys, in the file's order.
    public var journeys: [String]

    /// What loads but is likely a mistake.
    public var warnings: [JourneyWarning]
  }

  /// Compiles the file's journeys as the server does.
  ///
  /// - Parameters:
  ///   - references: reads the files that it refers to.
  ///   - attestation: what the server trusts; a journey that asks for attestations where nothing is trusted gets a warning.
  ///   - webAuthn: the same for authenticators.
  /// - Throws: ``JourneyFileError`` with journey, node, type and property.
  public static func check(
    _ bytes: [UInt8], source: String, references: JourneyFileReferences? = nil,
    attestation: AttestationVerifier.Configuration = AttestationVerifier.Configuration(),
    webAuthn: WebAuthnTrust = WebAuthnTrust()
  ) throws -> Report {
    let (catalog, files) = try examine(
      [JourneyCatalog.File(bytes, source: source, references: references)], realm: "alpha",
      attestation: attestation,
      webAuthn: webAuthn)
    if let fault = files[0].faults.first { throw fault }
    let names = files[0].journeys
    return Report(
      journeys: names, warnings: catalog.warnings.filter { names.contains($0.journey) })
  }

  /// Compiles files that belong together, and says everything that is wrong with them at once.
  ///
  /// - Returns: what became of each file; and a catalog to be looked at, which also has journeys that are not whole.
  public static func examine(
    _ files: [JourneyCatalog.File], realm: String,
    attestation: AttestationVerifier.Configuration = AttestationVerifier.Configuration(),
    webAuthn: WebAuthnTrust = WebAuthnTrust()
  ) throws -> (catalog: JourneyCatalog, files: [JourneyCatalog.LoadedFile]) {
    // Compiling a node stores its services and uses none of them.
    var services = NodeServices(
      store: try SQLiteStore.inMemory(), passwords: NoPasswords(), clock: { .distantPast },
      randomBytes: { _ in [] })
    services.attestation = attestation.verifier { .distantPast }
    services.webAuthn = webAuthn
    services.appIntegrity = AppIntegrityVerifier(attestation) { .distantPast }
    var catalog = JourneyCatalog(registry: NodeLibrary.registry(services: services))
    // As on a server: a journey may run a bundled one inside.
    if files.contains(where: { !$0.source.hasPrefix(JourneyLoading.bundledSource) }) {
      catalog.load(bundled, realm: realm)
    }
    let loaded = catalog.load(files, realm: realm, isCheck: true)
    return (catalog, loaded)
  }

  /// The bundled journeys' files.
  public static var bundled: [JourneyCatalog.File] { JourneyLoading.bundledFiles.map(\.file) }

  struct NoPasswords: PasswordVerifying {
    func verify(_ password: String, against hash: String?) -> Bool { false }
    func hash(_ password: String) -> String { "" }
  }
}

extension AttestationVerifier.Configuration {
  /// The nodes' verifier; `nil` when no attestation could pass.
  package func verifier(clock: @escaping @Sendable () -> Date) -> AttestationVerifier? {
    trustsNothing ? nil : AttestationVerifier(self, clock: clock)
  }
}
