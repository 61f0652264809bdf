internal import Foundation

/// What this machine is called.
enum DeviceName {
  /// The host's name; on Apple platforms, where that says nothing, the machine's model. Asks no network.
  static var standard: String {
    #if canImport(Darwin)
      var system = utsname()
      guard uname(&system) == 0 else { return "Apple" }
      let model = withUnsafeBytes(of: system.machine) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      return model.isEmpty ? "Apple" : model
    #else
      var name = [CChar](repeating: 0, count: 256)
      guard gethostname(&name, name.count - 1) == 0 else { return "Linux" }
      let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return text.isEmpty ? "Linux" : text
    #endif
  }
}
