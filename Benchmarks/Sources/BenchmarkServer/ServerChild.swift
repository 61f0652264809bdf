public import Foundation

/// A server in a process of its own, so that its processor time can be told from the devices'.
public struct ServerChild: Sendable {
  public let port: Int
  private let process: Process
  private let limit: ProcessorLimit?

  /// Starts this program again in that role; it prints its port on a line.
  public init(role: String, folder: URL, limit: ProcessorLimit? = nil) throws {
    let process = Process()
    let command = [CommandLine.arguments[0], role, folder.path(percentEncoded: false)]
    let words = limit?.limited(command) ?? command
    process.executableURL = URL(filePath: words[0])
    process.arguments = Array(words.dropFirst())
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var line = Data()
    while !line.contains(UInt8(ascii: "\n")) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw BenchError("the \(role) ended before it listened") }
      line += more
    }
    guard
      let port = Int(String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    else {
      throw BenchError("the \(role) printed no port: \(String(decoding: line, as: UTF8.self))")
    }
    self.process = process
    self.limit = limit
    self.port = port
  }

  public func stop() {
    process.terminate()
    process.waitUntilExit()
    limit?.remove()
  }

  /// Processor time used so far in seconds, user and system (proc(5), fields 14 and 15 of stat).
  public var processorTime: Double {
    let stat = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)) ?? ""
    let fields = stat.components(separatedBy: ") ").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      return .nan
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Allocations so far, where `Benchmarks/report/allocations.c` counts them; `nil` elsewhere.
  public var allocations: Double? {
    guard let folder = ProcessInfo.processInfo.environment["SEALRING_BENCH_ALLOCATIONS"],
      let bytes = FileManager.default.contents(atPath: "\(folder)/\(process.processIdentifier)"),
      bytes.count == 8
    else { return nil }
    return Double(bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
  }

  /// Memory that the process holds, in bytes (proc(5), `VmRSS` of status).
  public var residentBytes: Double {
    let status =
      (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return Double(line.filter(\.isNumber)).map { $0 * 1024 } ?? .nan
  }
}

public struct BenchError: Error, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}
