#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A C library that is opened when it is needed, so that neither building nor starting a program needs it.
///
/// ZBar alone brings ten others, X11 and drivers of cameras among them.
package struct RuntimeLibrary: Sendable, Hashable {
  /// What people call it.
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

  /// Finds QR codes. The number in the name is that of its binary interface.
  package static let zbar = RuntimeLibrary(
    title: "ZBar", candidates: candidates(linux: "libzbar.so.0", apple: "libzbar.0.dylib"),
    installation: "libzbar0 on Debian and Ubuntu, zbar in Homebrew")

  /// Reads and writes PNG pictures.
  package static let png = RuntimeLibrary(
    title: "libpng", candidates: candidates(linux: "libpng16.so.16", apple: "libpng16.16.dylib"),
    installation: "libpng16-16 on Debian and Ubuntu, libpng in Homebrew")

  private static func candidates(linux: String, apple: String) -> [String] {
    #if canImport(Darwin)
      ["", "/opt/homebrew/lib/", "/usr/local/lib/"].map { $0 + apple }
    #else
      [linux]
    #endif
  }

  /// Opens the library. It stays open until the program ends: others may have opened it as well.
  ///
  /// - Throws: ``QRCodeReaderError/missingLibrary(_:install:reason:)``.
  func open() throws(QRCodeReaderError) -> Functions {
    var reasons: [String] = []
    for candidate in candidates {
      if let handle = dlopen(candidate, RTLD_NOW | RTLD_LOCAL) {
        return Functions(library: self, handle: handle)
      }
      reasons.append(Self.lastReason)
    }
    throw missing(reasons.joined(separator: "; "))
  }

  /// The functions of an open library.
  struct Functions {
    fileprivate let library: RuntimeLibrary
    fileprivate let handle: UnsafeMutableRawPointer

    /// The function `name`.
    ///
    /// - Parameter type: Its type, `@convention(c)`, as the library's header declares it; nobody can check that.
    /// - Throws: ``QRCodeReaderError/missingLibrary(_:install:reason:)`` when this version of the library has none of that name.
    func function<Function>(_ name: String, as type: Function.Type = Function.self) throws(QRCodeReaderError)
      -> Function
    {
      guard let symbol = dlsym(handle, name) else { throw library.missing(RuntimeLibrary.lastReason) }
      return unsafeBitCast(symbol, to: type)
    }
  }

  private func missing(_ reason: String) -> QRCodeReaderError {
    .missingLibrary(title, install: installation, reason: reason)
  }

  /// What the loader says about the last failure in this thread.
  private static var lastReason: String { dlerror().map { String(cString: $0) } ?? "no reason is given" }
}
