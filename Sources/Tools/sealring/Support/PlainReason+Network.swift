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

extension URLError: PlainlyExplained {
  package var plainReason: String {
    switch code {
    case .cannotConnectToHost, .networkConnectionLost, .notConnectedToInternet:
      "nothing answers at that address"
    case .cannotFindHost, .dnsLookupFailed: "no machine has that name"
    case .timedOut: "it did not answer in time"
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
      "its TLS certificate is not trusted, or it does not use TLS"
    case .cancelled: "the request was cancelled"
    // What FoundationNetworking makes of libcurl's error for an answer that is not a TLS.
    case .unknown: "it does not use TLS, or the answer is not HTTP"
    default: "the connection failed (\(code.rawValue))"
    }
  }

  package var plainCode: CommandFailure.Code { .unreachable }
}
