import Foundation

/// Keeps this process's memory, which holds passwords, PINs and keys, from other programs of the user and off the disk.
enum ProcessMemory {
  /// No core dumps, and no debugger of another process of this user (`PR_SET_DUMPABLE`, prctl(2)). Nothing depends on it: where the
  /// system does not do it, the command continues.
  ///
  /// For commands, which people give secrets to. Of a server that crashes an operator needs to see where.
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

    /// Whether the kernel lets others look.
    static var isDumpable: Bool { control(getDumpable, 0) != 0 }

    /// `prctl`, which takes a variable number of arguments, so that Swift does not import it.
    private static func control(_ option: Int32, _ value: UInt) -> Int32 {
      guard let symbol = dlsym(nil, "prctl") else { return -1 }
      typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
      return unsafeBitCast(symbol, to: Control.self)(option, value, 0, 0, 0)
    }
  #endif
}
