/// Names on the wire: of inputs, outputs, claims and callback types.
public struct Constants: Sendable {
  public static let jws: String = "jws"
  public static let deviceId: String = "deviceId"
  public static let deviceName: String = "deviceName"
  public static let clientError: String = "clientError"

  public static let userId: String = "userId"
  public static let username: String = "username"
  public static let challenge: String = "challenge"
  public static let authenticationType: String = "authenticationType"
  public static let title: String = "title"
  public static let subtitle: String = "subtitle"
  public static let description: String = "description"
  public static let timeout: String = "timeout"
  public static let attestation: String = "attestation"

  public static let sig: String = "sig"
  public static let alg: String = "alg"
  public static let ES256: String = "ES256"
  public static let JWS: String = "JWS"
  public static let sub: String = "sub"
  public static let exp: String = "exp"
  public static let iat: String = "iat"
  public static let nbf: String = "nbf"
  public static let iss: String = "iss"
  public static let platform: String = "platform"
  public static let ios: String = "ios"
  public static let linux: String = "linux"

  public static let deviceBindingCallback: String = "DeviceBindingCallback"
  public static let deviceSigningVerifierCallback: String = "DeviceSigningVerifierCallback"
}
