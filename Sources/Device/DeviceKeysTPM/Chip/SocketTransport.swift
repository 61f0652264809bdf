internal import CTSS2
internal import DeviceKeys
internal import Foundation

/// The connection to swtpm, a TPM in software. It replaces the `swtpm` module of tpm2-tss.
///
/// That module can block a program for ever: swtpm serves one client at a time, and the module waits for it without a limit. Also,
/// processes that are started while its connection is open inherit the connection, so that swtpm never sees its end.
final class SocketTransport {
  /// The longest answer, including its header of ten bytes (TPM 2.0 Library, Part 2 §10.2; swtpm's buffer).
  private static let maximumAnswer = 4096
  private static let headerBytes = 10

  /// Whether the chip did not answer in time. Every command then fails at once.
  private(set) var isSilent = false

  private let limit: Duration
  private var socket: Int32
  private var answer: [UInt8] = []
  private var context: UnsafeMutablePointer<Context>?

  /// The address of swtpm, from tpm2-tss's `swtpm:host=127.0.0.1,port=2321`.
  struct Address: Equatable {
    var host = "127.0.0.1"
    var port: UInt16 = 2321

    /// `nil` when the address is for another module, or has settings that only tpm2-tss understands.
    init?(tcti: String) {
      guard tcti == "swtpm" || tcti.hasPrefix("swtpm:") else { return nil }
      for setting in tcti.dropFirst("swtpm:".count).split(separator: ",") {
        let parts = setting.split(separator: "=", maxSplits: 1)
        switch (parts.first, parts.count) {
        case ("host", 2): host = parts[1] == "localhost" ? "127.0.0.1" : String(parts[1])
        case ("port", 2):
          guard let number = UInt16(parts[1]) else { return nil }
          port = number
        default: return nil
        }
      }
      var address = in_addr()
      guard inet_pton(AF_INET, host, &address) == 1 else { return nil }
    }
  }

  /// - Parameter limit: How long the chip may take to accept the connection, and for each answer.
  /// - Throws: ``TPMFailure`` when nobody listens at the address.
  init(_ address: Address, limit: Duration) throws {
    self.limit = limit
    socket = Foundation.socket(AF_INET, Self.streamThatIsNotInherited, 0)
    do {
      guard socket >= 0, try connect(to: address) else { throw refusal() }
    } catch {
      closeSocket()
      throw error
    }
  }

  deinit {
    closeSocket()
    context?.deallocate()
  }

  /// The context that tpm2-tss talks through; valid as long as this object.
  var tcti: OpaquePointer {
    if let context { return OpaquePointer(context) }
    let new = UnsafeMutablePointer<Context>.allocate(capacity: 1)
    new.initialize(to: Context(transport: Unmanaged.passUnretained(self)))
    context = new
    return OpaquePointer(new)
  }

  /// The error when nobody listens, or when the listener accepts no connection in time.
  private func refusal() -> any Error {
    isSilent
      ? DeviceKeyError.busy("no connection was accepted within \(limit)")
      : TPMFailure(command: TPMConnection.connecting, code: ResultCode.noConnection)
  }

  private static var streamThatIsNotInherited: Int32 {
    #if canImport(Glibc)
      Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    #else
      SOCK_STREAM
    #endif
  }

  private func connect(to address: Address) throws -> Bool {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = address.port.bigEndian
    guard inet_pton(AF_INET, address.host, &name.sin_addr) == 1 else { return false }
    let result = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result == 0 { return true }
    guard errno == EINPROGRESS else { return false }
    guard isReady(for: Int16(POLLOUT), until: .now + limit) else {
      isSilent = true
      return false
    }
    var reason: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(socket, SOL_SOCKET, SO_ERROR, &reason, &size) == 0 && reason == 0
  }

  private func closeSocket() {
    if socket >= 0 { close(socket) }
    socket = -1
  }

  /// Waits for the socket, no longer than `deadline`.
  private func isReady(for events: Int16, until deadline: ContinuousClock.Instant) -> Bool {
    while true {
      let left = deadline - .now
      guard left > .zero else { return false }
      var descriptor = pollfd(fd: socket, events: events, revents: 0)
      let count = poll(&descriptor, 1, Int32(clamping: Int(left / .milliseconds(1)) + 1))
      if count > 0 { return true }
      if count < 0, errno != EINTR { return false }
    }
  }
}

