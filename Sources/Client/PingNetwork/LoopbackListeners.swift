internal import Bytes
internal import Concurrency
internal import Foundation
internal import WebAddresses

/// Finds the users whose programs listen on this machine, or have connected. Only Linux tells, in `/proc/net/tcp` and `tcp6`.
///
/// While a server is down, any user of the machine can listen on its port, and would receive passwords and sessions. The check runs
/// before the connection: it stops a program that already listens, but not one that takes the port in between.
package struct LoopbackListeners: Sendable {
  /// One row of the tables.
  struct Listener: Equatable {
    let address: IPAddress
    let user: UInt32
  }

  /// A user who is not trusted.
  struct Stranger: Equatable {
    /// The user's number; `nil` when there are too many listeners to find out.
    let user: UInt32?
  }

  /// The result of a check.
  private enum Finding {
    case listeners([Listener])
    /// There are too many to look through.
    case tooMany
    /// The system does not tell.
    case unknown
  }

  /// Reads one of the tables, and returns whether it could be read. `more` receives each piece and returns whether to continue.
  typealias Read = @Sendable (_ table: String, _ more: ([UInt8]) -> Bool) -> Bool

  private let read: Read
  private let isTrusted: @Sendable (UInt32) -> Bool
  private let now: @Sendable () -> ContinuousClock.Instant
  /// When the listeners of each origin were last found to be trusted.
  private let known = Locked<[String: ContinuousClock.Instant]>([:])

  /// How long a listener stays trusted, so that a journey of several steps checks once.
  private static let validity = Duration.seconds(1)

  private static let tables = ["tcp", "tcp6"]

  /// The most that is read of a table to find a listener, in bytes. A row takes 150.
  static let limit = 1 << 20

  /// The most that is read to find a connection, of which there are more.
  private static let connectionLimit = 16 << 20

  /// The listeners of this machine.
  package static let machine = LoopbackListeners(
    read: readTable, isTrusted: isTrustedUser, now: { ContinuousClock.now })

  init(
    read: @escaping Read, isTrusted: @escaping @Sendable (UInt32) -> Bool,
    now: @escaping @Sendable () -> ContinuousClock.Instant
  ) {
    (self.read, self.isTrusted, self.now) = (read, isTrusted, now)
  }

  /// Returns the user whose program would answer at `origin` on this machine. Trusted are this process's user, root and `sealring`.
  ///
  /// - Returns: `nil` when no untrusted user listens there, or when the system does not tell.
  func stranger(at origin: WebOrigin) -> Stranger? {
    #if os(Linux)
      guard origin.isLoopback else { return nil }
      let (name, time) = (origin.description, now())
      if let last = known.withLock({ $0[name] }), time - last < Self.validity { return nil }
      switch look(port: origin.port) {
      case .unknown: return nil
      case .tooMany: return Stranger(user: nil)
      case .listeners(let listeners):
        let answering = Self.answering(origin.host, of: listeners)
        if let stranger = answering.first(where: { !isTrusted($0.user) }) {
          return Stranger(user: stranger.user)
        }
        // Nothing is remembered when nobody listens, because anybody could listen the next moment.
        guard !answering.isEmpty else { return nil }
        known.withLock { known in
          // Only tests talk to so many ports of this machine.
          if known.count >= 64 { known = [:] }
          known[name] = time
        }
        return nil
      }
    #else
      return nil
    #endif
  }

  /// The subset of `listeners` to which the kernel may give a connection to `host`: the one at that address, else those at all addresses.
  static func answering(_ host: String, of listeners: [Listener]) -> [Listener] {
    let addresses = host == "localhost" ? ["127.0.0.1", "::1"] : [host.trimmingCharacters(in: ["[", "]"])]
    return addresses.compactMap { IPAddress($0) }.flatMap { address in
      // A listener at all IPv6 addresses also accepts IPv4 connections.
      let places = [address] + (address.isIPv4 ? [Self.allIPv4] : []) + [Self.allIPv6]
      return places.lazy.map { place in listeners.filter { $0.address == place } }.first { !$0.isEmpty } ?? []
    }
  }

  private static let allIPv4 = IPAddress(ipv4: 0)
  private static let allIPv6 = IPAddress(high: 0, low: 0)

  private func look(port: UInt16) -> Finding {
    var found: [Listener] = []
    var isThere = false
    for table in Self.tables {
      let reading = rows(of: table, limit: Self.limit) { row in
        if row.isListening, row.local.port == port {
          found.append(Listener(address: row.local.address, user: row.user))
        }
        return row.isListening  // The listeners are the first rows of a table.
      }
      if reading == .cut { return .tooMany }
      isThere = isThere || reading == .done
    }
    return isThere ? .listeners(found) : .unknown
  }

  /// Whether a trusted user's program has the other end of `descriptor`, a connection on this machine. `false` for an end that is closed,
  /// because the system no longer tells whose it was.
  ///
  /// - Returns: `true` where the system does not tell whose connections are.
  package func trustsOtherEnd(of descriptor: Int32) -> Bool {
    #if os(Linux)
      guard let client = End(of: descriptor, by: getpeername), let own = End(of: descriptor, by: getsockname)
      else { return false }
      return trusts(client, connectedTo: own)
    #else
      return true
    #endif
  }

  func trusts(_ client: End, connectedTo own: End) -> Bool {
    var isTold = false
    for table in Self.tables {
      var user: UInt32?
      let reading = rows(of: table, limit: Self.connectionLimit) { row in
        guard row.isEstablished, row.local == client, row.remote == own else { return true }
        user = row.user
        return false
      }
      if let user { return isTrusted(user) }
      isTold = isTold || reading != .unreadable
    }
    return !isTold
  }

  private enum Reading {
    case done
    /// The table goes on after the limit.
    case cut
    case unreadable
  }

  /// Reads the rows of a table until `more` returns `false`.
  private func rows(of table: String, limit: Int, _ more: (Row) -> Bool) -> Reading {
    var (rest, size, isAtEnd): ([UInt8], Int, Bool) = ([], 0, false)
    let isRead = read(table) { piece in
      size += piece.count
      rest += piece
      while !isAtEnd, let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        if let row = Row(rest[..<end]) { isAtEnd = !more(row) }
        rest.removeSubrange(...end)
      }
      return !isAtEnd && size < limit
    }
    if size >= limit, !isAtEnd { return .cut }
    return isRead ? .done : .unreadable
  }

  /// One end of a connection, or where a listener is.
  struct End: Equatable {
    let address: IPAddress
    let port: UInt16
  }

  /// A row of a table: `0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 …`
  struct Row {
    let local: End
    let remote: End
    let isListening: Bool
    /// Whether both ends are open. Only then does the row have the user: a socket that its program has closed is root's.
    let isEstablished: Bool
    let user: UInt32

    /// `nil` for the heading, and for text that is not such a row.
    init?(_ text: some Sequence<UInt8>) {
      let words = String(decoding: Array(text), as: UTF8.self).split(separator: " ")
      guard words.count > 7, words[0].hasSuffix(":"), let user = UInt32(words[7]),
        let local = Self.end(words[1]), let remote = Self.end(words[2])
      else { return nil }
      (self.local, self.remote, self.user) = (local, remote, user)
      isListening = words[3] == "0A"
      isEstablished = words[3] == "01"
    }

    private static func end(_ text: Substring) -> End? {
      let parts = text.split(separator: ":")
      guard parts.count == 2, let port = UInt16(parts[1], radix: 16), let address = address(parts[0]) else {
        return nil
      }
      return End(address: address, port: port)
    }

    /// Reads words of 32 bits in this machine's byte order, whose bytes in memory are the address.
    private static func address(_ text: Substring) -> IPAddress? {
      guard text.utf8.count == 8 || text.utf8.count == 32 else { return nil }
      var words: [UInt32] = []
      var rest = text
      while !rest.isEmpty {
        guard let word = UInt32(rest.prefix(8), radix: 16) else { return nil }
        words.append(UInt32(bigEndian: word))
        rest = rest.dropFirst(8)
      }
      if words.count == 1 { return IPAddress(ipv4: words[0]) }
      let halves = words.map { UInt64($0) }
      return IPAddress(high: halves[0] << 32 | halves[1], low: halves[2] << 32 | halves[3])
    }
  }

  static let readTable: Read = { table, more in
    let descriptor = open("/proc/net/\(table)", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = buffer.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0, more(Array(buffer[..<count])) else { return count >= 0 }
    }
  }

  private static let isTrustedUser: @Sendable (UInt32) -> Bool = { user in
    user == geteuid() || user == getuid() || user == 0 || user == serviceUser
  }

  /// The user that the Debian package's service runs as; `nil` when there is none.
  private static var serviceUser: UInt32? {
    var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
    var buffer = [CChar](repeating: 0, count: 16 << 10)
    guard getpwnam_r("sealring", &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
    return entry.pw_uid
  }
}

extension LoopbackListeners.End {
  /// The end of `descriptor` that `name`, which is `getpeername` or `getsockname`, tells.
  fileprivate init?(
    of descriptor: Int32,
    by name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let isKnown = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(descriptor, $0, &size) == 0 }
    }
    guard isKnown else { return nil }
    switch Int32(storage.ss_family) {
    case AF_INET:
      let four = withUnsafeBytes(of: storage) { $0.load(as: sockaddr_in.self) }
      self.init(
        address: IPAddress(ipv4: UInt32(bigEndian: four.sin_addr.s_addr)),
        port: UInt16(bigEndian: four.sin_port))
    case AF_INET6:
      let six = withUnsafeBytes(of: storage) { $0.load(as: sockaddr_in6.self) }
      self.init(
        address: withUnsafeBytes(of: six.sin6_addr, IPAddress.init(ipv6:)),
        port: UInt16(bigEndian: six.sin6_port))
    default: return nil
    }
  }
}
