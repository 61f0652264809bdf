public import Bytes
internal import RuntimeLibraries
internal import Dispatch
internal import Foundation

/// Hands messages over to a mail server by SMTP, through libcurl, which is opened when the transport is made.
public struct SMTPTransport: MailTransport {
  public enum Security: String, Sendable, Hashable, CaseIterable {
    /// TLS by the command STARTTLS, which the server must support.
    case starttls

    /// TLS from the first byte.
    case tls

    /// No TLS; allowed only to this machine.
    case none
  }

  /// The mail server, and the credentials for it.
  public struct Settings: Sendable, Hashable, Redacted {
    public var host: String
    public var port: Int
    public var security: Security
    public var username: String?
    public var password: String?

    /// A file with the certificates of authorities to trust; `nil` for the system's.
    public var authorities: String?

    /// How long one message may take. Seconds.
    public var timeout: Double = 30

    public init(
      host: String, port: Int, security: Security = .starttls, username: String? = nil,
      password: String? = nil, authorities: String? = nil
    ) {
      self.host = host
      self.port = port
      self.security = security
      self.username = username
      self.password = password
      self.authorities = authorities
    }
  }

  private let settings: Settings

  /// Threads for libcurl, which blocks while it waits for answers.
  private static let queue = DispatchQueue(label: "com.sealring.mail", attributes: .concurrent)

  /// - Throws: ``MailError`` when libcurl is missing, when the settings would send mail unencrypted to another machine, or are invalid.
  public init(_ settings: Settings) throws(MailError) {
    func wrong(_ problem: String) -> MailError { MailError(problem, isTemporary: false) }
    let host = settings.host
    guard !host.isEmpty, host.utf8.count <= 255,
      host.utf8.allSatisfy({ $0.isASCIILetterOrDigit || ".-:".utf8.contains($0) }),
      (1...65535).contains(settings.port)
    else { throw wrong("the mail server is named as HOST:PORT") }
    if settings.security == .none {
      guard ["localhost", "127.0.0.1", "::1"].contains(host.lowercased()) else {
        throw wrong("mail to another machine requires TLS")
      }
    }
    guard settings.password == nil || settings.username != nil else {
      throw wrong("a password for the mail server needs a user name")
    }
    self.settings = settings
    _ = try Self.transfer()
  }

  public func send(_ bytes: [UInt8], from: MailAddress, to: MailAddress, id: String) async throws {
    let settings = settings
    let result: Result<Void, MailError> = await withCheckedContinuation { continuation in
      Self.queue.async {
        continuation.resume(
          returning: Result { () throws(MailError) in
            try Self.send(bytes, from: from, to: to, by: settings)
          })
      }
    }
    try result.get()
  }

  /// - Throws: ``MailError`` that says how to install libcurl.
  static func transfer() throws(MailError) -> CurlTransfer {
    do throws(RuntimeLibraryError) { return try CurlTransfer() } catch {
      throw MailError(
        "mail by SMTP needs \(error.title), which cannot be opened (\(error.reason)); install \(error.installation)",
        isTemporary: false)
    }
  }
}
