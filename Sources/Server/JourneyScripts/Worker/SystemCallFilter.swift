#if os(Linux)
  internal import Glibc

  /// Calls of the C library that take a variable number of arguments, which Swift does not import.
  enum SystemCalls {
    static let setParentDeathSignal: Int32 = 1
    static let setNoNewPrivileges: Int32 = 38

    private typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
    private typealias Call = @convention(c) (Int, UInt, UInt, UInt) -> Int

    /// `prctl`.
    static func control(_ option: Int32, _ value: UInt) -> Bool {
      guard let symbol = dlsym(nil, "prctl") else { return false }
      return unsafeBitCast(symbol, to: Control.self)(option, value, 0, 0, 0) == 0
    }

    /// `syscall`.
    static func call(_ number: Int, _ one: UInt, _ two: UInt, _ three: UInt) -> Int {
      guard let symbol = dlsym(nil, "syscall") else { return -1 }
      return unsafeBitCast(symbol, to: Call.self)(number, one, two, three)
    }
  }

  /// The system calls that a worker keeps (seccomp(2)): to read and write what is open, for memory, threads and clocks. Everything
  /// else fails with EPERM: no file is opened, no program started, no socket made, no other process touched.
  ///
  /// The list says what is allowed, so that what future kernels add is refused. If a newer C library needs another call, the call fails,
  /// and the run with it; nothing is opened up.
  enum SystemCallFilter {
    private static let setModeFilter: UInt = 1
    private static let allThreads: UInt = 1

    private static let allow: UInt32 = 0x7FFF_0000
    private static let kill: UInt32 = 0x8000_0000
    private static func fail(_ error: Int32) -> UInt32 { 0x0005_0000 | UInt32(error) }

    #if arch(x86_64)
      private static let architecture: UInt32 = 0xC000_003E
      private static let seccomp = 317
      private static let clone: UInt32 = 56
      private static let clone3: UInt32 = 435
      private static let control: UInt32 = 157
      private static let allowed: [UInt32] = [
        // read, write, close, poll, lseek
        0, 1, 3, 7, 8,
        // mmap, mprotect, munmap, brk, mremap, madvise
        9, 10, 11, 12, 25, 28,
        // rt_sigaction, rt_sigprocmask, rt_sigreturn, sigaltstack, rt_sigsuspend (the collector's thread lets others stand still)
        13, 14, 15, 131, 130,
        // readv, writev, sched_yield
        19, 20, 24,
        // nanosleep, gettimeofday, time, clock_gettime, clock_getres, clock_nanosleep
        35, 96, 201, 228, 229, 230,
        // getpid, gettid, exit, exit_group, tgkill (to its own threads)
        39, 186, 60, 231, 234,
        // futex, set_tid_address, set_robust_list, get_robust_list, rseq
        202, 218, 273, 274, 334,
        // getrlimit, getrusage, sysinfo, sched_getaffinity, getrandom, membarrier
        97, 98, 99, 204, 318, 324,
        // restart_syscall, ppoll, eventfd2, uname
        219, 271, 290, 63,
      ]
      private static let signalsThread: UInt32 = 234
    #elseif arch(arm64)
      private static let architecture: UInt32 = 0xC000_00B7
      private static let seccomp = 277
      private static let clone: UInt32 = 220
      private static let clone3: UInt32 = 435
      private static let control: UInt32 = 167
      private static let allowed: [UInt32] = [
        // read, write, close, ppoll, lseek
        63, 64, 57, 73, 62,
        // mmap, mprotect, munmap, brk, mremap, madvise
        222, 226, 215, 214, 216, 233,
        // rt_sigaction, rt_sigprocmask, rt_sigreturn, sigaltstack, rt_sigsuspend
        134, 135, 139, 132, 133,
        // readv, writev, sched_yield
        65, 66, 124,
        // nanosleep, gettimeofday, clock_gettime, clock_getres, clock_nanosleep
        101, 169, 113, 114, 115,
        // getpid, gettid, exit, exit_group, tgkill
        172, 178, 93, 94, 131,
        // futex, set_tid_address, set_robust_list, get_robust_list, rseq
        98, 96, 99, 100, 293,
        // getrlimit, getrusage, sysinfo, sched_getaffinity, getrandom, membarrier
        163, 165, 179, 123, 278, 283,
        // restart_syscall, eventfd2, uname
        128, 19, 160,
      ]
      private static let signalsThread: UInt32 = 131
    #endif

    /// `struct sock_filter`: one instruction.
    private struct Instruction {
      var code: UInt16
      var ifTrue: UInt8 = 0
      var ifFalse: UInt8 = 0
      var value: UInt32

      static func load(_ offset: UInt32) -> Instruction { Instruction(code: 0x20, value: offset) }
      static func answer(_ value: UInt32) -> Instruction { Instruction(code: 0x06, value: value) }
      /// Skips the next instruction unless the loaded value is `value`.
      static func skipUnless(_ value: UInt32) -> Instruction {
        Instruction(code: 0x15, ifFalse: 1, value: value)
      }
      /// Skips `count` instructions unless the loaded value is `value`.
      static func skip(_ count: UInt8, unless value: UInt32) -> Instruction {
        Instruction(code: 0x15, ifFalse: count, value: value)
      }
      /// Skips the next instruction unless one of these bits is set.
      static func skipUnlessSet(_ bits: UInt32) -> Instruction {
        Instruction(code: 0x45, ifFalse: 1, value: bits)
      }
    }

    /// `struct sock_fprog`.
    private struct Program {
      var count: UInt16
      var instructions: UnsafePointer<Instruction>?
    }

    /// `struct seccomp_data`: the number, the architecture, the instruction's address, six arguments of eight bytes.
    private enum Offset {
      static let number: UInt32 = 0
      static let architecture: UInt32 = 4
      static let first: UInt32 = 16
    }

    private static let newThread: UInt32 = 0x0001_0000  // CLONE_THREAD
    private static let setName: UInt32 = 15  // PR_SET_NAME
    private static let nameMemory: UInt32 = 0x5356_4D41  // PR_SET_VMA

    /// Installs the filter for all threads. It cannot be removed.
    ///
    /// - Returns: `false` when the kernel refuses. On architectures without a list there is no filter, and `true` is returned.
    static func install() -> Bool {
      #if arch(x86_64) || arch(arm64)
        var program: [Instruction] = [
          .load(Offset.architecture),
          Instruction(code: 0x15, ifTrue: 1, value: architecture), .answer(kill),
          .load(Offset.number),
          // The C library then takes clone, whose flags can be looked at.
          .skipUnless(clone3), .answer(fail(ENOSYS)),
          .skip(4, unless: clone), .load(Offset.first), .skipUnlessSet(newThread), .answer(allow),
          .answer(fail(EPERM)),
          .skip(5, unless: control), .load(Offset.first), .skipUnless(setName), .answer(allow),
          .skipUnless(nameMemory), .answer(allow),
          .load(Offset.number),
          .skip(4, unless: signalsThread), .load(Offset.first), .skipUnless(UInt32(getpid())), .answer(allow),
          .answer(fail(EPERM)),
        ]
        for number in allowed where number != signalsThread {
          program += [.skipUnless(number), .answer(allow)]
        }
        program.append(.answer(fail(EPERM)))
        return program.withUnsafeBufferPointer { instructions in
          var filter = Program(
            count: UInt16(instructions.count), instructions: instructions.baseAddress)
          return withUnsafePointer(to: &filter) {
            SystemCalls.call(seccomp, setModeFilter, allThreads, UInt(bitPattern: $0)) == 0
          }
        }
      #else
        return true
      #endif
    }
  }
#endif
