/// A device that the server keeps for a user.
public protocol Device: Codable, Sendable {
  /// The server's name of the record.
  var id: String { get }

  /// The name that the user knows it by.
  var deviceName: String { get }

  /// The kind's path below the user's, such as `devices/2fa/binding`.
  var urlSuffix: String { get }
}

/// A user's devices of one kind. Implementations of an app's own have to be safe to use from any thread.
public protocol DeviceRepository<T> {
  /// The kind of devices.
  associatedtype T

  /// The devices, as the server has them now.
  func get() async -> Result<[T], DeviceError>

  /// Deletes `device` on the server. Keys on the device itself stay.
  func delete(_ device: T) async -> Result<T, DeviceError>

  /// Gives the device on the server the name that `device` has; nothing else can be changed.
  func update(_ device: T) async -> Result<T, DeviceError>
}
