/// Which server a connection to the agent is for: OpenSSH's extension `session-bind@openssh.com` (PROTOCOL.agent §1).
///
/// A value of this type was verified: the server signed this session with this key.
package struct SessionBinding: Sendable, Hashable {
  package static let name = "session-bind@openssh.com"
  /// How long identifiers of sessions are: hashes from SHA-1 to SHA-512.
  static let sessionBytes = 20...64

  package let hostKey: HostKey
  package let sessionIdentifier: [UInt8]
  /// Whether the session passes the agent on, instead of signing in.
  package let isForwarding: Bool

  /// - Throws: ``SSHFormatError`` when it is malformed or the signature is not the host's.
  package init(verifying contents: [UInt8]) throws(SSHFormatError) {
    var reader = SSHReader(contents)
    hostKey = try HostKey(parsing: try reader.string())
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
}
