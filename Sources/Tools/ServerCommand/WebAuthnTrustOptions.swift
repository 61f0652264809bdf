import ArgumentParser
import Foundation
package import JourneyNodes
import KeyAttestation
import WebAuthnVerification

/// The origins of WebAuthn clients, and the authenticator attestations that a server trusts.
package struct WebAuthnTrustOptions: ParsableArguments {
  package init() {}

  @Option(
    help: ArgumentHelp(
      """
      Certificate(s) in PEM above authenticators' attestation: a file, or a folder of *.pem and *.crt. ALIAS=PATH for \
      registration nodes that name another trust store than 'trustalias'. Repeatable.
      """, valueName: "path"), completion: .file())
  var webauthnRoots: [String] = []

  @Option(
    help: ArgumentHelp(
      "File with a blob of the FIDO metadata service; it is verified, never fetched.", valueName: "file"),
    completion: .file())
  var webauthnMetadata: String?

  @Option(
    help: ArgumentHelp(
      "CA certificate(s) in PEM that the metadata's signer must chain to. Repeatable.", valueName: "path"),
    completion: .file())
  var webauthnMetadataRoots: [String] = []

  @Flag(
    help: ArgumentHelp(
      """
      Accept SHA-1 in the signature of a TPM's attestation (format tpm), which Windows Hello makes, and nowhere else.
      """))
  var webauthnTpmSha1 = false

  @Option(
    help: ArgumentHelp(
      """
      Where WebAuthn clients may run besides the server's own origin: https://app.example.com, \
      android:apk-key-hash:… or ios:bundle-id:…. Repeatable.
      """, valueName: "origin"))
  var webauthnOrigin: [String] = []

  package func validate() throws {
    guard webauthnOrigin.allSatisfy({ $0.contains(":") && !$0.hasSuffix("/") && $0.utf8.count <= 2048 })
    else {
      throw ValidationError("--webauthn-origin is an origin such as https://app.example.com, without a path.")
    }
    guard webauthnMetadata == nil || !webauthnMetadataRoots.isEmpty else {
      throw ValidationError("--webauthn-metadata needs --webauthn-metadata-roots.")
    }
  }

  /// - Parameter revokedCertificates: the file of `--revoked-certificates`, for nodes that enforce revocation.
  /// - Throws: `CommandFailure`, which names the file.
  package func trust(revokedCertificates: String?) async throws -> WebAuthnTrust {
    var trust = WebAuthnTrust()
    trust.acceptsTPMSHA1 = webauthnTpmSha1
    var paths: [String: [String]] = [:]
    for option in webauthnRoots {
      let (alias, path) = Self.aliased(option)
      paths[alias, default: []].append(path)
    }
    trust.roots = try paths.mapValues { try TrustFiles.anchors($0) }
    if let revokedCertificates { trust.revoked = try TrustFiles.revoked(revokedCertificates) }
    guard let webauthnMetadata else { return trust }
    let blob = try GivenFile.bytes(webauthnMetadata, limit: AuthenticatorMetadata.maximumBytes)
    let roots = try TrustFiles.anchors(webauthnMetadataRoots)
    do throws(MetadataError) {
      let metadata = try await AuthenticatorMetadata(blob: blob, roots: roots, at: Date())
      if metadata.isOutdated(at: Date()) {
        Output.remark(
          "Advice: the FIDO metadata in \(printable(webauthnMetadata)) are from before \(printable(metadata.nextUpdate)), and models that were found "
            + "to be compromised since are accepted. Download the blob again.")
      }
      trust.metadata = metadata
    } catch {
      throw CommandFailure("\(webauthnMetadata): \(printable(error.description))", code: .invalid)
    }
    return trust
  }

  /// Splits `corp=roots.pem`. An alias has only letters from a to z and dots, so that paths with an equals sign stay paths.
  private static func aliased(_ option: String) -> (alias: String, path: String) {
    let parts = option.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, parts[0].utf8.allSatisfy({ (0x61...0x7A).contains($0) || $0 == 0x2E }) else {
      return (WebAuthnTrust.standardAlias, option)
    }
    return (String(parts[0]), String(parts[1]))
  }
}
