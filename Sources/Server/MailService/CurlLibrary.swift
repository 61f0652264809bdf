internal import CCurl
internal import RuntimeLibraries

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The functions of libcurl that mail needs.
///
/// libcurl and not a client of our own: STARTTLS, authentication by several mechanisms and TLS with the system's certificates are
/// its field, and every distribution has it.
final class CurlLibrary: Sendable {
  private typealias Handle = UnsafeMutableRawPointer
  private typealias Opaque = @Sendable @convention(c) () -> Void

  private let makeHandle: @Sendable @convention(c) () -> Handle?
  private let cleanUp: @Sendable @convention(c) (Handle) -> Void
  private let perform: @Sendable @convention(c) (Handle) -> Int32
  private let errorText: @Sendable @convention(c) (Int32) -> UnsafePointer<CChar>?
  private let append: @Sendable @convention(c) (Handle?, UnsafePointer<CChar>) -> Handle?
  private let free: @Sendable @convention(c) (Handle?) -> Void

  /// These take any number of arguments, and are called by CCurl.
  private let set: Opaque
  private let get: Opaque

  private static let library = RuntimeLibrary(
    title: "libcurl",
    candidates: RuntimeLibrary.candidates(linux: "libcurl.so.4", apple: "libcurl.4.dylib")
      + ["libcurl-gnutls.so.4", "/usr/lib/libcurl.4.dylib"],
    installation: "libcurl4 on Debian and Ubuntu, part of macOS")

  private static let opened: Result<CurlLibrary, RuntimeLibraryError> = Result {
    () throws(RuntimeLibraryError) in try CurlLibrary()
  }

  /// - Throws: ``MailError`` that says how to install it.
  static func shared() throws(MailError) -> CurlLibrary {
    switch opened {
    case .success(let curl): return curl
    case .failure(let error):
      throw MailError(
        "mail by SMTP needs \(error.title), which cannot be opened (\(error.reason)); install \(error.installation)",
        isTemporary: false)
    }
  }

  private init() throws(RuntimeLibraryError) {
    let functions = try Self.library.open()
    let start: @convention(c) (Int) -> Int32 = try functions.function("curl_global_init")
    makeHandle = try functions.function("curl_easy_init")
    cleanUp = try functions.function("curl_easy_cleanup")
    perform = try functions.function("curl_easy_perform")
    errorText = try functions.function("curl_easy_strerror")
    append = try functions.function("curl_slist_append")
    free = try functions.function("curl_slist_free_all")
    set = try functions.function("curl_easy_setopt")
    get = try functions.function("curl_easy_getinfo")
    // CURL_GLOBAL_ALL; once, which the one shared value sees to.
    guard start(3) == 0 else {
      throw RuntimeLibraryError(title: "libcurl", installation: "", reason: "it does not start")
    }
  }

  /// Numbers of options and codes, from curl/curl.h.
  private enum Option: Int32 {
    case useTLS = 119
    case port = 3
    case sslVersion = 32
    case upload = 46
    case verifyPeer = 64
    case verifyHost = 81
    case noSignal = 99
    case timeout = 155
    case connectTimeout = 156
    case protocols = 181
    case readData = 10009
    case url = 10002
    case proxy = 10004
    case errorBuffer = 10010
    case authorities = 10065
    case username = 10173
    case password = 10174
    case from = 10186
    case recipients = 10187
    case readFunction = 20012
    case size = 30115
  }

  private enum Number {
    static let smtpAndSMTPS = 1 << 16 | 1 << 17
    static let tls12 = 6
    static let tlsAlways = 3
    static let responseCode: Int32 = 0x200002
    static let errorBufferSize = 256
    static let permanent: Set<Int32> = [
      // Unsupported, bad address, login denied, no such TLS, bad certificate or file of authorities.
      1, 3, 4, 35, 51, 58, 59, 60, 64, 67, 77, 91,
    ]
  }

