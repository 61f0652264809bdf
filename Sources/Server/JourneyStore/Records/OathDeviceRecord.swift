public import Foundation
public import OATH

/// An authenticator that makes one-time codes for one user.
public struct OathDeviceRecord: DeviceRecord, Hashable {
  /// The server's own id of the device; the REST `_id`, and `oid` in the enrolment URI.
  public var uuid: String
  public var realm: String
  public var username: String

  /// The friendly name, 1 to 120 characters.
  public var deviceName: String

  /// What the codes are made from; ``OATHSecret/sizes`` bytes.
  public var secret: StoredSecret

  /// How they are made.
  public var profile: OATHProfile

  /// The lowest counter or time step whose code may still be accepted.
  public var nextFactor: UInt64

  /// How many time steps the device's clock was ahead of the server's at the last accepted code; negative when behind.
  public var drift: Int
  public var createdDate: Date

  /// Moment of registration, then of each accepted code.
  public var lastAccessDate: Date

  /// The name that a device gets until somebody gives it a better one.
  public static let standardName = "OATH Device"

  public init(
    uuid: String, realm: String, username: String, deviceName: String = Self.standardName,
    secret: StoredSecret, profile: OATHProfile, nextFactor: UInt64 = 0, drift: Int = 0, createdDate: Date,
    lastAccessDate: Date
  ) {
    self.uuid = uuid
    self.realm = realm
    self.username = username
    self.deviceName = deviceName
    self.secret = secret
    self.profile = profile
    self.nextFactor = nextFactor
    self.drift = drift
    self.createdDate = createdDate
    self.lastAccessDate = lastAccessDate
  }
}

/// The outcome of a right code.
public enum OathAcceptance: Sendable, Hashable {
  case accepted
  /// The code or a later one was accepted before, or the device is gone.
  case used
  case locked
}
