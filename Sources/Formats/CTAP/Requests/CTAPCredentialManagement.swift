internal import CBOR

/// A request about the credentials that are kept (CTAP 2.1 §6.8).
package struct CTAPCredentialManagement: Sendable, Hashable {
  package enum Command: Sendable, Hashable {
    case metadata
    case enumerateRelyingParties
    case nextRelyingParty
    /// - Parameter hash: SHA-256 of the relying party's id.
    case enumerateCredentials(hash: [UInt8])
    case nextCredential
    case delete([UInt8])
    case update([UInt8], CTAPUser)
  }

  package let command: Command
  package let authorization: CTAPAuthorization?
  /// The bytes that ``authorization`` authenticates: the command's number and its parameters as they came.
  package let authorized: [UInt8]

  init(_ parameters: CTAPParameters) throws(CTAPStatus) {
    let number = try parameters.required(1, \.intValue)
    let given = try parameters.optional(2, \.mapValue)
    authorization = try CTAPAuthorization(parameters, parameter: 4, version: 3)
    // The parameters came in the canonical form, or reading them would have failed.
    authorized = [UInt8(truncatingIfNeeded: number)] + (given.map { CBORValue.map($0).encoded } ?? [])
    let inner = CTAPParameters(given ?? CBORMap())
    switch number {
    case 1: command = .metadata
    case 2: command = .enumerateRelyingParties
    case 3: command = .nextRelyingParty
    case 4: command = .enumerateCredentials(hash: try inner.hash(1))
    case 5: command = .nextCredential
    case 6: command = .delete(try inner.credential(2))
    case 7:
      command = .update(
        try inner.credential(2), try CTAPUser(CTAPParameters(try inner.required(3, \.mapValue))))
    default: throw .invalidSubcommand
    }
  }
}

extension CTAPParameters {
  fileprivate func credential(_ key: CBORValue) throws(CTAPStatus) -> [UInt8] {
    try CTAPParameters(required(key, \.mapValue)).required("id", \.bytesValue)
  }
}
