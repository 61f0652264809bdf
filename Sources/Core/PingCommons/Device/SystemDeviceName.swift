internal import Foundation

#if canImport(UIKit) && !os(watchOS)
  internal import UIKit
#endif

/// The name by which the person knows this device.
package enum SystemDeviceName {
  /// `UIDevice`'s name where there is one: the person's own for apps that have the entitlement for it, else the kind of
  /// device. Elsewhere the host's name, without a question to the network. `nil` when the system says nothing.
  package static var current: String? {
    get async {
      #if canImport(UIKit) && !os(watchOS)
        let name = await MainActor.run { UIDevice.current.name }
        return name.isEmpty ? nil : name
      #else
        return hostName
      #endif
    }
  }

  /// The host's name; `nil` when it has none.
  package static var hostName: String? {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
    let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return name.isEmpty ? nil : name
  }
}
