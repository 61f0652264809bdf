/// The data that a user's key signs to sign in to an SSH server: RFC 4252 §7, or OpenSSH's `publickey-hostbound-v00@openssh.com`, which
/// names the server's key as well.
package struct UserAuthenticationRequest: Sendable, Hashable {
  /// The session that the signature is for: the hash of its first key exchange.
  package let sessionIdentifier: [UInt8]
  /// The account on the server.
  package let user: String
  /// The service after the sign-in; always `ssh-connection`.
  package let service: String
  /// The key that signs.
  package let key: SSHPublicKey
  /// The certificate of that key, when the sign-in is by a certificate.
  package let certificate: SSHCertificate?
  /// The server's key, in wire format; `nil` in the older form.
  package let hostKey: [UInt8]?

  static let boundMethod = "publickey-hostbound-v00@openssh.com"
  private static let message: UInt8 = 50

  /// - Throws: ``SSHFormatError`` for any other data.
  package init(parsing data: [UInt8]) throws(SSHFormatError) {
    var reader = SSHReader(data)
    sessionIdentifier = try reader.string()
    guard SessionBinding.sessionBytes.contains(sessionIdentifier.count) else {
      throw SSHFormatError("The session identifier is not a hash.")
    }
    guard try reader.byte() == Self.message else { throw SSHFormatError("It is not a sign-in.") }
    user = try reader.text()
    service = try reader.text()
    guard service == "ssh-connection" else { throw SSHFormatError("The sign-in is for another service.") }
    let method = try reader.text()
    guard method == "publickey" || method == Self.boundMethod else {
      throw SSHFormatError("The sign-in is by another method.")
    }
    guard try reader.boolean() else { throw SSHFormatError("The sign-in has no place for a signature.") }
    let (algorithm, blob) = (try reader.text(), try reader.string())
    if algorithm.hasSuffix(SSHCertificate.suffix) {
      let certificate = try SSHCertificate(verifying: blob)
      guard certificate.contents.kind == .user else {
        throw SSHFormatError("The sign-in is by the certificate of a host.")
      }
      self.certificate = certificate
      key = try SSHPublicKey(parsing: certificate.contents.key.blob)
    } else {
      certificate = nil
      key = try SSHPublicKey(parsing: blob)
    }
    guard algorithm == certificate?.type ?? key.type else {
      throw SSHFormatError("The sign-in is by another algorithm than its key's.")
    }
    hostKey = method == Self.boundMethod ? try reader.string() : nil
    try reader.end()
  }
}
