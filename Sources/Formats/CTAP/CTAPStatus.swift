/// The status that precedes a security key's reply, or stands instead of one (CTAP 2.1 §6.3, table of status codes).
package enum CTAPStatus: UInt8, Error, Sendable, Hashable, CaseIterable {
  case success = 0x00
  case invalidCommand = 0x01
  case invalidParameter = 0x02
  case invalidLength = 0x03
  case unexpectedType = 0x11
  case invalidCBOR = 0x12
  case missingParameter = 0x14
  case limitExceeded = 0x15
  case credentialExcluded = 0x19
  case invalidCredential = 0x22
  case unsupportedAlgorithm = 0x26
  case operationDenied = 0x27
  case keyStoreFull = 0x28
  case unsupportedOption = 0x2B
  case invalidOption = 0x2C
  case keepaliveCancel = 0x2D
  case noCredentials = 0x2E
  case userActionTimeout = 0x2F
  case notAllowed = 0x30
  case pinInvalid = 0x31
  case pinBlocked = 0x32
  case pinAuthInvalid = 0x33
  case pinAuthBlocked = 0x34
  case pinNotSet = 0x35
  case pinRequired = 0x36
  case pinPolicyViolation = 0x37
  case requestTooLarge = 0x39
  case actionTimeout = 0x3A
  case verificationBlocked = 0x3C
  case invalidSubcommand = 0x3E
  case verificationInvalid = 0x3F
  case unauthorizedPermission = 0x40
  case other = 0x7F
}
