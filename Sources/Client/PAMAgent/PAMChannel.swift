#if os(Linux)
  package import Agent
  internal import Bytes
  internal import Concurrency
  internal import Foundation

  /// A connection of the PAM module. Lines have limits of length and time.
  package struct PAMChannel: Sendable {
    private static let longestLine = 2048
    let descriptor: Int32
    /// The program at the other end.
    package let caller: Caller

    /// `nil` when `descriptor` is not a connected Unix socket.
    package init?(_ descriptor: Int32) {
      guard let caller = Caller(connection: descriptor) else { return nil }
      (self.descriptor, self.caller) = (descriptor, caller)
    }

    /// The challenge with its final empty line; `nil` when it does not arrive within ten seconds, or is too long.
    func challenge() async -> [UInt8]? {
      await read(limit: PAMRequest.maximumBytes, within: 10) { $0.suffix(2) == [10, 10] }
    }

    /// A line without its end; `nil` at the end of the connection.
    func line(within seconds: TimeInterval) async -> [UInt8]? {
      await read(limit: Self.longestLine, within: seconds) { $0.last == 10 }.map { $0.dropLast() }
    }

    /// Reads until the bytes are `isWhole`, on a thread of its own, because tasks' threads must not block.
    private func read(
      limit: Int, within seconds: TimeInterval, _ isWhole: @escaping @Sendable ([UInt8]) -> Bool
    ) async -> [UInt8]? {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          continuation.resume(returning: reading(limit: limit, within: seconds, isWhole))
        }
      }
    }

    /// Reads byte by byte until the bytes are `isWhole`.
    private func reading(limit: Int, within seconds: TimeInterval, _ isWhole: ([UInt8]) -> Bool) -> [UInt8]? {
      let end = Date(timeIntervalSinceNow: seconds)
      var bytes: [UInt8] = []
      while bytes.count < limit {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = poll(&waiting, 1, Int32(max(0, end.timeIntervalSinceNow) * 1000))
        if ready < 0, errno == EINTR { continue }
        var byte: UInt8 = 0
        guard ready > 0, recv(descriptor, &byte, 1, 0) == 1 else { return nil }
        bytes.append(byte)
        if byte == 10, isWhole(bytes) { return bytes }
      }
      return nil
    }

    /// Returns a secret that the person is asked for by `question`, visible ASCII; `nil` when none is entered.
    func secret(asking question: String, within seconds: TimeInterval) async -> [UInt8]? {
      send(question)
      guard let line = await line(within: seconds), line.starts(with: Array("pin ".utf8)),
        let bytes = PercentEncoding.bytes(String(decoding: line.dropFirst(4), as: UTF8.self)), !bytes.isEmpty
      else { return nil }
      return bytes
    }

    /// Sends a line. A failure is ignored: a module that has gone reads nothing.
    func send(_ line: String) { _ = AgentConnection.send(Array((line + "\n").utf8), to: descriptor) }

    /// Waits until the module goes away or until `isDone`, and returns whether it went away.
    func isClosed(before isDone: () -> Bool) -> Bool {
      while !isDone() {
        // POLLRDHUP, which Glibc's module leaves out: the other end was closed.
        var waiting = pollfd(fd: descriptor, events: 0x2000, revents: 0)
        if poll(&waiting, 1, 200) > 0 { return !isDone() }
      }
      return false
    }

    /// Runs `body`, and cancels it when the module goes away.
    func whileOpen<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws
      -> Value
    {
      let task = Task { try await body() }
      let isDone = Locked(false)
      Thread.detachNewThread { if isClosed(before: { isDone.withLock { $0 } }) { task.cancel() } }
      defer { isDone.withLock { $0 = true } }
      return try await task.value
    }

    /// The waiting challenge, without removing it: the next read gets all of it. `nil` when none arrives within ten seconds.
    package func peek() -> PAMRequest? {
      var buffer = [UInt8](repeating: 0, count: PAMRequest.maximumBytes)
      for _ in 0..<100 {
        let count = buffer.withUnsafeMutableBytes {
          recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        }
        if count > 0, let request = try? PAMRequest(parsing: Array(buffer[..<count])) { return request }
        guard count > 0 || (count < 0 && [EAGAIN, EINTR].contains(errno)) else { return nil }
        poll(nil, 0, 100)
      }
      return nil
    }
  }
#endif
