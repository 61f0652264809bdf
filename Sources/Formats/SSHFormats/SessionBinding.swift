/// The server that a connection to the agent is for: OpenSSH's extension `session-bind@openssh.com` (PROTOCOL.agent §1).
///
/// A value of this type was verified: the server signed this session with this key.
package struct SessionBinding: Sendable, Hashable {
  package static let name = "session-bind@openssh.com"
  /// The lengths of session identifiers in bytes, which are hashes from SHA-1 to SHA-512.
  static let sessionBytes = 20...64

  package let hostKey: HostKey
  /// The certificate of that key, when the host presented one.
  package let certificate: SSHCertificate?
  package let sessionIdentifier: [UInt8]
  /// Whether the session forwards the agent instead of signing in.
  package let isForwarding: Bool

  /// - Throws: ``SSHFormatError`` when it is malformed or the signature is not the host's.
  package init(verifying contents: [UInt8]) throws(SSHFormatError) {
    var reader = SSHReader(contents)
    let blob = try reader.string()
    var typeReader = SSHReader(blob)
    if try typeReader.text().hasSuffix(SSHCertificate.suffix) {
      let certificate = try SSHCertificate(verifying: blob)
      guard certificate.contents.kind == .host else {
        throw SSHFormatError("The host's certificate is a user's.")
      }
      (hostKey, self.certificate) = (certificate.contents.key, certificate)
    } else {
      (hostKey, certificate) = (try HostKey(parsing: blob), nil)
    }
    sessionIdentifier = try reader.string()
    guard Self.sessionBytes.contains(sessionIdentifier.count) else {
      throw SSHFormatError("The session identifier is not a hash.")
    }
    let signature = try reader.string()
    isForwarding = try reader.boolean()
    try reader.end()
    guard hostKey.isValid(signature, over: sessionIdentifier) else {
      throw SSHFormatError("The session is not signed by the host's key.")
    }
  }

  /// Whether a sign-in for the host key `blob` is one at this host: `blob` is its key or its certificate.
  package func isFor(host blob: [UInt8]) -> Bool { blob == hostKey.blob || blob == certificate?.blob }
}
