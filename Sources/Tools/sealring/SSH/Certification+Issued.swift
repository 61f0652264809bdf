import Agent
import Foundation
import SSHFormats
import StrictJSON

/// What a certificate must be before it is kept, whichever server has sent it.
extension Certification {
  /// How far the server's clock may be from this one, in seconds.
  private static let skew: UInt64 = 60

  /// The certificate in a server's answer.
  ///
  /// - Parameter known: The accounts that nobody has to be told of: those of the certificate that this one renews while nobody looks; `nil` for
  ///   any.
  /// - Throws: `CommandFailure` that says in what it differs from what was asked for.
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
      throw Self.refused("another authority has signed it than the realm presents")
    }
    try check(Set(contents.principals), told: answer["principals"], known: known)
    let (time, life) = (UInt64(max(0, clock().timeIntervalSince1970)), contents.validity)
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
