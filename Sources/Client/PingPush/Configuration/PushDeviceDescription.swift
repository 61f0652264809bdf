internal import Foundation
internal import PingCommons

/// How this device describes itself to servers when it registers.
public struct PushDeviceDescription: Sendable, Hashable {
  /// The kind of device, such as `ios` or `linux`: free text for the server.
  public var type: String

  /// How messages reach the device: `apns`, or `poll` when it fetches them itself.
  public var communicationType: String

  /// The name that people see; the system's name for the device when `nil`.
  public var name: String?

  /// The `communicationType` of devices that fetch their messages.
  public static let direct = "poll"

  /// The `communicationType` of devices that Apple's push service reaches.
  public static let apns = "apns"

  public init(type: String, communicationType: String, name: String? = nil) {
    self.type = type
    self.communicationType = communicationType
    self.name = name
  }

  /// This device: an Apple device with APNs, else one that fetches its messages. Its name is the system's.
  public static var current: PushDeviceDescription {
    #if canImport(Darwin)
      PushDeviceDescription(type: "ios", communicationType: apns)
    #else
      PushDeviceDescription(type: "linux", communicationType: direct)
    #endif
  }

  /// Whether the device fetches its messages and needs no token of a push service.
  public var isDirect: Bool { communicationType == Self.direct }

  /// ``name``, else the system's name, else the kind of device.
  func shownName() async -> String {
    if let name, !name.isEmpty { return name }
    #if canImport(UIKit)
      let system = await MainActor.run { SystemDeviceName.current() }
    #else
      let system = SystemDeviceName.current()
    #endif
    if let system { return system }
    #if canImport(Darwin)
      return "iOS Device"
    #else
      return "Linux Device"
    #endif
  }
}
