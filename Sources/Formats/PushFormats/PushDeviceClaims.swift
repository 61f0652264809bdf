internal import JOSE
internal import StrictJSON

/// The address of a device, as the device states it.
public struct PushDeviceAddress: Sendable, Hashable {
  /// `deviceId`: the push service's token, or whatever the transport needs.
  public var deviceID: String
  /// A name for people.
  public var deviceName: String?
  /// `ios`, `android`, `linux`: free text.
  public var deviceType: String
  /// `apns`, `gcm`, `poll`: how messages get there.
  public var communicationType: String

  public init(deviceID: String, deviceName: String? = nil, deviceType: String, communicationType: String) {
    self.deviceID = deviceID
    self.deviceName = deviceName
    self.deviceType = deviceType
    self.communicationType = communicationType
  }

  init(claims: JSONObject) throws(PushFormatError) {
    deviceID = try claims.required("deviceId")
    deviceName = try claims.optional("deviceName", limit: 256)
    deviceType = try claims.required("deviceType", limit: 64)
    communicationType = try claims.required("communicationType", limit: 64)
  }

  func write(to claims: inout JSONObject) {
    claims["deviceId"] = .string(deviceID)
    claims["deviceName"] = deviceName.map { .string($0) }
    claims["deviceType"] = .string(deviceType)
    claims["communicationType"] = .string(communicationType)
  }
}

/// The claims with which a device registers.
public struct PushRegistration: Sendable, Hashable {
  /// The answer to the enrolment's challenge; see ``PushSecret/response(to:)``.
  public var response: String
  /// The id that the device gives its registration; comes back as `u` in every message.
  public var mechanismUID: String
  public var address: PushDeviceAddress

  public init(response: String, mechanismUID: String, address: PushDeviceAddress) {
    self.response = response
    self.mechanismUID = mechanismUID
    self.address = address
  }

  /// Reads the claims of a device's token.
  ///
  /// - Throws: ``PushFormatError``. The caller still has to compare ``response``, with ``PushSecret/isResponse(_:to:)``.
  public init(verifying token: String, secret: PushSecret) throws(PushFormatError) {
    let claims = try secret.claims(of: token)
    response = try claims.required("response", limit: 128)
    mechanismUID = try claims.required("mechanismUid", limit: 256)
    address = try PushDeviceAddress(claims: claims)
  }

  public func token(secret: PushSecret) async throws -> String {
    var claims: JSONObject = ["response": .string(response), "mechanismUid": .string(mechanismUID)]
    address.write(to: &claims)
    return try await secret.sign(claims)
  }
}

/// The claims with which a device changes its address. There is no challenge: the signature is the proof.
public struct PushRefresh: Sendable, Hashable {
  /// `nil` in tokens of some older apps, which put it into the body only.
  public var mechanismUID: String?
  public var address: PushDeviceAddress
  /// Seconds since 1970. This claim is ours: it lets the server refuse an old token that is sent again.
  public var issuedAt: Int64?

  public init(mechanismUID: String?, address: PushDeviceAddress, issuedAt: Int64? = nil) {
    self.mechanismUID = mechanismUID
    self.address = address
    self.issuedAt = issuedAt
  }

  /// Reads the claims of a device's token.
  public init(verifying token: String, secret: PushSecret) throws(PushFormatError) {
    let claims = try secret.claims(of: token)
    // The token of a registration states where the device was then.
    guard claims["response"] == nil else {
      throw PushFormatError(.malformed, "The token was made for another purpose.")
    }
    mechanismUID = try claims.optional("mechanismUid", limit: 256)
    address = try PushDeviceAddress(claims: claims)
    issuedAt = claims.number("iat")
  }

  public func token(secret: PushSecret) async throws -> String {
    var claims = JSONObject()
    claims["mechanismUid"] = mechanismUID.map { .string($0) }
    address.write(to: &claims)
    claims["iat"] = issuedAt.map { .integer($0) }
    return try await secret.sign(claims)
  }
}

/// The claims with which a device fetches its messages directly, in a poll or as the stream's bearer token.
public struct PushFetch: Sendable, Hashable {
  public var mechanismUID: String
  /// Seconds since 1970; the server accepts ``PushFormatLimits/pollSkewSeconds`` either way.
  public var issuedAt: Int64

  public init(mechanismUID: String, issuedAt: Int64) {
    self.mechanismUID = mechanismUID
    self.issuedAt = issuedAt
  }

  /// The unverified id in `token`, used to find the secret that verifies it.
  public static func unverifiedMechanismUID(of token: String) throws(PushFormatError) -> String {
    let claims = try JSONObject(parsingBody: unverified(token).payload, limit: PushFormatLimits.tokenBytes)
    return try claims.required("mechanismUid", limit: 256)
  }

  /// Reads the claims of a device's token. The caller still has to look at ``isFresh(at:)``.
  public init(verifying token: String, secret: PushSecret) throws(PushFormatError) {
    let claims = try secret.claims(of: token)
    mechanismUID = try claims.required("mechanismUid", limit: 256)
    guard let issuedAt = claims["iat"]?.integerValue else {
      throw PushFormatError(.missing, "iat is absent or not a number.")
    }
    // An answer to a message or a refresh must not open the inbox.
    guard claims["response"] == nil, claims["deviceId"] == nil else {
      throw PushFormatError(.malformed, "The token was made for another purpose.")
    }
    self.issuedAt = issuedAt
  }

  /// Whether the token was made about `now`, in seconds since 1970.
  public func isFresh(at now: Int64) -> Bool {
    let (distance, overflow) = now.subtractingReportingOverflow(issuedAt)
    return !overflow && distance.magnitude <= UInt64(PushFormatLimits.pollSkewSeconds)
  }

  public func token(secret: PushSecret) async throws -> String {
    try await secret.sign(["mechanismUid": .string(mechanismUID), "iat": .integer(issuedAt)])
  }
}
