package import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Why a connection failed, with descriptions of our own: those of Foundation, libcurl and OpenSSL differ by system and version, and do
/// not help people.
package enum ConnectionProblem: Sendable, Hashable {
  case nobodyAnswers, unknownName, tooSlow, cancelled, cutOff, offline
  /// The server's certificate is signed by an authority that is not in `file` or, without a file, that this machine does not trust.
  case unknownAuthority(file: String?)
  case expiredCertificate, certificateOfAnotherName, badCertificate
  /// The server does not speak TLS, or no version that both sides support.
  case noTLS
  case notHTTP, badAddress, refusedHere
  /// Any other problem, with the framework's error code.
  case other(Int)

  /// Returns a description of one clause, without a full stop.
  ///
  /// - Parameter host: The request's host; `nil` when it is not known.
  package func text(host: String?) -> String {
    let of = host.map { " of \($0)" } ?? ""
    return switch self {
    case .nobodyAnswers: "nothing answers at that address"
    case .unknownName: "no machine has \(host.map { "the name \($0)" } ?? "that name")"
    case .tooSlow: "it did not answer in time"
    case .cancelled: "the request was cancelled"
    case .cutOff: "the connection was lost before the answer was complete"
    case .offline: "this machine has no connection to the network"
    case .unknownAuthority(let file):
      Self.untrusted + ": the certificate\(of) is signed by an authority that "
        + (file.map { "is not in \($0)" } ?? "this machine does not know")
    case .expiredCertificate:
      Self.untrusted
        + ": the certificate\(of) has expired, is not valid yet, or this machine's clock is wrong"
    case .certificateOfAnotherName: Self.untrusted + ": the certificate is not for \(host ?? "that name")"
    case .badCertificate: Self.untrusted + ". Check the address, the authority and this machine's clock"
    case .noTLS:
      "no TLS connection could be made\(host.map { " to \($0)" } ?? ""): it does not use TLS, or no version that is safe"
    case .notHTTP: "the answer is not HTTP (if the server uses TLS, the address begins with https://)"
    case .badAddress: "requests cannot be sent to that address"
    case .refusedHere: "this machine's system does not allow the request"
    case .other(let code): "the connection failed (\(code))"
    }
  }

  /// The text never suggests continuing without TLS.
  private static let untrusted = "its TLS certificate is not trusted here, so somebody else may be answering"
}

extension URLError {
  /// The key of the problem that ``init(_:_:url:)`` stores.
  private static let problemKey = "com.sealring.problem"
  private static let hostKey = "com.sealring.host"

  /// An error that is described in words of our own instead of the framework's.
  init(_ code: URLError.Code, _ problem: ConnectionProblem, url: URL?) {
    let host = url?.host()
    var info: [String: Any] = [Self.problemKey: problem]
    let clause = problem.text(host: host)
    info[NSLocalizedDescriptionKey] = clause.prefix(1).uppercased() + clause.dropFirst() + "."
    if let url { info[NSURLErrorFailingURLErrorKey] = url }
    if let host { info[Self.hostKey] = host }
    self.init(code, userInfo: info)
  }

  /// Returns the same error, described in words of our own.
  ///
  /// - Parameter url: The request's URL, for errors that do not name it.
  package func inPlainWords(url: URL? = nil) -> URLError {
    userInfo[Self.problemKey] is ConnectionProblem
      ? self : URLError(code, problem, url: failingURL ?? url)
  }

  /// The request's host; `nil` when it is not known.
  package var host: String? { userInfo[Self.hostKey] as? String ?? failingURL?.host() }

  /// The problem that the error reports.
  package var problem: ConnectionProblem {
    if let known = userInfo[Self.problemKey] as? ConnectionProblem { return known }
    switch code {
    case .cannotConnectToHost: return .nobodyAnswers
    case .networkConnectionLost: return .cutOff
    case .notConnectedToInternet, .internationalRoamingOff, .callIsActive: return .offline
    case .cannotFindHost, .dnsLookupFailed: return .unknownName
    case .timedOut: return .tooSlow
    case .cancelled, .userCancelledAuthentication: return .cancelled
    case .serverCertificateHasUnknownRoot: return .unknownAuthority(file: nil)
    case .serverCertificateHasBadDate, .serverCertificateNotYetValid: return .expiredCertificate
    case .serverCertificateUntrusted: return Self.problem(in: localizedDescription) ?? .badCertificate
    case .clientCertificateRejected, .clientCertificateRequired: return .badCertificate
    case .secureConnectionFailed: return Self.problem(in: localizedDescription) ?? .noTLS
    // FoundationNetworking reports all of libcurl's TLS errors with this code and libcurl's text.
    case .unknown: return Self.problem(in: localizedDescription) ?? .notHTTP
    case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData,
      .zeroByteResource, .httpTooManyRedirects, .redirectToNonExistentLocation:
      return .notHTTP
    case .badURL, .unsupportedURL, .fileDoesNotExist, .fileIsDirectory: return .badAddress
    case .appTransportSecurityRequiresSecureConnection, .dataNotAllowed, .noPermissionsToReadFile:
      return .refusedHere
    default: return .other(code.rawValue)
    }
  }

  /// The problem that a text of libcurl, OpenSSL, GnuTLS or LibreSSL describes; `nil` when it is not about TLS.
  static func problem(in words: String, authorities file: String? = nil) -> ConnectionProblem? {
    let words = words.lowercased()
    func has(_ parts: String...) -> Bool { parts.contains { words.contains($0) } }
    if has("subject name", "not match", "doesn't match") { return .certificateOfAnotherName }
    if has("expired", "not yet valid", "not active") { return .expiredCertificate }
    // OpenSSL says "asn1" or "padding" when another authority of the same name has signed the certificate.
    if has(
      "issuer", "signature failure", "asn1 encoding routines", "padding check", "self-signed", "self signed",
      "unknown ca", "unknown authority",
      "verify the first certificate")
    {
      return .unknownAuthority(file: file)
    }
    if has("certificate") { return .badCertificate }
    if has("wrong version number", "ssl", "tls", "handshake") { return .noTLS }
    return nil
  }
}
