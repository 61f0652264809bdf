public import BindingFormats
public import Foundation

/// What the records of all kinds of devices have in common.
public protocol DeviceRecord: Sendable {
  /// The REST `_id`; unique among the user's devices of the kind.
  var uuid: String { get }

  /// The user's realm and name as the account spells them.
  var realm: String { get }
  var username: String { get }

  /// The friendly name, 1 to 120 characters.
  var deviceName: String { get }
  var createdDate: Date { get }

  /// Moment of registration, then of each use.
  var lastAccessDate: Date { get }
}

extension DeviceRecord {
  /// The account that the device belongs to.
  public var account: UniversalID { UniversalID(username: username, realm: realm) }
}

/// The outcome of adding a device.
public enum DeviceAddition: Sendable, Hashable {
  case added
  /// The proof that a device is bound by has been accepted before.
  case replayed
  case limitReached
  /// The device may be added only as the user's first factor, and the user has one.
  case notFirst
  /// The user already has a bound device with this id or this key, or some account of the realm has a WebAuthn credential of this id.
  case duplicate
  case noSuchUser
}

/// The conditions for adding a device to an account, checked in the write that adds it.
public struct DeviceLimit: Sendable, Hashable, ExpressibleByIntegerLiteral {
  /// Most devices of the kind that the user may have; 0 means no limit.
  public var count: Int

  /// Whether the device is added only while the user has no factor of any kind (``ServerStore/hasFactors(of:)``): what a password alone may
  /// add must not join a stronger factor that was added meanwhile.
  public var onlyAsFirstFactor: Bool

  /// The id that the account must have, so that the device is not added to another account that got its name meanwhile. `nil` for any
  /// account of that name.
  public var accountID: String?

  public init(_ count: Int, onlyAsFirstFactor: Bool = false, accountID: String? = nil) {
    self.count = count
    self.onlyAsFirstFactor = onlyAsFirstFactor
    self.accountID = accountID
  }

  public init(integerLiteral value: Int) { self.init(value) }
}

/// Whether a user may do without a second factor, with the values of PingAM's attributes `push2faEnabled` and `oath2faEnabled`.
public enum SkipSetting: Int, Sendable, Hashable {
  case notSet = 0
  case skippable = 1
  case notSkippable = 2
}
