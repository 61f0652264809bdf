import Agent
import Foundation
import SSHFormats
import StrictJSON

/// The checks of a certificate before it is kept, whichever server sent it.
extension Certification {
  /// The most seconds by which the server's clock may differ from this one.
  private static let skew: UInt64 = 60

  /// Reads and checks the certificate in a server's answer.
  ///
  /// - Parameter known: The accounts that need no confirmation: those of the certificate that this one renews while nobody can be asked;
  ///   `nil` for any accounts.
  /// - Throws: `CommandFailure`, which says how the certificate differs from the request.
  func issued(
    _ answer: JSONValue, by authority: PresentedAuthority, known: [String]?
  ) throws -> SSHCertificate {
    guard let line = answer["certificate"]?.stringValue else { throw Self.refused("it is missing") }
    let certificate: SSHCertificate
    do { certificate = try SSHCertificate(verifyingLine: line) } catch {
      throw Self.refused("it cannot be read: \(error.description)")
    }
    let contents = certificate.contents
    guard contents.kind == .user else { throw Self.refused("it is a host's") }
    guard contents.key.blob == key.publicKey.blob else { throw Self.refused("it is for another key") }
    guard authority.hasSigned(certificate) else {
      throw Self.refused("it was not signed by an authority that the realm presents")
    }
    try check(Set(contents.principals), told: answer["principals"], known: known)
    let (time, life) = (UInt64(max(0, Date().timeIntervalSince1970)), contents.validity)
    guard life.lowerBound <= time + Self.skew, life.upperBound > time else {
      throw Self.refused("it is not valid now. Compare this machine's clock with the server's")
    }
    guard life.upperBound <= time + authority.lifetime + Self.skew else {
      throw Self.refused("it is valid for longer than the realm says")
    }
    return certificate
  }

  private func check(_ found: Set<String>, told: JSONValue?, known: [String]?) throws {
    let told = Set((told?.arrayValue ?? []).compactMap(\.stringValue))
    guard found == told, options.principal.isEmpty || found == Set(options.principal) else {
      throw Self.refused("it is for other accounts: \(Self.list(found))")
    }
    if let known, !found.isSubset(of: known) {
      throw CommandFailure.forbidden(
        "The server now certifies the key for other accounts, \(Self.list(found)), and nobody was asked whether that is right. "
          + "The certificate was not kept. Run `sealring ssh login`.")
    }
  }

  static func list(_ principals: some Sequence<String>) -> String {
    printable(principals.sorted().joined(separator: ", "))
  }

  private static func refused(_ reason: String) -> CommandFailure {
    CommandFailure.unsupported(
      "The server's certificate is not the one that was asked for: \(reason). It was not kept.")
  }
}
