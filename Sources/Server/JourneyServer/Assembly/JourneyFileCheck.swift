internal import Foundation
public import JourneyEngine
public import JourneyNodes
internal import JourneyStore
public import KeyAttestation

/// Checks whether a server would load a journey file, without a server.
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
  ///   - attestation: what the server trusts; a journey that asks for attestations where nothing is trusted gets a warning.
  ///   - webAuthn: the same for authenticators.
  /// - Throws: ``JourneyFileError`` with journey, node, type and property.
  public static func check(
    _ bytes: [UInt8], source: String,
    attestation: AttestationVerifier.Configuration = AttestationVerifier.Configuration(),
    webAuthn: WebAuthnTrust = WebAuthnTrust()
  ) throws -> Report {
    // Compiling a node stores its services and uses none of them.
    let services = NodeServices(
      store: try SQLiteStore.inMemory(), passwords: NoPasswords(), clock: { .distantPast },
      randomBytes: { _ in [] }, attestation: attestation.verifier { .distantPast },
      webAuthn: webAuthn)
    var catalog = JourneyCatalog(registry: NodeLibrary.registry(services: services))
    let names = try catalog.load(bytes, realm: "alpha", source: source)
    return Report(journeys: names, warnings: catalog.warnings)
  }

  struct NoPasswords: PasswordVerifying {
    func verify(_ password: String, against hash: String?) -> Bool { false }
    func hash(_ password: String) -> String { "" }
  }
}

extension AttestationVerifier.Configuration {
  /// The nodes' verifier; `nil` when no attestation could pass.
  func verifier(clock: @escaping @Sendable () -> Date) -> AttestationVerifier? {
    trustsNothing ? nil : AttestationVerifier(self, clock: clock)
  }
}
