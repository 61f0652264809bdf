import ArgumentParser
import Assembly
import Foundation
import JourneyNodes
import PrivateFiles
import StrictJSON

/// The OpenID Connect clients that users sign in to, and the providers that they sign in with, as options of `sealring serve`.
struct IdentityProviderOptions: ParsableArguments, ServerOptionGroup {
  @Option(
    help: """
      File of OpenID Connect clients, as `sealring oidc` writes it; read again when it changes. Default: no clients.
      """)
  var oidcClients: String?

  @Option(
    help: ArgumentHelp(
      """
      File with OpenID providers by which people may sign in (docs/federation.md): an object by name, or an export with \
      socialIdentityProviders. Others must not be able to read it when it holds a client secret. REALM=… for one realm. Repeatable.
      """, valueName: "[REALM=]file"), completion: .file())
  var identityProviders: [String] = []

  func apply(to configuration: inout ServerConfiguration) throws {
    configuration.openIDClients = oidcClients.map { URL(filePath: $0) }
    for text in identityProviders {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      guard let path = parts.last else { throw ValidationError("--identity-providers is [REALM=]file.") }
      let file = try read(path)
      do throws(JSONFault) {
        try configuration.identityProviders.add(
          try IdentityProvider.parse(file) { Environment.variables[$0] },
          realm: parts.count == 2 ? parts[0] : "")
      } catch {
        throw CommandFailure(
          "The identity providers in \(path) cannot be used: \(error.description).", code: .invalid)
      }
    }
  }

  /// Reads a file with secrets, which only its owner may access.
  private func read(_ path: String) throws -> [UInt8] {
    let bytes: [UInt8]?
    do {
      bytes = try ProtectedFiles.read(URL(filePath: path), limit: IdentityProvider.maximumFileBytes)
    } catch {
      throw CommandFailure("The identity providers cannot be read: \(error.errorMessage)", code: .invalid)
    }
    guard let bytes else { throw CommandFailure("The file \(path) is not there.", code: .notFound) }
    let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    let holdsSecret = String(decoding: bytes, as: UTF8.self).contains(#""clientSecret""#)
    guard !holdsSecret || mode.map({ $0.intValue & 0o077 == 0 }) == true else {
      throw CommandFailure(
        "\(path) holds a client secret and can be read by other users. Fix that: chmod 600 \(path)",
        code: .forbidden)
    }
    return bytes
  }
}
