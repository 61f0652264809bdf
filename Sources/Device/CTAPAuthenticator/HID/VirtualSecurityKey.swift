#if os(Linux)
  internal import Concurrency
  package import CTAP
  internal import Foundation

  /// A security key that the kernel makes through a descriptor of `/dev/uhid`, or that something acting as the kernel makes behind a
  /// socket.
  package struct VirtualSecurityKey: Sendable {
    /// Why the security key ended or could not be made.
    package struct Failure: LocalizedError, Hashable {
      package let errorDescription: String?
    }

    /// A vendor and product of the test range of pid.codes, which no hardware maker uses.
    package static let description = UHIDDeviceDescription.securityKey(
      name: "Sealring Virtual Security Key", vendor: 0x1209, product: 0x0001)

    /// How many events wait while another one is handled; further ones are lost, as the kernel loses them.
    private static let queue = 256

    private let descriptor: Int32
    private let authenticator: CTAPAuthenticator

    /// - Parameter descriptor: Open for reading and writing; closed by ``run(started:)``.
    package init(descriptor: Int32, _ authenticator: CTAPAuthenticator) {
      (self.descriptor, self.authenticator) = (descriptor, authenticator)
    }

    /// Creates the device and serves its clients, until it is taken away or the task is cancelled.
    ///
    /// - Parameter started: Called when the kernel has the device.
    /// - Throws: ``Failure`` when it cannot be created.
    package func run(started: @escaping @Sendable () -> Void = {}, wink: @escaping @Sendable () -> Void = {})
      async throws
    {
      defer { close(descriptor) }
      guard Self.write(.create(Self.description), to: descriptor) else {
        throw Failure(errorDescription: "The device cannot be created: \(String(cString: strerror(errno))).")
      }
      let descriptor = descriptor
      let session = CTAPHIDSession(authenticator, clock: ContinuousClock(), wink: wink) { report in
        _ = Self.write(.input(report), to: descriptor)
      }
      for await event in Self.events(of: descriptor) {
        switch event {
        case .start: started()
        // hidraw puts the report's number first; these reports have none, which is 0.
        case .output(_, let data): await session.receive(data.count == 65 ? Array(data.dropFirst()) : data)
        case .close: await session.close()
        case .getReport(let id, _, _):
          _ = Self.write(.getReportReply(id: id, error: UHIDEvent.inputOutputError, data: []), to: descriptor)
        case .setReport(let id, _, _, _):
          _ = Self.write(.setReportReply(id: id, error: UHIDEvent.inputOutputError), to: descriptor)
        default: break
        }
      }
      await session.close()
      _ = Self.write(.destroy, to: descriptor)
    }

    /// The kernel's events, read on a thread of their own, until there are no more. What is not an event is dropped.
    private static func events(of descriptor: Int32) -> AsyncStream<UHIDEvent> {
      let (stream, events) = AsyncStream.makeStream(
        of: UHIDEvent.self, bufferingPolicy: .bufferingOldest(queue))
      let isWanted = Locked(true)
      events.onTermination = { _ in isWanted.withLock { $0 = false } }
      // A duplicate, so that the number does not become another file's before the thread has ended.
      let descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
      Thread.detachNewThread {
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: UHIDEvent.maximumBytes)
        while isWanted.withLock({ $0 }) {
          var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
          let ready = poll(&waiting, 1, 200)
          if ready == 0 || (ready < 0 && errno == EINTR) { continue }
          guard ready > 0, waiting.revents & Int16(POLLNVAL) == 0 else { break }
          let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
          if count < 0, errno == EINTR || errno == EAGAIN { continue }
          guard count > 0 else { break }
          guard let event = try? UHIDEvent(parsing: buffer[..<count]) else { continue }
          if case .stop = event { break }
          events.yield(event)
        }
        events.finish()
      }
      return stream
    }

    /// Writes one event, whole or not at all. A client that does not read loses reports, as with any device, and nobody waits for it.
    static func write(_ event: UHIDEvent, to descriptor: Int32) -> Bool {
      let bytes = event.bytes
      while true {
        var count = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        if count < 0, errno == ENOTSOCK { count = Glibc.write(descriptor, bytes, bytes.count) }
        if count < 0, errno == EINTR { continue }
        return count == bytes.count
      }
    }
  }
#endif
