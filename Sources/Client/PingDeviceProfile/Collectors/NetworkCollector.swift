internal import Foundation

#if canImport(Network)
  internal import Network
#endif

/// Whether the device is connected to a network, but not which one.
// Its stored property is immutable and Sendable.
public class NetworkCollector: DeviceCollector, @unchecked Sendable {
  public typealias DataType = NetworkInfo

  public let key = "network"
  private let files: SystemFiles

  public convenience init() { self.init(files: SystemFiles()) }

  init(files: SystemFiles) { self.files = files }

  public func collect() async -> NetworkInfo? {
    #if canImport(Network)
      NetworkInfo(connected: await Self.isConnected())
    #else
      NetworkInfo(connected: hasDefaultRoute)
    #endif
  }

  #if canImport(Network)
    private static func isConnected() async -> Bool {
      let monitor = NWPathMonitor()
      let paths = AsyncStream<Bool> { continuation in
        monitor.pathUpdateHandler = { path in
          continuation.yield(path.status == .satisfied)
          continuation.finish()
        }
        monitor.start(queue: DispatchQueue(label: "com.sealring.network"))
      }
      defer { monitor.cancel() }
      for await isConnected in paths { return isConnected }
      return false
    }
  #endif

  /// Whether the kernel has a default route other than the loopback's.
  private var hasDefaultRoute: Bool {
    // Interface, destination, gateway, flags (bit 0: up).
    let four = rows("proc/net/route").contains { fields in
      fields.count > 3 && fields[1] == "00000000" && (Int(fields[3], radix: 16) ?? 0) & 1 == 1
    }
    // Destination, prefix length, …, flags, interface.
    let six = rows("proc/net/ipv6_route").contains { fields in
      fields.count > 9 && fields[0].allSatisfy { $0 == "0" } && fields[1] == "00" && fields[9] != "lo"
    }
    return four || six
  }

  private func rows(_ path: String) -> [[Substring]] {
    (files.text(path) ?? "").split(whereSeparator: \.isNewline).map {
      $0.split(whereSeparator: \.isWhitespace)
    }
  }
}

/// A device's network connection.
public struct NetworkInfo: Codable, Sendable {
  /// Whether the device is connected.
  public let connected: Bool
}
