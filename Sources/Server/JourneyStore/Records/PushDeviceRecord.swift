public import Foundation

/// A device that answers push messages for one user (reference push §7.1).
public struct PushDeviceRecord: DeviceRecord, Hashable {
  /// The server's own id of the device; the REST `_id`, and `pid` in the enrolment URI.
  public var uuid: String
  public var realm: String
  public var username: String

  /// The friendly name, 1 to 120 characters.
  public var deviceName: String

  /// The device's id of its credential; `u` in messages. Unique in its realm.
  public var mechanismUID: String

  /// The sender that the device shows.
  public var issuer: String

  /// 32 bytes that sign messages and answers (HS256).
  public var sharedSecret: StoredSecret

  /// How messages reach the device, as it registered: `poll`, `apns`, `gcm`, …
  public var communicationType: String

  /// The transport's own address of the device; the token itself where there is none.
  public var communicationID: String

  /// The platform in the device's own words: `ios`, `android`, `linux`.
  public var deviceType: String

  /// The transport's token of the device.
  public var deviceToken: String
  public var createdDate: Date

  /// Moment of registration, then of each successful sign-in.
  public var lastAccessDate: Date

  /// The time since which the transport refuses ``deviceToken``; `nil` while it accepts it. A refresh clears it.
  public var tokenRetiredAt: Date?

  public init(
    uuid: String, realm: String, username: String, deviceName: String, mechanismUID: String, issuer: String,
    sharedSecret: StoredSecret, communicationType: String, communicationID: String, deviceType: String,
    deviceToken: String, createdDate: Date, lastAccessDate: Date, tokenRetiredAt: Date? = nil
  ) {
    self.uuid = uuid
    self.realm = realm
    self.username = username
    self.deviceName = deviceName
    self.mechanismUID = mechanismUID
    self.issuer = issuer
    self.sharedSecret = sharedSecret
    self.communicationType = communicationType
    self.communicationID = communicationID
    self.deviceType = deviceType
    self.deviceToken = deviceToken
    self.createdDate = createdDate
    self.lastAccessDate = lastAccessDate
    self.tokenRetiredAt = tokenRetiredAt
  }
}

/// The address of a device: its credential id, and its realm as the account spells it.
public struct PushAddress: Sendable, Hashable {
  public var realm: String
  public var mechanismUID: String
}

extension PushDeviceRecord {
  public var address: PushAddress { PushAddress(realm: realm, mechanismUID: mechanismUID) }
}

/// New facts that a device sends about itself (reference push §5).
public struct PushDeviceRefresh: Sendable, Hashable {
  public var deviceToken: String
  public var communicationID: String
  public var communicationType: String
  public var deviceType: String

  /// `nil` keeps the name.
  public var deviceName: String?

  /// When the device signed this; `nil` from devices that do not say.
  public var issuedAt: Date?

  public init(
    deviceToken: String, communicationID: String, communicationType: String, deviceType: String,
    deviceName: String? = nil, issuedAt: Date? = nil
  ) {
    self.deviceToken = deviceToken
    self.communicationID = communicationID
    self.communicationType = communicationType
    self.deviceType = deviceType
    self.deviceName = deviceName
    self.issuedAt = issuedAt
  }
}
