internal import Foundation
internal import PingTamperDetector

#if canImport(UIKit)
  internal import UIKit
#endif

/// The system and the model of the device.
// Its stored properties are immutable and Sendable.
public class PlatformCollector: DeviceCollector, @unchecked Sendable {
  public typealias DataType = PlatformInfo

  public let key = "platform"
  private let files: SystemFiles
  private let detector: TamperDetector

  public convenience init() { self.init(files: SystemFiles()) }

  init(files: SystemFiles, detector: TamperDetector = TamperDetector()) {
    self.files = files
    self.detector = detector
  }

  public func collect() async -> PlatformInfo? {
    let unknown = DeviceProfileConstants.unknown
    #if canImport(UIKit)
      let (system, version, device, name) = await MainActor.run {
        let device = UIDevice.current
        return (device.systemName, device.systemVersion, device.model, device.name)
      }
      return info(
        platform: system, version: version, device: device, deviceName: name, model: Machine.model ?? unknown,
        brand: "Apple")
    #elseif os(Linux)
      return info(
        platform: "Linux",
        version: files.setting("VERSION_ID", in: "etc/os-release")
          ?? files.line("proc/sys/kernel/osrelease") ?? unknown,
        device: Machine.model ?? unknown,
        deviceName: files.line("proc/sys/kernel/hostname") ?? unknown,
        model: files.line("sys/class/dmi/id/product_name")
          ?? files.line("proc/device-tree/model") ?? unknown,
        brand: files.setting("NAME", in: "etc/os-release") ?? unknown)
    #else
      let version = ProcessInfo.processInfo.operatingSystemVersion
      return info(
        platform: "macOS",
        version: "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)", device: "Mac",
        deviceName: String.short(ProcessInfo.processInfo.hostName) ?? unknown,
        model: Machine.model ?? unknown, brand: "Apple")
    #endif
  }

  private func info(
    platform: String, version: String, device: String, deviceName: String, model: String, brand: String
  ) -> PlatformInfo {
    PlatformInfo(
      platform: platform, version: version, device: device,
      deviceName: String.short(deviceName) ?? DeviceProfileConstants.unknown, model: model, brand: brand,
      locale: Locale.current.language.languageCode?.identifier ?? DeviceProfileConstants.unknown,
      timeZone: TimeZone.current.identifier,
      jailBreakScore: detector.analyze())
  }
}

/// The system and the model of a device. Unknown texts are ``DeviceProfileConstants/unknown``.
public struct PlatformInfo: Codable, Sendable {
  /// Such as `iOS` or `Linux`.
  public let platform: String
  /// The system's version.
  public let version: String
  /// The kind of device: `iPhone`; on Linux the processor's architecture.
  public let device: String
  /// The name that its user or administrator gave it; on Linux the host name.
  public let deviceName: String
  /// The manufacturer's name of the model.
  public let model: String
  /// `Apple`; on Linux the distribution.
  public let brand: String
  /// The language's code, such as `en`.
  public let locale: String
  /// Such as `Europe/Berlin`.
  public let timeZone: String
  /// From 0 (no sign of tampering) to 1; see `TamperDetector`.
  public let jailBreakScore: Double
}

/// The kernel's facts about the machine.
private enum Machine {
  /// The hardware: `iPhone15,3` on Apple's systems, `x86_64` on Linux.
  static var model: String? {
    var system = utsname()
    guard uname(&system) == 0 else { return nil }
    return withUnsafeBytes(of: system.machine) {
      String.short(String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self))
    }
  }
}