/// The interface of a transport for tpm2-tss (TCG TSS 2.0 TCTI Specification §3.2).
extension SocketTransport {
  private enum ResultCode {
    private static let layer: TSS2_RC = 10 << 16
    static let badReference = layer | 5
    static let notImplemented = layer | 2
    static let ioError = layer | 10
    static let insufficientBuffer = layer | 6
    static let noConnection = layer | 8
  }

  /// The functions at the address where C looks for them, and the transport that they belong to.
  private struct Context {
    // First, because C uses the address of the structure as the functions' address.
    var functions = TSS2_TCTI_CONTEXT_COMMON_V1()
    let transport: Unmanaged<SocketTransport>

    init(transport: Unmanaged<SocketTransport>) {
      self.transport = transport
      functions.version = 1
      functions.transmit = { context, size, bytes in
        guard let transport = Context.transport(context), let bytes else { return ResultCode.badReference }
        return transport.send(UnsafeRawBufferPointer(start: bytes, count: size))
      }
      functions.receive = { context, size, buffer, _ in
        guard let transport = Context.transport(context), let size else { return ResultCode.badReference }
        return transport.receive(size, buffer)
      }
      functions.finalize = { _ in }
      functions.cancel = { _ in ResultCode.notImplemented }
      functions.getPollHandles = { _, _, _ in ResultCode.notImplemented }
      functions.setLocality = { _, _ in ResultCode.notImplemented }
    }

    static func transport(_ context: OpaquePointer?) -> SocketTransport? {
      context.map { UnsafePointer<Context>($0).pointee.transport.takeUnretainedValue() }
    }
  }

  private func send(_ command: UnsafeRawBufferPointer) -> TSS2_RC {
    answer = []
    let deadline = ContinuousClock.now + limit
    var sent = 0
    while sent < command.count {
      let rest = UnsafeRawBufferPointer(rebasing: command[sent...])
      let count = Foundation.send(socket, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
      if count > 0 {
        sent += count
      } else if errno == EINTR {
        continue
      } else {
        guard errno == EAGAIN, isReady(for: Int16(POLLOUT), until: deadline) else { return fail() }
      }
    }
    return TSS2_RC(TSS2_RC_SUCCESS)
  }

  /// Copies the answer to `buffer`; without a buffer, only tells its size.
  private func receive(_ size: UnsafeMutablePointer<Int>, _ buffer: UnsafeMutablePointer<UInt8>?) -> TSS2_RC {
    if answer.isEmpty {
      let deadline = ContinuousClock.now + limit
      guard read(Self.headerBytes, until: deadline) else { return fail() }
      let count = answer[2..<6].reduce(0) { $0 << 8 | Int($1) }
      guard (Self.headerBytes...Self.maximumAnswer).contains(count), read(count, until: deadline) else {
        return fail()
      }
    }
    defer { size.pointee = answer.count }
    guard let buffer else { return TSS2_RC(TSS2_RC_SUCCESS) }
    guard size.pointee >= answer.count else { return ResultCode.insufficientBuffer }
    buffer.update(from: answer, count: answer.count)
    return TSS2_RC(TSS2_RC_SUCCESS)
  }

  /// Reads until the answer has `count` bytes.
  private func read(_ count: Int, until deadline: ContinuousClock.Instant) -> Bool {
    var chunk = [UInt8](repeating: 0, count: Self.maximumAnswer)
    while answer.count < count {
      let received = recv(socket, &chunk, count - answer.count, 0)
      if received > 0 {
        answer += chunk[..<received]
      } else if received == 0 {
        return false
      } else if errno == EINTR {
        continue
      } else {
        guard errno == EAGAIN else { return false }
        guard isReady(for: Int16(POLLIN), until: deadline) else {
          isSilent = true
          return false
        }
      }
    }
    return true
  }

  private func fail() -> TSS2_RC {
    answer = []
    closeSocket()
    return ResultCode.ioError
  }
}
