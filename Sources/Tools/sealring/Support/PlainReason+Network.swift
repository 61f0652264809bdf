import Foundation
import PingNetwork

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Not beside PlainReason: the server's own program loads no client for HTTP.

extension NetworkError: PlainlyExplained {
  package var plainReason: String {
    switch self {
    case .networkUnavailable: "nothing answers at that address"
    case .timeout: "it did not answer in time"
    case .cancelled: "the request was cancelled"
    case .invalidRequest(let reason), .invalidResponse(let reason): reason
    }
  }

  package var plainCode: CommandFailure.Code { .unreachable }
}

extension InsecureAddressError: PlainlyExplained {
  package var plainReason: String {
    switch reason {
    case .otherMachine: "\(problem). Use https; for tests, add --allow-http"
    case .proxy: "\(problem). Add the host to the environment variable no_proxy"
    case .stranger: "\(problem). Check who runs the server; to trust that user, add --allow-http"
    }
  }

  package var plainCode: CommandFailure.Code { .refused }
}

extension URLError: PlainlyExplained {
  package var plainReason: String {
    switch code {
    case .cannotConnectToHost, .networkConnectionLost, .notConnectedToInternet:
      "nothing answers at that address"
    case .cannotFindHost, .dnsLookupFailed: "no machine has that name"
    case .timedOut: "it did not answer in time"
    case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
      .serverCertificateNotYetValid:
      Self.untrusted
    case .secureConnectionFailed: "no TLS connection could be made"
    case .cancelled: "the request was cancelled"
    // FoundationNetworking has one code for all of libcurl's errors about TLS, and libcurl's words.
    case .unknown:
      isAboutCertificate ? Self.untrusted : "it does not use TLS, or the answer is not HTTP"
    default: "the connection failed (\(code.rawValue))"
    }
  }

  /// Never a reason to continue without TLS: somebody else may be answering.
  private static let untrusted =
    "its TLS certificate is not trusted here, so somebody else may be answering. Check the address, the authority and this machine's clock"

  private var isAboutCertificate: Bool {
    let text = localizedDescription.lowercased()
    return text.contains("certificate") || text.contains("subject name")
  }

  package var plainCode: CommandFailure.Code { .unreachable }
}
