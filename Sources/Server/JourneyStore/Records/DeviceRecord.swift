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
