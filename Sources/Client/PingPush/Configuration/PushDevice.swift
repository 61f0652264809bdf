internal import Foundation

/// What this device tells servers of itself when it registers.
public struct PushDevice: Sendable, Hashable {
  /// `ios`, `linux`: free text for the server.
  public var type: String

  /// How messages reach the device: `apns`, or `poll`, which means that it fetches them itself.
  public var communicationType: String

  /// A name for people.
  public var name: String

  /// The `communicationType` of devices that fetch their messages.
  public static let direct = "poll"

  /// The `communicationType` of devices that Apple's push service reaches.
  public static let apns = "apns"

  public init(type: String, communicationType: String, name: String) {
    self.type = type
    self.communicationType = communicationType
    self.name = name
  }

  /// This device: an Apple device with APNs, else one that fetches its messages and has the machine's name.
  public static var current: PushDevice {
    #if canImport(Darwin)
      PushDevice(type: "ios", communicationType: apns, name: "iOS Device")
    #else
      PushDevice(type: "linux", communicationType: direct, name: machineName ?? "Linux Device")
    #endif
  }

  /// Whether the device fetches its messages and needs no token of a push service.
  public var isDirect: Bool { communicationType == Self.direct }

  private static var machineName: String? {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
    let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return name.isEmpty ? nil : name
  }
}
