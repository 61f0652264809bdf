import CommonFixtures
import Foundation
import RuntimeLibraries
import Testing

@testable import sealring

/// What `sealring ssh proxy` passes on.
@Suite struct TCPRelayTests {
  /// Runs `body` with the host's side of a relay, and what ssh writes to and reads from.
  private func withRelay(
    _ body: @escaping @Sendable (_ host: Int32, _ writing: Int32, _ reading: Int32) -> Void
  ) async throws {
    let listener = try LoopbackListener()
    let relay = try await TCPRelay.connect(to: "127.0.0.1", port: listener.port)
    let host = try #require(listener.accept())
    let (input, output) = (try SpawnedProgram.pipe(), try SpawnedProgram.pipe())
    async let played: Void = onThread { body(host, input.writing, output.reading) }
    try await relay.run(input: input.reading, output: output.writing)
    await played
    for descriptor in [host, input.reading, output.reading] { close(descriptor) }
  }

  private func onThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        body()
        continuation.resume()
      }
    }
  }

  private static func send(_ text: [UInt8], to descriptor: Int32) {
    var rest = text[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// What comes until the end.
  private static func all(from descriptor: Int32) -> [UInt8] {
    var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }

  @Test func `a side that has ended still gets what the other one sends`() async throws {
    let big = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }
    try await withRelay { host, writing, reading in
      Self.send(Array("hello".utf8), to: writing)
      close(writing)
      // The host sees the end of its input, and answers afterwards.
      #expect(Self.all(from: host) == Array("hello".utf8))
      Thread.detachNewThread {
        Self.send(big, to: host)
        shutdown(host, Int32(SHUT_WR))
      }
      #expect(Self.all(from: reading) == big)
    }
  }

  @Test func `a host that ends first still gets what ssh sends`() async throws {
    try await withRelay { host, writing, reading in
      Self.send([1, 2], to: host)
      shutdown(host, Int32(SHUT_WR))
      #expect(Self.all(from: reading) == [1, 2])
      Self.send([3], to: writing)
      close(writing)
      #expect(Self.all(from: host) == [3])
    }
  }

  @Test(arguments: ["127.0.0.1", "no-such-host.invalid"])
  func `a host that does not answer is named`(host: String) async throws {
    let port = try LoopbackListener().port
    await #expect {
      _ = try await TCPRelay.connect(to: host, port: port)
    } throws: {
      "\($0)".contains(host)
    }
  }
}
