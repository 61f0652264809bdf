import Foundation

/// Protects this process's memory, which holds passwords, PINs and keys, from other programs of the user and from the disk.
enum ProcessMemory {
  /// Disables core dumps and debuggers of other processes of this user (`PR_SET_DUMPABLE`, prctl(2)). If the system does not support it,
  /// the command continues.
  ///
  /// Only commands call this, because users give them secrets. Operators need the core dump of a crashed server.
  static func protect() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    #if os(Linux)
      _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
      _ = control(setDumpable, 0)
    #else
      _ = setrlimit(RLIMIT_CORE, &none)
    #endif
  }

  #if os(Linux)
    private static let setDumpable: Int32 = 4
    private static let getDumpable: Int32 = 3

    /// Whether the kernel allows dumps and debuggers.
    static var isDumpable: Bool { control(getDumpable, 0) != 0 }

    /// Calls `prctl`, which Swift does not import because it is variadic.
    private static func control(_ option: Int32, _ value: UInt) -> Int32 {
      guard let symbol = dlsym(nil, "prctl") else { return -1 }
      typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
      return unsafeBitCast(symbol, to: Control.self)(option, value, 0, 0, 0)
    }
  #endif
}
