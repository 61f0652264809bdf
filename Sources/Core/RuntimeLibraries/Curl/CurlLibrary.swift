#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The functions of libcurl that mail and requests need.
///
/// libcurl is used instead of a client of our own, because HTTP, SMTP, proxies, several authentication mechanisms and TLS are its
/// field, and every distribution has it.
final class CurlLibrary: Sendable {
  typealias Handle = UnsafeMutableRawPointer
  typealias Opaque = @Sendable @convention(c) () -> Void

  let makeHandle: @Sendable @convention(c) () -> Handle?
  let cleanUp: @Sendable @convention(c) (Handle) -> Void
  let reset: @Sendable @convention(c) (Handle) -> Void
  let perform: @Sendable @convention(c) (Handle) -> Int32
  let errorText: @Sendable @convention(c) (Int32) -> UnsafePointer<CChar>?
  let append: @Sendable @convention(c) (Handle?, UnsafePointer<CChar>) -> Handle?
  let free: @Sendable @convention(c) (Handle?) -> Void

  /// Variadic functions, which CCurl calls.
  let set: Opaque
  let get: Opaque

  private static let library = RuntimeLibrary(
    title: "libcurl",
    candidates: RuntimeLibrary.candidates(linux: "libcurl.so.4", apple: "libcurl.4.dylib")
      + ["libcurl-gnutls.so.4", "/usr/lib/libcurl.4.dylib"],
    installation: "libcurl4 on Debian and Ubuntu, part of macOS")

  private static let opened: Result<CurlLibrary, RuntimeLibraryError> = Result {
    () throws(RuntimeLibraryError) in try CurlLibrary()
  }

  /// - Throws: ``RuntimeLibraryError`` that says how to install it.
  static func shared() throws(RuntimeLibraryError) -> CurlLibrary { try opened.get() }

  private init() throws(RuntimeLibraryError) {
    let functions = try Self.library.open()
    let start: @convention(c) (Int) -> Int32 = try functions.function("curl_global_init")
    makeHandle = try functions.function("curl_easy_init")
    cleanUp = try functions.function("curl_easy_cleanup")
    reset = try functions.function("curl_easy_reset")
    perform = try functions.function("curl_easy_perform")
    errorText = try functions.function("curl_easy_strerror")
    append = try functions.function("curl_slist_append")
    free = try functions.function("curl_slist_free_all")
    set = try functions.function("curl_easy_setopt")
    get = try functions.function("curl_easy_getinfo")
    // CURL_GLOBAL_ALL. It must run once, which the one shared value ensures.
    guard start(3) == 0 else {
      throw RuntimeLibraryError(title: "libcurl", installation: "", reason: "it does not start")
    }
  }
}
