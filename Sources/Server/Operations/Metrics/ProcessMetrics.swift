internal import Foundation

/// The metrics of the process in Linux's `/proc`, under the names that Prometheus's own clients use. Other systems have none.
package enum ProcessMetrics {
  package static func collect(
    _ metrics: ServerMetrics, _ follow: (_ metric: ServerMetric, _ labels: [String], _ total: Double) -> Void
  ) {
    #if os(Linux)
      let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
      // Fields after the command's name, which is in parentheses and may hold blanks. The first one here is the third in proc(5).
      if let stat = text("/proc/self/stat"), let end = stat.lastIndex(of: ")"), ticks > 0 {
        let fields = stat[stat.index(after: end)...].split(separator: " ").map { Double($0) ?? 0 }
        if fields.count > 21 {
          follow(.cpuTime, [], (fields[11] + fields[12]) / ticks)
          metrics.set(.residentMemory, to: fields[21] * Double(sysconf(Int32(_SC_PAGESIZE))))
          if let boot = bootTime() { metrics.set(.startTime, to: boot + fields[19] / ticks) }
        }
      }
      if let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
        metrics.set(.openFiles, to: Double(files.count))
      }
      metrics.set(.mostFiles, to: Double(OpenFiles.limit))
    #endif
  }

  #if os(Linux)
    private static func bootTime() -> Double? {
      text("/proc/stat")?.split(separator: "\n").first { $0.hasPrefix("btime ") }
        .flatMap { Double($0.dropFirst("btime ".count)) }
    }

    private static func text(_ path: String) -> String? {
      FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
  #endif
}