  /// The unread rest of a message.
  private final class Rest {
    let bytes: [UInt8]
    var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }
  }

  /// Sends one message, and waits for the server's reply.
  func send(
    _ bytes: [UInt8], from: MailAddress, to: MailAddress, by settings: SMTPTransport.Settings
  ) throws(MailError) {
    guard let handle = makeHandle() else {
      throw MailError("libcurl cannot create a handle", isTemporary: true)
    }
    defer { cleanUp(handle) }
    let errors = UnsafeMutablePointer<CChar>.allocate(capacity: Number.errorBufferSize)
    errors.initialize(repeating: 0, count: Number.errorBufferSize)
    defer { errors.deallocate() }
    let recipients = append(nil, "<\(to.text)>")
    defer { free(recipients) }
    // A dot at the start of a line is doubled by libcurl.
    let rest = Rest(bytes)
    let scheme = settings.security == .tls ? "smtps" : "smtp"
    let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
    let name = from.text.split(separator: "@").last ?? "localhost"

    var code = Int32(0)
    func number(_ option: Option, _ value: Int) {
      if code == 0 { code = sealring_curl_set_number(pointer(set), handle, option.rawValue, value) }
    }
    func text(_ option: Option, _ value: String) {
      // libcurl copies texts.
      if code == 0 {
        code = value.withCString { sealring_curl_set_pointer(pointer(set), handle, option.rawValue, $0) }
      }
    }
    func address(_ option: Option, _ value: UnsafeRawPointer?) {
      if code == 0 { code = sealring_curl_set_pointer(pointer(set), handle, option.rawValue, value) }
    }
    address(.errorBuffer, errors)
    number(.noSignal, 1)
    number(.protocols, Number.smtpAndSMTPS)
    text(.proxy, "")
    text(.url, "\(scheme)://\(host):\(settings.port)/\(name)")
    number(.useTLS, settings.security == .none ? 0 : Number.tlsAlways)
    number(.sslVersion, Number.tls12)
    number(.verifyPeer, 1)
    number(.verifyHost, 2)
    if let authorities = settings.authorities { text(.authorities, authorities) }
    if let username = settings.username {
      text(.username, username)
      text(.password, settings.password ?? "")
    }
    number(.timeout, Int(settings.timeout * 1000))
    number(.connectTimeout, Int(settings.timeout * 1000))
    text(.from, "<\(from.text)>")
    address(.recipients, recipients)
    let read: @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
      buffer, size, count, data in
      guard let buffer, let data else { return 0 }
      let rest = Unmanaged<Rest>.fromOpaque(data).takeUnretainedValue()
      let chunk = min(size * count, rest.bytes.count - rest.place)
      rest.bytes[rest.place..<(rest.place + chunk)].withUnsafeBytes { source in
        if let base = source.baseAddress { memcpy(buffer, base, chunk) }
      }
      rest.place += chunk
      return chunk
    }
    address(.readFunction, unsafeBitCast(read, to: UnsafeRawPointer.self))
    address(.readData, Unmanaged.passUnretained(rest).toOpaque())
    number(.upload, 1)
    if code == 0 {
      code = sealring_curl_set_size(pointer(set), handle, Option.size.rawValue, Int64(bytes.count))
    }
    guard code == 0 else { throw failure(code, handle, errors, isTemporary: false) }
    code = withExtendedLifetime(rest) { perform(handle) }
    guard code == 0 else {
      throw failure(code, handle, errors, isTemporary: !Number.permanent.contains(code))
    }
  }

  private func pointer(_ function: Opaque) -> UnsafeMutableRawPointer {
    unsafeBitCast(function, to: UnsafeMutableRawPointer.self)
  }

  private func failure(
    _ code: Int32, _ handle: Handle, _ errors: UnsafePointer<CChar>, isTemporary: Bool
  ) -> MailError {
    var answer = 0
    _ = sealring_curl_get_number(pointer(get), handle, Number.responseCode, &answer)
    let detail = String(cString: errors)
    let text = detail.isEmpty ? errorText(code).map { String(cString: $0) } ?? "" : detail
    // A server that answers 5xx does not want this message, whenever it comes (RFC 5321 §4.2.1).
    return MailError(
      "SMTP: \(text)\(answer == 0 ? "" : " (answer \(answer))")",
      isTemporary: isTemporary && !(500..<600).contains(answer))
  }
}
