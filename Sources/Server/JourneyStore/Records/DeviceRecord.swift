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
  /// Whose device it is.
  public var account: UniversalID { UniversalID(username: username, realm: realm) }
}

/// What became of a device that was to be added.
public enum DeviceAddition: Sendable, Hashable {
  case added
  /// The proof that a device is bound by has been accepted before.
  case replayed
  case limitReached
  /// It was to be added only as the user's first factor, and is not.
  case notFirst
  /// The user already has a bound device with this id or this key, or some account of the realm has a WebAuthn credential of this id.
  case duplicate
  case noSuchUser
}

/// Under which conditions a device may be added to an account; asked in the write that adds it.
public struct DeviceLimit: Sendable, Hashable, ExpressibleByIntegerLiteral {
  /// Most devices of the kind that the user may have; 0 means no limit.
  public var count: Int

  /// Only while the user has no factor of any kind (``ServerStore/hasFactors(of:)``): what a password alone may
  /// add must not come to stand beside a stronger factor that was added meanwhile.
  public var onlyAsFirstFactor: Bool

  /// The id that the account must have: what one account's person has begun is not added to another that has got its name meanwhile. `nil`
  /// for whoever has the name.
  public var accountID: String?

  public init(_ count: Int, onlyAsFirstFactor: Bool = false, accountID: String? = nil) {
    self.count = count
    self.onlyAsFirstFactor = onlyAsFirstFactor
    self.accountID = accountID
  }

  public init(integerLiteral value: Int) { self.init(value) }
}

/// Whether a user may do without a second factor, as PingAM's attributes `push2faEnabled` and `oath2faEnabled` count it.
public enum SkipSetting: Int, Sendable, Hashable {
  case notSet = 0
  case skippable = 1
  case notSkippable = 2
}
