internal import RuntimeLibraries

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension SMTPTransport {
  private enum Number {
    static let smtpAndSMTPS = 1 << 16 | 1 << 17
    static let tlsAlways = 3
    static let permanent: Set<Int32> = [
      // Unsupported, bad address, login denied, no such TLS, bad certificate or file of authorities.
      1, 3, 4, 35, 51, 58, 59, 60, 64, 67, 77, 91,
    ]
  }

  /// The part of a message that libcurl has not read yet.
  private final class Rest {
    let bytes: [UInt8]
    var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }
  }

  /// Sends one message, and waits for the server's reply.
  static func send(
    _ bytes: [UInt8], from: MailAddress, to: MailAddress, by settings: Settings
  ) throws(MailError) {
    let transfer = try transfer()
    // A dot at the start of a line is doubled by libcurl.
    let rest = Rest(bytes)
    let scheme = settings.security == .tls ? "smtps" : "smtp"
    let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
    let name = from.text.split(separator: "@").last ?? "localhost"
    transfer.set(.protocols, Number.smtpAndSMTPS)
    transfer.set(.proxy, text: "")
    transfer.set(.url, text: "\(scheme)://\(host):\(settings.port)/\(name)")
    transfer.set(.useTLS, settings.security == .none ? 0 : Number.tlsAlways)
    if let authorities = settings.authorities { transfer.set(.authorities, text: authorities) }
    if let username = settings.username {
      transfer.set(.username, text: username)
      transfer.set(.password, text: settings.password ?? "")
    }
    transfer.set(.timeout, Int(settings.timeout * 1000))
    transfer.set(.connectTimeout, Int(settings.timeout * 1000))
    transfer.set(.from, text: "<\(from.text)>")
    transfer.set(.recipients, lines: ["<\(to.text)>"])
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
    transfer.set(.readFunction, address: unsafeBitCast(read, to: UnsafeRawPointer.self))
    transfer.set(.readData, address: Unmanaged.passUnretained(rest).toOpaque())
    transfer.set(.upload, 1)
    transfer.set(.size, size: bytes.count)
    defer { withExtendedLifetime(rest) {} }
    do throws(CurlFailure) { try transfer.perform() } catch {
      let isTemporary = !error.isBeforeStart && !Number.permanent.contains(error.code)
      // A 5xx answer refuses this message for good (RFC 5321 §4.2.1).
      throw MailError(
        "SMTP: \(error.text)\(error.status == 0 ? "" : " (answer \(error.status))")",
        isTemporary: isTemporary && !(500..<600).contains(error.status))
    }
  }
}
