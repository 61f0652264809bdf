#if !canImport(AuthenticationServices)
  internal import Concurrency
  internal import Foundation
  internal import PingLogger
  internal import PingNetwork

  /// A port of this machine to which a browser sends the redirect (RFC 8252 §7.3), over HTTP and on one loopback address only.
  ///
  /// Other programs on the machine can reach the port, too, even those of other users. It accepts only the expected redirect of the open
  /// request, from a program of this user, and reveals nothing. The first correct redirect ends it.
  ///
  /// The user is checked because others can read the page's address in the list of processes. With it they could sign in as themselves and
  /// send that redirect: it has the right `state`, and its code is for this program's PKCE challenge and nonce.
  package final class LoopbackRedirect: Sendable {
    /// The address to use as `redirect_uri`, with the port.
    package let address: String

    private let authority: String
    private let descriptor: Int32
    private let isOwn: @Sendable (Int32) -> Bool

    /// Whether redirects to `address` can be received: `http` to 127.0.0.1 or `[::1]`. Not `localhost`, which can be another machine
    /// (RFC 8252 §8.3).
    package static func isLoopback(_ address: String) -> Bool { Parts(address) != nil }

    /// Whether `address` leaves the port to the program.
    package static func leavesPortOpen(_ address: String) -> Bool { Parts(address)?.port == 0 }

    /// Listens on the port of `address`, or on a free one when it has none.
    ///
    /// - Parameter isOwn: Whether a connection is from a program of this user.
    /// - Throws: `POSIXError` when the port is taken; `EINVAL` for another address.
    package init(
      _ address: String, isOwn: @escaping @Sendable (Int32) -> Bool = LoopbackRedirect.isOfThisUser
    ) throws {
      guard let parts = Parts(address) else { throw POSIXError(.EINVAL) }
      let (descriptor, port) = try parts.listen()
      self.descriptor = descriptor
      self.isOwn = isOwn
      authority = "\(parts.host):\(port)"
      self.address = "http://\(authority)\(parts.path)"
    }

    deinit { Foundation.close(descriptor) }

    /// Whether the connection is from a program of this user or root. A program of root takes any, because root has no browser.
    package static let isOfThisUser: @Sendable (Int32) -> Bool = { connection in
      geteuid() == 0 || LoopbackListeners.machine.trustsOtherEnd(of: connection)
    }

    /// The listener that the caller opened to learn the port before it made the request.
    @TaskLocal package static var reserved: LoopbackRedirect?

    /// Returns the reserved listener when it is for `address`, otherwise a new one.
    static func at(_ address: String) throws -> LoopbackRedirect {
      if let reserved, reserved.address == address { return reserved }
      return try LoopbackRedirect(address)
    }

    /// Serves requests on a thread of its own, until one is the redirect or ``stop()`` is called.
    func serve(_ expected: ExpectedRedirect, answer: @escaping @Sendable (URL) -> Void) {
      Thread.detachNewThread { [self] in run(expected, answer) }
    }

    /// Refuses new connections, and ends ``serve(_:answer:)``.
    func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// The most open connections. A browser opens connections in advance, and none of them may keep the others waiting.
    private static let mostConnections = 16

    private func run(_ expected: ExpectedRedirect, _ answer: (URL) -> Void) {
      var connections: [LoopbackConnection] = []
      while true {
        var polled = ([descriptor] + connections.map(\.descriptor))
          .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&polled, nfds_t(polled.count), -1) >= 0 else {
          if errno == EINTR { continue }
          return
        }
        for index in connections.indices.reversed() where polled[index + 1].revents != 0 {
          switch connections[index].read() {
          case .unfinished: continue
          case .ended: break
          case .request(let head):
            var redirect = head.redirect(to: authority).flatMap { expected.isMet(by: $0) ? $0 : nil }
            if redirect != nil, !isOwn(connections[index].descriptor) {
              LogManager.logger.w("A redirect from a program of another user was refused.", error: nil)
              redirect = nil
            }
            connections[index].send(redirect == nil ? .refusal : .thanks)
            guard let redirect else { break }
            stop()
            return answer(redirect)
          }
          connections.remove(at: index)
        }
        guard polled[0].revents != 0 else { continue }
        let next = Foundation.accept(descriptor, nil, nil)
        guard next >= 0 else {
          if errno == EINTR || errno == ECONNABORTED { continue }
          return
        }
        _ = fcntl(next, F_SETFD, FD_CLOEXEC)
        if connections.count == Self.mostConnections { connections.removeFirst() }
        connections.append(LoopbackConnection(next))
      }
    }

    /// The parts of a loopback address.
    private struct Parts {
      private static let hosts = ["127.0.0.1", "[::1]"]
      /// The host as addresses write it.
      let host: String
      /// The port; 0 when the address has none.
      var port: UInt16
      var path: String

      init?(_ address: String) {
        guard let components = URLComponents(string: address), components.scheme == "http",
          components.user == nil, components.password == nil, components.query == nil,
          components.fragment == nil,
          let host = Self.hosts.first(where: { address.hasPrefix("http://\($0)") }),
          let port = UInt16(exactly: components.port ?? 0)
        else { return nil }
        let rest = address.dropFirst("http://".count + host.count)
        guard rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix(":") else { return nil }
        self.host = host
        self.port = port
        path = components.percentEncodedPath.isEmpty ? "/" : components.percentEncodedPath
      }

      func listen() throws -> (descriptor: Int32, port: UInt16) {
        if host == Self.hosts[0] {
          var address = sockaddr_in()
          address.sin_family = sa_family_t(AF_INET)
          address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
          address.sin_port = port.bigEndian
          let descriptor = try Self.listen(AF_INET, &address)
          return (descriptor, UInt16(bigEndian: address.sin_port))
        }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        address.sin6_port = port.bigEndian
        let descriptor = try Self.listen(AF_INET6, &address)
        return (descriptor, UInt16(bigEndian: address.sin6_port))
      }

      /// - Parameter address: receives the address on which the socket listens.
      private static func listen<Address>(_ family: Int32, _ address: inout Address) throws -> Int32 {
        // The browser is started while the socket is open, and must not inherit it.
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { throw lastError }
        // Permits the port of a sign-in that has just ended, but not one on which somebody listens.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var size = socklen_t(MemoryLayout<Address>.size)
        let isListening = withUnsafeMutableBytes(of: &address) { bytes in
          let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
          return bind(descriptor, pointer, size) == 0 && Foundation.listen(descriptor, 16) == 0
            && getsockname(descriptor, pointer, &size) == 0
        }
        guard isListening else {
          defer { Foundation.close(descriptor) }
          throw lastError
        }
        return descriptor
      }

      private static var lastError: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
  }
#endif
