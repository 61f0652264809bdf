#if os(Linux)
  internal import Bytes
  package import Foundation

  /// A connection to an agent's socket, for one question.
  package enum AgentConnection {
    private static let longestAnswer = 1 << 20

    /// How long to wait for the rest of a message, in milliseconds.
    static let messageTime: Int32 = 10_000

    /// Sends a message and returns the answer. Blocks for at most ten seconds.
    ///
    /// - Throws: ``AgentError`` when no agent of this user listens there, or it does not answer.
    package static func ask(_ message: [UInt8], at file: URL) throws -> [UInt8] {
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      defer { close(descriptor) }
      let path = file.path(percentEncoded: false)
      guard descriptor >= 0, AgentSocket.withAddress(of: path, { connect(descriptor, $0, $1) }) == true else {
        throw AgentError("No agent listens at \(path). Start it with `sealring agent`, or name its --socket.")
      }
      guard let peer = Caller(connection: descriptor), peer.user == geteuid() else {
        throw AgentError("Another user's program listens at \(path). Nothing was sent to it.")
      }
      let noAnswer = AgentError("The agent at \(path) does not answer. End it and start it again.")
      guard send(UInt32(message.count).bigEndianBytes + message, to: descriptor),
        let header = receive(4, from: descriptor)
      else { throw noAnswer }
      let length = header.reduce(0) { $0 << 8 | Int($1) }
      guard length <= longestAnswer, let answer = receive(length, from: descriptor) else { throw noAnswer }
      return answer
    }

    /// Receives exactly `count` bytes; `nil` at the end, when they do not arrive in time, and when `watch` says that the other side has
    /// ended.
    ///
    /// - Parameter firstWait: How long to wait for the first bytes, in milliseconds; -1 for no limit.
    static func receive(
      _ count: Int, from connection: Int32, firstWait: Int32 = messageTime, _ watch: CallerWatch? = nil
    ) -> [UInt8]? {
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: min(count, 16 << 10))
      while bytes.count < count {
        var waiting = [connection, watch?.descriptor ?? -1].map {
          pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        let ready = poll(&waiting, 2, bytes.isEmpty ? firstWait : messageTime)
        if ready < 0, errno == EINTR { continue }
        guard ready > 0, waiting[1].revents == 0 else { return nil }
        let wanted = min(count - bytes.count, buffer.count)
        let got = buffer.withUnsafeMutableBytes { recv(connection, $0.baseAddress, wanted, 0) }
        if got < 0, errno == EINTR { continue }
        guard got > 0 else { return nil }
        bytes += buffer[..<got]
      }
      return bytes
    }

    package static func send(_ bytes: [UInt8], to connection: Int32) -> Bool {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
          Foundation.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }
#endif
