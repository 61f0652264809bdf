internal import BindingFormats

/// The protocol's names of inputs, outputs, claims and callback types.
public struct Constants: Sendable {
  public static let jws: String = BindingField.jws
  public static let deviceId: String = BindingField.deviceID
  public static let deviceName: String = BindingField.deviceName
  public static let clientError: String = BindingField.clientError

  public static let userId: String = BindingField.userID
  public static let username: String = BindingField.username
  public static let challenge: String = BindingField.challenge
  public static let authenticationType: String = BindingField.authenticationType
  public static let title: String = BindingField.title
  public static let subtitle: String = BindingField.subtitle
  public static let description: String = BindingField.description
  public static let timeout: String = BindingField.timeout
  public static let attestation: String = BindingField.attestation

  public static let sig: String = "sig"
  public static let alg: String = "alg"
  public static let ES256: String = "ES256"
  public static let JWS: String = "JWS"
  public static let sub: String = ProofClaim.subject
  public static let exp: String = ProofClaim.expiry
  public static let iat: String = ProofClaim.issuedAt
  public static let nbf: String = ProofClaim.notBefore
  public static let iss: String = ProofClaim.issuer
  public static let platform: String = ProofClaim.platform
  public static let ios: String = "ios"
  public static let linux: String = "linux"

  public static let deviceBindingCallback: String = BindingCallbackType.bind
  public static let deviceSigningVerifierCallback: String = BindingCallbackType.sign
}
