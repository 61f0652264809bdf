package import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Why no connection came about, in words of our own: what Foundation, libcurl and OpenSSL say differs by system and version, and tells
/// people nothing.
package enum ConnectionProblem: Sendable, Hashable {
  case nobodyAnswers, unknownName, tooSlow, cancelled, cutOff, offline
  /// The server's certificate is signed by an authority that is not trusted: not by this machine, or not in the file of that name.
  case unknownAuthority(file: String?)
  case expiredCertificate, certificateOfAnotherName, badCertificate
  /// Whoever answers does not speak TLS, or no common version of it.
  case noTLS
  case notHTTP, badAddress, refusedHere
  /// None of these: the framework's number.
  case other(Int)

  /// One clause without a full stop.
  ///
  /// - Parameter host: Where the request went; `nil` when that is not known.
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
    case .notHTTP: "the answer is not HTTP (where TLS is spoken, the address begins with https://)"
    case .badAddress: "that is not an address that can be asked"
    case .refusedHere: "this machine's system does not allow the request"
    case .other(let code): "the connection failed (\(code))"
    }
  }

  /// Never a reason to continue without TLS.
  private static let untrusted = "its TLS certificate is not trusted here, so somebody else may be answering"
}

extension URLError {
  /// The key of what ``init(_:_:)`` says.
  private static let problemKey = "com.sealring.problem"
  private static let hostKey = "com.sealring.host"

  /// An error whose description has no framework's words.
  init(_ code: URLError.Code, _ problem: ConnectionProblem, url: URL?) {
    let host = url?.host()
    var info: [String: Any] = [Self.problemKey: problem]
    let clause = problem.text(host: host)
    info[NSLocalizedDescriptionKey] = clause.prefix(1).uppercased() + clause.dropFirst() + "."
    if let url { info[NSURLErrorFailingURLErrorKey] = url }
    if let host { info[Self.hostKey] = host }
    self.init(code, userInfo: info)
  }

  /// The same error, described in words of our own.
  ///
  /// - Parameter url: Where the request went, where the error does not say.
  package func inPlainWords(url: URL? = nil) -> URLError {
    userInfo[Self.problemKey] is ConnectionProblem
      ? self : URLError(code, problem, url: failingURL ?? url)
  }

  /// Where the request went, as far as that is known.
  package var host: String? { userInfo[Self.hostKey] as? String ?? failingURL?.host() }

  /// What happened.
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
    // FoundationNetworking has one code for all of libcurl's errors about TLS, and libcurl's words.
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

  /// What libcurl and OpenSSL, GnuTLS or LibreSSL mean; `nil` for what is not about TLS.
  static func problem(in words: String, authorities file: String? = nil) -> ConnectionProblem? {
    let words = words.lowercased()
    func has(_ parts: String...) -> Bool { parts.contains { words.contains($0) } }
    if has("subject name", "not match", "doesn't match") { return .certificateOfAnotherName }
    if has("expired", "not yet valid", "not active") { return .expiredCertificate }
    // "asn1" and "padding" are what OpenSSL says of a certificate that another authority of the same name has signed.
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
