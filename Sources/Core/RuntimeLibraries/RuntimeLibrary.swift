#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A C library that is opened when it is needed, so that neither building nor starting a program needs it.
///
/// Some libraries bring many others along, and few users need them.
package struct RuntimeLibrary: Sendable, Hashable {
  /// Its name for people.
  package let title: String
  /// Where it is looked for: names that the system's loader finds, or paths. The first that opens is used.
  package let candidates: [String]
  /// How it is installed, as the end of a sentence.
  package let installation: String

  package init(title: String, candidates: [String], installation: String) {
    self.title = title
    self.candidates = candidates
    self.installation = installation
  }

  /// The names of a library on this system. On Apple platforms these are paths in the system's folder and in those of Homebrew.
  package static func candidates(linux: String, apple: String) -> [String] {
    #if canImport(Darwin)
      candidates(apple: apple)
    #else
      [linux]
    #endif
  }

  static func candidates(apple: String) -> [String] {
    ["/usr/lib/", "/opt/homebrew/lib/", "/usr/local/lib/"].map { $0 + apple }
  }

  /// The candidates that only the system, or the person who installed the program, can have put there.
  ///
  /// - Parameter looksInWorkingFolder: Whether the loader looks for a bare name in the working folder, as Apple's does when it finds it
  ///   nowhere else. Then only absolute paths are left.
  static func safe(_ candidates: [String], looksInWorkingFolder: Bool) -> [String] {
    looksInWorkingFolder ? candidates.filter { $0.hasPrefix("/") } : candidates
  }

  #if canImport(Darwin)
    private static let looksInWorkingFolder = true
  #else
    private static let looksInWorkingFolder = false
  #endif

  /// Opens the library. It stays open until the program ends: others may have opened it as well.
  ///
  /// - Throws: ``RuntimeLibraryError``, when none of the candidates opens.
  package func open() throws(RuntimeLibraryError) -> Functions {
    var reasons: [String] = []
    for candidate in Self.safe(candidates, looksInWorkingFolder: Self.looksInWorkingFolder) {
      if let handle = dlopen(candidate, RTLD_NOW | RTLD_LOCAL) {
        return Functions(library: self, handle: handle)
      }
      reasons.append(Self.lastReason)
    }
    throw missing(reasons.isEmpty ? "no absolute path is named" : reasons.joined(separator: "; "))
  }

  /// The functions of an open library.
  package struct Functions {
    fileprivate let library: RuntimeLibrary
    fileprivate let handle: UnsafeMutableRawPointer

    /// The function `name`.
    ///
    /// - Parameter type: Its type, `@convention(c)`, as the library's header declares it; this cannot be checked.
    /// - Throws: ``RuntimeLibraryError`` when this version of the library has none of that name.
    package func function<Function>(
      _ name: String, as type: Function.Type = Function.self
    ) throws(RuntimeLibraryError) -> Function {
      guard let symbol = dlsym(handle, name) else { throw library.missing(RuntimeLibrary.lastReason) }
      return unsafeBitCast(symbol, to: type)
    }
  }

  private func missing(_ reason: String) -> RuntimeLibraryError {
    RuntimeLibraryError(title: title, installation: installation, reason: reason)
  }

  /// What the loader says about the last failure in this thread.
  private static var lastReason: String { dlerror().map { String(cString: $0) } ?? "no reason is given" }
}

/// A library that cannot be opened, or is not the one that it should be.
package struct RuntimeLibraryError: Error, Sendable, Hashable {
  package let title: String
  package let installation: String

  /// What the loader says.
  package let reason: String

  package init(title: String, installation: String, reason: String) {
    self.title = title
    self.installation = installation
    self.reason = reason
  }
}
