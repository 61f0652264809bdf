internal import Foundation

#if canImport(UIKit)
  internal import UIKit
#endif

/// The name that the owner gave the device.
package enum SystemDeviceName {
  /// Returns the name from the device's settings with UIKit, else the host name; `nil` when there is none. Sends nothing to the network.
  ///
  /// UIKit reveals the name on the main thread only, and apps without the entitlement for it learn just the kind of device.
  package static func current() -> String? {
    #if canImport(UIKit)
      guard Thread.isMainThread else { return nil }
      let name = MainActor.assumeIsolated { UIDevice.current.name }
    #else
      var buffer = [CChar](repeating: 0, count: 256)
      guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
      let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    #endif
    return name.isEmpty ? nil : name
  }
}
