internal import CEpoll
internal import Dispatch
internal import Foundation

/// A descriptor of its own that can be read when a socket is ready. libdispatch watches it in the socket's place.
///
/// libpq closes a socket by itself when the server has. Another connection may get its number at once, and ending the watch of the old
/// socket would end that of the new one.
///
/// On Linux it is an instance of epoll with the socket in it, which never hangs up. When a socket hangs up and still has something to read,
/// libdispatch (Swift 6.3) removes its source twice, and ends the process for that (`_dispatch_source_refs_finalize_unregistration`), or it
/// loses later events.
struct SocketReadiness {
  enum Wanted { case reading, writing }

  let descriptor: CInt
  private let wanted: Wanted

  /// `nil` when the socket is not open, or no descriptor is left.
  init?(_ socket: CInt, _ wanted: Wanted) {
    guard socket >= 0 else { return nil }
    self.wanted = wanted
    #if os(Linux)
      descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
      guard descriptor >= 0 else { return nil }
      var event = epoll_event()
      event.events = wanted == .reading ? EPOLLIN.rawValue : EPOLLOUT.rawValue
      guard epoll_ctl(descriptor, EPOLL_CTL_ADD, socket, &event) == 0 else {
        close()
        return nil
      }
    #else
      descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
      guard descriptor >= 0 else { return nil }
    #endif
  }

  /// A source that fires on `queue` when the socket is ready, until it is cancelled; ``close()`` comes after that.
  func source(_ queue: DispatchQueue) -> any DispatchSourceProtocol {
    #if os(Linux)
      DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    #else
      switch wanted {
      case .reading: DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      case .writing: DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
      }
    #endif
  }

  /// Whether `socket` is ready or at its end, now or within `seconds`. A closed socket is.
  static func isReady(_ socket: CInt, _ wanted: Wanted, within seconds: TimeInterval = 0) -> Bool {
    guard socket >= 0 else { return true }
    var state = pollfd(fd: socket, events: Int16(wanted == .reading ? POLLIN : POLLOUT), revents: 0)
    return poll(&state, 1, Int32(min(seconds * 1000, 1e9).rounded(.up))) > 0
  }

  func close() { _ = Foundation.close(descriptor) }
}
