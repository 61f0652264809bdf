import BenchmarkReport
import BenchmarkServer
import Foundation
import NIOCore
import NIOPosix

/// Complete push approvals (start, push, message on the device's stream, approval, session token; durable in SQLite) while
/// many devices are connected by stream, and what a stream costs in memory.
///
/// `push-bench [--devices 500] [--seconds 5] [--rounds 3] [--at-a-time N]` starts the server as a process of its own and
/// prints JSON lines: `{"name", "value", "unit"}`. `--at-a-time` measures that many people only, for a profile.
@main
enum PushBench {
  static func main() async throws {
    let options = BenchmarkOptions.ofProgram
    if options.words.first == "sealring-server" {
      return try await PushServerRole.run(folder: URL(filePath: options.words[1]))
    }
    try await measure(
      devices: options.number("--devices") ?? 500, seconds: options.number("--seconds") ?? 5,
      rounds: options.number("--rounds") ?? 3,
      concurrencies: options.number("--at-a-time").map { [$0] } ?? [1, 4, 16])
  }

  private static func measure(
    devices: Int, seconds: Int, rounds: Int, concurrencies: [Int]
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "push-bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("\(devices)".utf8).write(to: folder.appending(path: "users"))
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    let registering = try ServerChild(role: "sealring-server", folder: folder)
    let start = ContinuousClock.now
    let fleet: Fleet
    do {
      defer { registering.stop() }
      fleet = try await Fleet.register(count: devices, port: registering.port, on: group)
    }
    Measurement.emit("push-enrolment", start.duration(to: .now) / .milliseconds(devices), "ms")

    // A server that has done nothing yet, so that streams cannot use memory that something else has left.
    let server = try ServerChild(role: "sealring-server", folder: folder)
    defer { server.stop() }
    let warm = try await Connection.open(port: server.port, on: group)
    _ = try await warm.start(Journeys.signIn)
    await warm.close()
    let empty = server.residentBytes
    var streams: [(device: Fleet.Device, stream: MessageStream)] = []
    for device in fleet.devices {
      streams.append((device, try await MessageStream.open(device, port: server.port, on: group)))
    }
    Measurement.emit("push-idle-server", empty / 1024 / 1024, "MiB")
    Measurement.emit("push-memory-per-stream", (server.residentBytes - empty) / Double(devices) / 1024, "KiB")

    for concurrency in concurrencies {
      var measured: [Approvals] = []
      // The first round warms up and does not count.
      for round in 0...rounds {
        let approvals = try await Approvals.run(
          streams, concurrency: concurrency, seconds: seconds, on: server, group: group)
        if round > 0 { measured.append(approvals) }
      }
      report("push-\(concurrency)-at-a-time", measured)
    }
    Measurement.emit("push-server-after-load", server.residentBytes / 1024 / 1024, "MiB")
    for (_, stream) in streams { await stream.close() }
    try await group.shutdownGracefully()
  }

  private static func report(_ name: String, _ rounds: [Approvals]) {
    Measurement.emit(name, rounds.map(\.rate).median, "approvals/s")
    Measurement.emit("\(name)-verdict-p50", rounds.map { $0.verdicts.percentile(0.5) }.median, "ms")
    Measurement.emit("\(name)-verdict-p99", rounds.map { $0.verdicts.percentile(0.99) }.median, "ms")
    Measurement.emit("\(name)-whole-p50", rounds.map { $0.whole.percentile(0.5) }.median, "ms")
    Measurement.emit("\(name)-whole-p99", rounds.map { $0.whole.percentile(0.99) }.median, "ms")
    Measurement.emit("\(name)-server-cpu", rounds.map(\.serverMicroseconds).median, "us")
  }
}
