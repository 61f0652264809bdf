internal import Accounts
internal import AppIntegrity
package import Foundation
public import JourneyEngine
public import JourneyNodes
internal import JourneyStore
public import KeyAttestation

/// Checks whether a server would load journey files, without a server.
public enum JourneyFileCheck {
  /// Compiles files that belong together, and says everything that is wrong with them at once.
  ///
  /// - Returns: the outcome of each file, and a catalog for inspection, which also has journeys with faults.
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

  /// The bundled journeys' names.
  package static var bundledNames: [String] { JourneyLoading.bundledNames }

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
