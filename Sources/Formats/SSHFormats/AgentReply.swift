/// An agent's answer (draft-miller-ssh-agent §4).
package enum AgentReply: Sendable, Hashable {
  /// A key or a certificate that can sign.
  package struct Identity: Sendable, Hashable {
    /// The key or certificate in wire format.
    package let blob: [UInt8]
    package let comment: String

    package init(blob: [UInt8], comment: String) { (self.blob, self.comment) = (blob, comment) }
  }

  /// `SSH_AGENT_FAILURE`: refused, without a reason.
  case failure
  /// `SSH_AGENT_SUCCESS`
  case success
  /// `SSH_AGENT_IDENTITIES_ANSWER`
  case identities([Identity])
  /// `SSH_AGENT_SIGN_RESPONSE`: a signature with the name of its algorithm.
  case signature([UInt8])
  /// `SSH_AGENT_EXTENSION_RESPONSE` to `query`: the extensions that are known.
  case extensions([String])

  /// The identities in an agent's message; empty for every other message.
  package static func identities(in message: [UInt8]) -> [Identity] {
    var reader = SSHReader(message)
    guard (try? reader.byte()) == 12, let count = try? reader.uint32() else { return [] }
    var identities: [Identity] = []
    while identities.count < count, let blob = try? reader.string(), let comment = try? reader.text() {
      identities.append(Identity(blob: blob, comment: comment))
    }
    return identities
  }

  /// The message, without the length before it.
  package var bytes: [UInt8] { SSHField.bytes(fields) }

  /// The message with its length before it, in wire format.
  package var framed: [UInt8] { SSHField.bytes([.nested(fields)]) }

  private var fields: [SSHField] {
    switch self {
    case .failure: [.byte(5)]
    case .success: [.byte(6)]
    case .identities(let identities):
      [.byte(12), .uint32(UInt32(identities.count))]
        + identities.flatMap { [.string($0.blob), .text($0.comment)] }
    case .signature(let blob): [.byte(14), .string(blob)]
    case .extensions(let names): [.byte(29), .text("query")] + names.map(SSHField.text)
    }
  }
}
