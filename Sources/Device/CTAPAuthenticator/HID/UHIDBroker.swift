#if os(Linux)
  internal import CTAP
  internal import Foundation
  internal import PrivateFiles

  /// Lets a user's program be a security key without giving it `/dev/uhid`, with which it could make a keyboard that types into every session.
  ///
  /// The broker makes the device itself. It accepts from the program only reports of a security key's size and answers to the kernel's
  /// questions. It drops everything else, above all requests for another device.
  ///
  /// It serves only the user at the machine's seat, whose programs can open the device. Otherwise another user could put their own security
  /// key in front of that person's browser, and would get the passkeys made there and the PIN typed there.
  package struct UHIDBroker: Sendable {
    /// How often the seat is checked while nothing happens. Milliseconds.
    private static let interval: Int32 = 1000

    private let program: Int32
    private let seat: LocalSeat
    private let user: UInt32

    /// - Parameter program: A connected socket that keeps messages whole.
    /// - Throws: ``VirtualSecurityKey/Failure`` when the program's user is not at the seat.
    package init(program: Int32, seat: LocalSeat = LocalSeat()) throws {
      guard let user = MessageSocket.peer(of: program) else {
        throw VirtualSecurityKey.failure("The kernel does not say whose program this is")
      }
      guard seat.user == user else { throw Self.absence(of: user) }
      (self.program, self.seat, self.user) = (program, seat, user)
    }

    private static func absence(of user: UInt32) -> VirtualSecurityKey.Failure {
      VirtualSecurityKey.Failure(
        errorDescription:
          "\(name(of: user)) is not the user of the active session at this machine's screen (seat0 of systemd-logind)."
          + " Only that user gets a security key; another user's would answer for that person.")
    }

    /// The user's name, or the number when there is no name.
    private static func name(of user: UInt32) -> String {
      var (entry, buffer) = (passwd(), [CChar](repeating: 0, count: 16 << 10))
      var found: UnsafeMutablePointer<passwd>?
      guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil,
        let name = entry.pw_name
      else { return "user \(user)" }
      return String(cString: name)
    }

    /// The device as the kernel shows it, with the name of its user.
    var description: UHIDDeviceDescription {
      var description = VirtualSecurityKey.description
      description.name += " of \(Self.name(of: user))"
      return description
    }

    /// Whether `descriptor` is a socket that keeps messages whole.
    package static func isSocket(_ descriptor: Int32) -> Bool {
      var (kind, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
      return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &length) == 0
        && kind == Int32(SOCK_SEQPACKET.rawValue)
    }

    /// Makes the device and relays until one side ends, then removes the device. Blocks its thread.
    ///
    /// - Parameter kernel: The descriptor of `/dev/uhid`, with no device yet.
    /// - Throws: ``VirtualSecurityKey/Failure`` when the device cannot be made, and when the user has left the seat.
    package func run(kernel: Int32) throws {
      guard VirtualSecurityKey.write(.create(description), to: kernel) else {
        throw VirtualSecurityKey.failure("The device cannot be created")
      }
      defer { _ = VirtualSecurityKey.write(.destroy, to: kernel) }
      var buffer = [UInt8](repeating: 0, count: UHIDEvent.maximumBytes)
      while true {
        var waiting = [program, kernel].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        if poll(&waiting, 2, Self.interval) < 0 {
          if errno == EINTR { continue }
          return
        }
        // Checked before each report, because the device belongs to the user who is at the seat now.
        guard seat.user == user else { throw Self.absence(of: user) }
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
