internal import Foundation

#if canImport(UIKit)
  internal import UIKit
#endif

/// Manufacturer, memory, storage, processors and screen of the device.
// Its stored property is immutable and Sendable.
public class HardwareCollector: DeviceCollector, @unchecked Sendable {
  public typealias DataType = HardwareInfo

  public let key = "hardware"
  private let files: SystemFiles

  public convenience init() { self.init(files: SystemFiles()) }

  init(files: SystemFiles) { self.files = files }

  public func collect() async -> HardwareInfo? {
    HardwareInfo(
      manufacturer: manufacturer, memory: Int(clamping: ProcessInfo.processInfo.physicalMemory >> 20),
      storage: storage, cpu: ProcessInfo.processInfo.processorCount, display: await display, camera: camera)
  }

  private var manufacturer: String {
    #if canImport(Darwin)
      "Apple"
    #else
      files.line("sys/class/dmi/id/sys_vendor") ?? DeviceProfileConstants.unknown
    #endif
  }

  private var storage: Int? {
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: NSHomeDirectory())
    return (attributes?[.systemSize] as? NSNumber).map { Int(clamping: $0.uint64Value >> 20) }
  }

  private var display: HardwareInfo.Display? {
    get async {
      #if canImport(UIKit)
        await MainActor.run {
          let size = UIScreen.main.bounds.size
          return HardwareInfo.Display(
            width: Int(size.width), height: Int(size.height), orientation: size.width > size.height ? 0 : 1)
        }
      #else
        nil
      #endif
    }
  }

  private var camera: HardwareInfo.Camera? {
    #if os(Linux)
      // A camera has several entries, all with the same device name.
      let devices = Set(
        files.names(in: "sys/class/video4linux").compactMap { name in
          files.line("sys/class/video4linux/\(name)/name")
        })
      return HardwareInfo.Camera(numberOfCameras: devices.count)
    #else
      return nil
    #endif
  }
}

/// A device's hardware.
public struct HardwareInfo: Codable, Sendable {
  /// The device's manufacturer.
  public let manufacturer: String
  /// Main memory in MiB.
  public let memory: Int?
  /// The size, not the free space, of the home folder's file system in MiB.
  public let storage: Int?
  /// The number of processors.
  public let cpu: Int
  /// The screen; `nil` where a program cannot read it.
  public let display: Display?
  /// The cameras; `nil` where a program needs the person's permission.
  public let camera: Camera?

  public struct Display: Codable, Sendable {
    /// The width in points.
    public let width: Int
    /// The height in points.
    public let height: Int
    /// 1 in portrait orientation, else 0.
    public let orientation: Int
  }

  public struct Camera: Codable, Sendable {
    public let numberOfCameras: Int
  }
}
