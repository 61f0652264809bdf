internal import Foundation
internal import PingCommons

/// This machine's name.
enum HostName {
  /// The name that its user gave it, else the machine's model on Apple platforms.
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

  /// The name that its user gave it on iOS, where only the main actor can read it. `nil` elsewhere, where ``standard`` reads it.
  static func ofPerson() async -> String? {
    #if canImport(UIKit)
      await MainActor.run { SystemDeviceName.current() }
    #else
      nil
    #endif
  }
}
