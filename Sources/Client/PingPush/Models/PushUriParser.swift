internal import Foundation
internal import PushFormats

/// Reads and writes enrolment addresses, `pushauth://push/ISSUER:ACCOUNT?…` and `mfauth://…`.
public enum PushUriParser {
  /// The credential of an enrolment address, with a new id.
  ///
  /// - Throws: ``PushError/invalidUri(_:)``
  public static func parse(_ uri: String) async throws -> PushCredential {
    credential(of: try enrolment(uri))
  }

  /// What is needed to register: `messageId`, `challenge` in standard Base64, and `amlbCookie` when there is one.
  ///
  /// - Throws: ``PushError/invalidUri(_:)``, also when `m` or `c` is absent.
  public static func registrationParameters(_ uri: String) async throws -> [String: String] {
    try registrationParameters(of: enrolment(uri))
  }

  /// The credential as an address, secret included.
  ///
  /// - Throws: ``PushError/uriFormatting(_:)``
  public static func format(_ credential: PushCredential) async throws -> String {
    do {
      var enrolment = PushEnrolmentURI(
        issuer: credential.issuer, accountName: credential.accountName,
        registrationURL: try PushServerURL(credential.registrationEndpoint),
        authenticationURL: try PushServerURL(credential.authenticationEndpoint),
        secret: try PushSecret(base64: credential.sharedSecret))
      enrolment.userID = credential.userId
      enrolment.resourceID = credential.resourceId
      enrolment.imageURL = credential.imageURL
      enrolment.backgroundColor = credential.backgroundColor
      enrolment.policies = credential.policies
      return enrolment.exportURI
    } catch {
      throw PushError.uriFormatting("\(error)")
    }
  }

  static func enrolment(_ uri: String) throws(PushError) -> PushEnrolmentURI {
    do { return try PushEnrolmentURI(parsing: uri.trimmingCharacters(in: .whitespacesAndNewlines)) } catch {
      throw .invalidUri(error.reason)
    }
  }

  static func credential(of enrolment: PushEnrolmentURI, id: String = UUID().uuidString, now: Date = Date())
    -> PushCredential
  {
    var credential = PushCredential(
      id: id, userId: enrolment.userID, resourceId: enrolment.resourceID ?? "", issuer: enrolment.issuer,
      accountName: enrolment.accountName, serverEndpoint: enrolment.registrationURL.endpoint,
      sharedSecret: enrolment.secret.base64, createdAt: now, imageURL: enrolment.imageURL,
      backgroundColor: enrolment.backgroundColor, policies: enrolment.policies ?? "")
    let answers = enrolment.authenticationURL.endpoint
    if answers != credential.serverEndpoint { credential.answerEndpoint = answers }
    return credential
  }

  static func registrationParameters(of enrolment: PushEnrolmentURI) throws(PushError) -> [String: String] {
    guard let messageID = enrolment.messageID else {
      throw .invalidUri("m: missing required parameter.")
    }
    guard let challenge = enrolment.challenge else {
      throw .invalidUri("c: missing required parameter.")
    }
    var parameters = [ParameterKey.messageId: messageID, ParameterKey.challenge: challenge.base64]
    parameters[ParameterKey.amlbCookie] = enrolment.loadBalancer
    return parameters
  }
}

/// The names of the values that handlers are given.
enum ParameterKey {
  static let messageId = "messageId"
  static let challenge = "challenge"
  static let amlbCookie = "amlbCookie"
  static let deviceId = "deviceId"
  static let deviceName = "deviceName"
  static let challengeResponse = "challengeResponse"
  static let authenticationMethod = "authenticationMethod"
  static let reason = "reason"
}
