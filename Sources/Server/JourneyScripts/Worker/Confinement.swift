internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The rights that a worker gives up before it runs the first script.
///
/// The server starts a worker with an empty environment, in a session of its own, and with no open file but the socket. On Linux the kernel
/// then enforces the rest: ``SystemCallFilter``. On Apple's systems only the limits below do.
enum Confinement {
  static func isSocket(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }

  /// To be called before anything is loaded. Closes what was inherited by mistake, and has the kernel end this process with the server. If
  /// the server has ended before that, the end of the socket shows it.
  static func begin() -> Bool {
    closeInherited()
    guard chdir("/") == 0 else { return false }
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    guard setLimit(.core, &none) else { return false }
    #if os(Linux)
      guard SystemCalls.control(SystemCalls.setParentDeathSignal, UInt(SIGKILL)),
        SystemCalls.control(SystemCalls.setNoNewPrivileges, 1)
      else { return false }
    #endif
    return true
  }

  /// To be called after the library is loaded. Prevents further files, processes and connections.
  static func closeDoors() -> Bool {
    var files = rlimit(rlim_cur: 16, rlim_max: 16)
    guard setLimit(.files, &files) else { return false }
    #if os(Linux)
      return SystemCallFilter.install()
    #else
      return true
    #endif
  }

  private static func closeInherited() {
    let listed =
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.compactMap { Int32($0) }
    for descriptor in listed ?? Array(3..<1024) where descriptor > 2 { close(descriptor) }
  }

  private enum Limit { case core, files }

  private static func setLimit(_ limit: Limit, _ value: inout rlimit) -> Bool {
    #if canImport(Glibc)
      let resource = limit == .core ? RLIMIT_CORE : RLIMIT_NOFILE
      return setrlimit(__rlimit_resource_t(resource.rawValue), &value) == 0
    #else
      return setrlimit(limit == .core ? RLIMIT_CORE : RLIMIT_NOFILE, &value) == 0
    #endif
  }
}
