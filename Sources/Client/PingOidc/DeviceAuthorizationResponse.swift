public import Bytes
internal import Foundation
internal import PingOrchestrate
internal import StrictJSON
internal import WebAddresses

/// What a device shows so that somebody can sign in for it on another device (RFC 8628 §3.2). The description omits the secret.
public struct DeviceAuthorizationResponse: Codable, Sendable, Redacted {
  /// The code that obtains the tokens. A secret: never show it.
  public let deviceCode: String
  /// The code that the person types.
  public let userCode: String
  /// The address at which the person types the code.
  public let verificationUri: String
  /// The same address with the code, for a QR code; `nil` when the provider sent none with the origin of ``verificationUri``.
  public let verificationUriComplete: String?
  /// How many seconds the person has.
  public let expiresIn: Int64
  /// How many seconds to wait between two polls.
  public let interval: Int64

  private enum CodingKeys: String, CodingKey {
    case deviceCode = "device_code"
    case userCode = "user_code"
    case verificationUri = "verification_uri"
    case verificationUriComplete = "verification_uri_complete"
    case expiresIn = "expires_in"
    case interval
  }

  /// The default interval of §3.2, in seconds.
  private static let standardInterval: Int64 = 5
  private static let longestTimes: ClosedRange<Int64> = 1...86_400
  private static let longestCode = 64
  private static let longestAddress = 2048

  /// Reads a provider's answer. A person will read the code and open the address, so both must be what they seem to be.
  ///
  /// - Throws: ``OidcError``.
  init(_ answer: HttpResponse) throws(OidcError) {
    guard answer.status() == 200 else { throw OidcError.refused(answer, by: "device authorization") }
    let json: JSONObject
    do throws(JSONError) {
      json = try JSONObject(parsing: answer.data, limits: JSONLimits(maximumBytes: 64 << 10, maximumDepth: 8))
    } catch { throw Self.malformed("is not a JSON object", error) }
    func text(_ name: String, _ limit: Int) throws(OidcError) -> String {
      guard let text = json[name]?.stringValue, (1...limit).contains(text.utf8.count),
        text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
      else { throw Self.malformed("has no \(name) that can be used") }
      return text
    }
    deviceCode = try text("device_code", 64 << 10)
    userCode = try text("user_code", Self.longestCode)
    verificationUri = try text(
      json["verification_uri"] == nil ? "verification_url" : "verification_uri", Self.longestAddress)
    guard let origin = WebOrigin(address: verificationUri), origin.isConfidential else {
      throw Self.malformed("has a verification_uri that is not an https address")
    }
    // People follow a QR code unread, so its address must have the origin of the address that is shown.
    let complete = try? text("verification_uri_complete", Self.longestAddress)
    verificationUriComplete = complete.flatMap { WebOrigin(address: $0) == origin ? $0 : nil }
    guard let life = json["expires_in"]?.integerValue, Self.longestTimes.contains(life) else {
      throw Self.malformed("has no expires_in of at most a day")
    }
    expiresIn = life
    interval = json["interval"]?.integerValue ?? Self.standardInterval
    guard Self.longestTimes.contains(interval) else {
      throw Self.malformed("has no interval of at most a day")
    }
  }

  private static func malformed(_ what: String, _ cause: (any Error)? = nil) -> OidcError {
    .authorizeError(cause: cause, message: "The answer of the device authorization endpoint \(what).")
  }
}

/// The progress of a device's sign-in.
public enum DeviceFlowState: Sendable {
  /// Show the code and the address, best with the complete one as a QR code.
  case started(DeviceAuthorizationResponse)
  /// Nobody has decided yet; the next poll is in that many seconds.
  case polling(interval: Int64)
  /// Somebody approved: the tokens are stored, and the user has them.
  case success(OidcUser)
  /// Somebody refused.
  case accessDenied
  /// The time is over. Begin again.
  case expired
  /// The sign-in failed and cannot continue.
  case failure(OidcError)
}
