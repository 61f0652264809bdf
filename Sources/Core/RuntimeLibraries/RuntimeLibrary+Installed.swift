#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension RuntimeLibrary {
  /// Whether the system's loader would find one of the candidates. Nothing is opened, so the library does not get into this
  /// process's memory.
  package var isInstalled: Bool {
    #if canImport(Darwin)
      // Frameworks of the system are in the loader's cache, not in files.
      true
    #else
      let cache = Self.loaderCache
      return candidates.contains { candidate in
        if candidate.hasPrefix("/") { return access(candidate, R_OK) == 0 }
        let name = Array(candidate.utf8) + [0]
        return cache.firstRange(of: name) != nil
          || Self.folders.contains { access("\($0)/\(candidate)", R_OK) == 0 }
      }
    #endif
  }

  #if !canImport(Darwin)
    /// The folders that the loader searches without its cache.
    private static var folders: [String] {
      let chosen = getenv("LD_LIBRARY_PATH").map { String(cString: $0) } ?? ""
      return chosen.split(separator: ":").map(String.init) + ["/lib64", "/usr/lib64", "/lib", "/usr/lib"]
    }

    /// The content of the loader's cache, in which each library's name ends with a zero byte. Empty when there is no cache.
    private static var loaderCache: [UInt8] {
      guard let file = fopen("/etc/ld.so.cache", "re") else { return [] }
      defer { fclose(file) }
      var bytes: [UInt8] = []
      var part = [UInt8](repeating: 0, count: 64 << 10)
      while bytes.count < 16 << 20 {
        let count = fread(&part, 1, part.count, file)
        guard count > 0 else { break }
        bytes += part[..<count]
      }
      return bytes
    }
  #endif
}
