/// A device that the server stores for a user.
public protocol Device: Codable, Sendable {
  /// The record's identifier on the server.
  var id: String { get }

  /// The name by which the user knows the device.
  var deviceName: String { get }

  /// The path of this kind of devices below the user's path, such as `devices/2fa/binding`.
  var urlSuffix: String { get }
}

/// A user's devices of one kind. An app's own implementations have to be safe to use from any thread.
public protocol DeviceRepository<T> {
  /// The kind of devices.
  associatedtype T

  /// The devices, as the server has them now.
  func get() async -> Result<[T], DeviceError>

  /// Deletes `device` on the server. Keys on the device itself stay.
  func delete(_ device: T) async -> Result<T, DeviceError>

  /// Renames the device on the server to the name of `device`; nothing else can be changed.
  func update(_ device: T) async -> Result<T, DeviceError>
}
