#if os(Linux)
  internal import Concurrency
  internal import Glibc

  /// The reports of a security key, to and from a file such as `/dev/hidraw3`: I/O functions for libfido2.
  ///
  /// libfido2's own functions would do for keys that behave. These end when the task is cancelled, tell when the key waits for a touch and
  /// when it is gone, and read from whatever acts as a key in a test.
  final class KeyReports: Sendable {
    /// The size of every security key's reports in bytes (CTAP 2.1 §11.2.4).
    private static let byteCount = 64
    /// How often reading checks whether to end. Milliseconds.
    private static let interval: Int32 = 100
    /// How long a key may take to say that it has given up.
    private static let patience = Duration.seconds(1)

    private static let keepalive: UInt8 = 0x80 | 0x3B
    private static let cancel: UInt8 = 0x80 | 0x11
    /// The status of a keepalive while a person has to do something (§11.2.9.1.7).
    private static let presenceNeeded: UInt8 = 2

    private struct State {
      /// The channel of the last packet that was written: its first four bytes.
      var channel = [UInt8](repeating: 0xFF, count: 4)
      /// The time after which nothing is read.
      var end: ContinuousClock.Instant?
      var isGone = false
      var isTouchTold = false
    }

    private let descriptor: Int32
    private let state = Locked(State())
    private let touch: @Sendable () -> Void

    /// - Parameters:
    ///   - descriptor: Open for reading and writing; closed with the object.
    ///   - touch: Called when the key waits for a person, once for each ``begin()``; on a thread of libfido2's caller.
    init(descriptor: Int32, touch: @escaping @Sendable () -> Void) {
      (self.descriptor, self.touch) = (descriptor, touch)
    }

    deinit { Self.closeFile(descriptor) }

    /// Whether the key was pulled out.
    var isGone: Bool { state.withLock { $0.isGone } }

    /// Prepares for another request.
    func begin() { state.withLock { $0.isTouchTold = false } }

    /// Tells the key to cancel its request, and ends reading soon, whatever the key answers.
    func end() {
      let channel = state.withLock { state in
        state.end = ContinuousClock.now + Self.patience
        return state.channel
      }
      _ = send(channel + [Self.cancel, 0, 0])
    }

    private func send(_ packet: [UInt8]) -> Bool {
      // hidraw expects the report's number first; these reports have none, which is 0.
      let report = [0] + packet.prefix(Self.byteCount)
      let whole = report + [UInt8](repeating: 0, count: Self.byteCount + 1 - report.count)
      while true {
        let count = Self.writeFile(descriptor, whole)
        if count < 0, errno == EINTR { continue }
        if count == whole.count { return true }
        state.withLock { $0.isGone = true }
        return false
      }
    }

    /// Returns what libfido2 expects: the number of bytes read, or -1.
    private func receive(_ buffer: UnsafeMutablePointer<UInt8>, _ size: Int, _ milliseconds: Int32) -> Int32 {
      let limit = milliseconds < 0 ? nil : ContinuousClock.now + .milliseconds(Int(milliseconds))
      guard size >= Self.byteCount else { return -1 }
      while true {
        let now = ContinuousClock.now
        if let end = state.withLock({ $0.end }), now >= end { return -1 }
        if let limit, now >= limit { return -1 }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = poll(&waiting, 1, Self.interval)
        if ready == 0 || (ready < 0 && errno == EINTR) { continue }
        let count = ready > 0 ? read(descriptor, buffer, Self.byteCount) : -1
        if count < 0, errno == EINTR || errno == EAGAIN { continue }
        guard count > 0 else {
          state.withLock { $0.isGone = true }
          return -1
        }
        // A report of another length is not a security key's.
        guard count == Self.byteCount else { continue }
        tell(UnsafeBufferPointer(start: buffer, count: Self.byteCount))
        return Int32(count)
      }
    }

    private func tell(_ report: UnsafeBufferPointer<UInt8>) {
      guard report[4] == Self.keepalive, report[7] == Self.presenceNeeded else { return }
      let channel = Array(report[..<4])
      let isNew = state.withLock { state in
        guard !state.isTouchTold, state.channel == channel else { return false }
        state.isTouchTold = true
        return true
      }
      if isNew { touch() }
    }

    private func transmit(_ bytes: UnsafePointer<UInt8>, _ size: Int) -> Int32 {
      // libfido2 puts the report's number first.
      let packet = Array(UnsafeBufferPointer(start: bytes, count: size).dropFirst())
      guard packet.count >= 4 else { return -1 }
      state.withLock { $0.channel = Array(packet.prefix(4)) }
      return send(packet) ? Int32(size) : -1
    }

    private static func closeFile(_ descriptor: Int32) { close(descriptor) }

    private static func writeFile(_ descriptor: Int32, _ bytes: [UInt8]) -> Int {
      // A socket, as in tests, must not end the program when its other end is closed.
      let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      return count < 0 && errno == ENOTSOCK ? write(descriptor, bytes, bytes.count) : count
    }
  }

  extension KeyReports {
    /// `fido_dev_io_t`.
    struct Functions {
      let open: @convention(c) (UnsafePointer<CChar>?) -> UnsafeMutableRawPointer?
      let close: @convention(c) (UnsafeMutableRawPointer?) -> Void
      let read: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?, Int, Int32) -> Int32
      let write: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int) -> Int32
    }

    /// The path for libfido2, which passes only a path to `open`: this object's address, which is also the handle. The object is kept while
    /// the device is open.
    var path: String { String(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())) }

    static let functions = Functions(
      open: { path in
        path.flatMap { UInt(String(cString: $0)) }.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
      },
      close: { _ in },
      read: { handle, buffer, size, milliseconds in
        guard let handle, let buffer else { return -1 }
        return Unmanaged<KeyReports>.fromOpaque(handle).takeUnretainedValue().receive(
          buffer, size, milliseconds)
      },
      write: { handle, bytes, size in
        guard let handle, let bytes else { return -1 }
        return Unmanaged<KeyReports>.fromOpaque(handle).takeUnretainedValue().transmit(bytes, size)
      })
  }
#endif
