internal import CBOR

/// A request about the PIN and tokens (CTAP 2.1 §6.5).
package struct CTAPClientPIN: Sendable, Hashable {
  package enum Command: Int, Sendable {
    case getRetries = 1
    case getKeyAgreement, setPIN, changePIN, getTokenByPIN, getTokenByVerification, getVerificationRetries
    case getTokenByPINWithPermissions = 9
  }

  package let version: Int?
  package let command: Command
  package let keyAgreement: CTAPKeyAgreement?
  package let authentication: [UInt8]?
  package let newPIN: [UInt8]?
  package let pinHash: [UInt8]?
  package let permissions: CTAPPermissions?
  package let relyingPartyID: String?

  init(_ parameters: CTAPParameters) throws(CTAPStatus) {
    version = try parameters.optional(1, \.intValue)
    guard let command = Command(rawValue: try parameters.required(2, \.intValue)) else {
      throw .invalidSubcommand
    }
    self.command = command
    let key: CBORValue? = try parameters.optional(3, { $0 })
    keyAgreement = if let key { try CTAPKeyAgreement(key) } else { nil }
    authentication = try parameters.optional(4, \.bytesValue)
    newPIN = try parameters.optional(5, \.bytesValue)
    pinHash = try parameters.optional(6, \.bytesValue)
    permissions = try parameters.optional(9, \.intValue).map { CTAPPermissions(rawValue: $0) }
    relyingPartyID = try parameters.relyingPartyID(0x0A)
  }
}

/// What a token may be used for (§6.5.5.7).
package struct CTAPPermissions: OptionSet, Sendable, Hashable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  package static let makeCredential = CTAPPermissions(rawValue: 0x01)
  package static let getAssertion = CTAPPermissions(rawValue: 0x02)
  package static let credentialManagement = CTAPPermissions(rawValue: 0x04)
}
