internal import Foundation
internal import PingCommons

/// What this machine is called.
enum HostName {
  /// The person's name for it, else the machine's model on Apple platforms.
  static var standard: String {
    if let name = SystemDeviceName.current() { return name }
    #if canImport(Darwin)
      var system = utsname()
      guard uname(&system) == 0 else { return "Apple" }
      let model = withUnsafeBytes(of: system.machine) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      return model.isEmpty ? "Apple" : model
    #else
      return "Linux"
    #endif
  }

  /// The person's name for it, asked for where the system tells it: on Apple's phones by the main actor alone. `nil` where
  /// ``standard`` knows as much.
  static func ofPerson() async -> String? {
    #if canImport(UIKit)
      await MainActor.run { SystemDeviceName.current() }
    #else
      nil
    #endif
  }
}
