#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// How many files and sockets this process may have open.
public enum OpenFiles {
  /// Reserved for the database, journeys, push services and logs.
  private static let reserve = 128

  /// Connections that the system allows this process; at least 64.
  package static var connections: Int { max(64, limit - reserve) }

  /// The current limit.
  static var limit: Int {
    var limits = rlimit()
    guard getrlimit(resource, &limits) == 0 else { return 1024 }
    return Int(clamping: limits.rlim_cur)
  }

  /// Raises the limit to allow for `connections`, as far as the process may: shells and service managers often set it to 1,024
  /// files and allow more. For programs; a library should not change the process's limits.
  public static func makeRoom(forConnections connections: Int) {
    var limits = rlimit()
    guard getrlimit(resource, &limits) == 0 else { return }
    let wanted = rlim_t(clamping: connections + reserve)
    guard limits.rlim_cur < wanted else { return }
    limits.rlim_cur = min(limits.rlim_max, wanted)
    _ = setrlimit(resource, &limits)
  }

  #if canImport(Glibc)
    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
  #else
    private static var resource: Int32 { Int32(RLIMIT_NOFILE) }
  #endif
}
