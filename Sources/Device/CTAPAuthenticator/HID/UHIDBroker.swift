#if os(Linux)
  internal import CTAP
  internal import Foundation

  /// Lets a user's program be a security key without giving it `/dev/uhid`, with which it could make a keyboard that types into every session.
  ///
  /// The broker makes the one device itself. From the program it takes reports of a security key's size and answers to the kernel's
  /// questions; everything else, another device before all, is dropped.
  package struct UHIDBroker: Sendable {
    private let program: Int32
    private let kernel: Int32

    /// - Parameters:
    ///   - program: A socket of whole messages.
    ///   - kernel: The descriptor of `/dev/uhid`, with no device yet.
    package init(program: Int32, kernel: Int32) { (self.program, self.kernel) = (program, kernel) }

    /// Whether `descriptor` is a socket of whole messages.
    package static func isSocket(_ descriptor: Int32) -> Bool {
      var (kind, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
      return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &length) == 0
        && kind == Int32(SOCK_SEQPACKET.rawValue)
    }

    /// Makes the device and relays until one side ends; then the device is taken away. Blocks its thread.
    ///
    /// - Throws: ``VirtualSecurityKey/Failure`` when the device cannot be made.
    package func run() throws {
      guard VirtualSecurityKey.write(.create(VirtualSecurityKey.description), to: kernel) else {
        throw VirtualSecurityKey.failure("The device cannot be created")
      }
      defer { _ = VirtualSecurityKey.write(.destroy, to: kernel) }
      var buffer = [UInt8](repeating: 0, count: UHIDEvent.maximumBytes)
      while true {
        var waiting = [program, kernel].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        if poll(&waiting, 2, -1) < 0 {
          if errno == EINTR { continue }
          return
        }
        for (source, isProgram) in zip(waiting, [true, false]) where source.revents != 0 {
          let count = buffer.withUnsafeMutableBytes { read(source.fd, $0.baseAddress, $0.count) }
          if count < 0, errno == EINTR || errno == EAGAIN { continue }
          guard count > 0 else { return }
          guard let event = try? UHIDEvent(parsing: buffer[..<count]) else { continue }
          guard isProgram else {
            _ = VirtualSecurityKey.write(event, to: program)
            continue
          }
          if case .destroy = event { return }
          if Self.isAllowed(event) { _ = VirtualSecurityKey.write(event, to: kernel) }
        }
      }
    }

    static func isAllowed(_ event: UHIDEvent) -> Bool {
      switch event {
      case .input(let report): report.count == CTAPHIDPacket.byteCount
      case .getReportReply(_, _, let data): data.isEmpty
      case .setReportReply: true
      default: false
      }
    }
  }
#endif
