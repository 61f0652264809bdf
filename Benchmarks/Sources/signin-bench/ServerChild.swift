import Foundation

/// A server in a process of its own, so that its processor time can be told from the devices'.
struct ServerChild {
  let port: Int
  private let process: Process

  init(role: String, folder: URL) throws {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments = [role, folder.path(percentEncoded: false)]
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
    self.port = port
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
  }

  /// Processor time used so far in seconds, user and system (proc(5), fields 14 and 15 of stat).
  var processorTime: Double {
    let stat = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)) ?? ""
    let fields = stat.components(separatedBy: ") ").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      return .nan
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}

struct BenchError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
