package import SSHFormats

/// What `ssh` has signed: Sealring only reads it.
extension UserAuthenticationRequest {
  package static func bytes(
    sessionIdentifier: [UInt8], user: String, key: SSHPublicKey, certificate: SSHCertificate? = nil,
    hostKey: [UInt8]?, service: String = "ssh-connection"
  ) -> [UInt8] {
    let method = hostKey == nil ? "publickey" : "publickey-hostbound-v00@openssh.com"
    return SSHField.bytes(
      [
        .string(sessionIdentifier), .byte(50), .text(user), .text(service), .text(method), .boolean(true),
        .text(certificate?.type ?? key.type), .string(certificate?.blob ?? key.blob),
      ] + (hostKey.map { [.string($0)] } ?? []))
  }

  /// The bytes that are signed.
  package var bytes: [UInt8] {
    Self.bytes(
      sessionIdentifier: sessionIdentifier, user: user, key: key, certificate: certificate, hostKey: hostKey,
      service: service)
  }
}
