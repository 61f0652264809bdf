public import Foundation
public import StrictJSON

/// A device key bound to a user (reference binding §7.5).
public struct BoundDeviceRecord: DeviceRecord, Hashable {
  /// Equals the JWS `kid`; also the REST `_id`. Unique per user.
  public var uuid: String
  public var realm: String
  public var username: String

  /// The client's stable device id; opaque.
  public var deviceID: String

  /// The friendly name, 1 to 120 characters.
  public var deviceName: String

  /// The public JWK as stored and returned: `kty`, `kid`, `use`, `alg` and the public members. Never private ones.
  public var key: JSONObject

  /// RFC 7638 SHA-256 thumbprint of the key, base64url. Unique per user: one key is not bound twice.
  public var thumbprint: String

  /// Moment of binding; milliseconds since 1970 on the wire.
  public var createdDate: Date

  /// Moment of binding, then of each successful signature.
  public var lastAccessDate: Date

  /// What a verified attestation says about the key, in the form of `docs/attestation.md`; `nil` for a key without one.
  public var attestation: JSONObject?

  public init(
    uuid: String, realm: String, username: String, deviceID: String, deviceName: String, key: JSONObject,
    thumbprint: String, createdDate: Date, lastAccessDate: Date, attestation: JSONObject? = nil
  ) {
    self.uuid = uuid
    self.realm = realm
    self.username = username
    self.deviceID = deviceID
    self.deviceName = deviceName
    self.key = key
    self.thumbprint = thumbprint
    self.createdDate = createdDate
    self.lastAccessDate = lastAccessDate
    self.attestation = attestation
  }
}

/// The signer with a bound device: the account, whether its signatures are locked, and the device.
public struct SignerRecord: Sendable, Hashable {
  public var user: UserRecord
  public var lockout: LockoutState

  /// `nil` when the account has no device of the id that was asked for.
  public var device: BoundDeviceRecord?
}
