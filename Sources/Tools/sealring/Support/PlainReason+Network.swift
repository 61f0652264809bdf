import Foundation
import PingDeviceClient
import PingNetwork
import PingOidc
import PingPush

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// These are not in the file of PlainReason, because the server program loads no HTTP client.

extension PushError: CauseCarrier {
  package var plainCause: (any Error)? { if case .networkFailure(_, let cause) = self { cause } else { nil } }
}

extension DeviceError: CauseCarrier {
  package var plainCause: (any Error)? { if case .networkError(let cause) = self { cause } else { nil } }
}

extension OidcError: CauseCarrier {
  package var plainCause: (any Error)? { if case .networkError(let cause, nil) = self { cause } else { nil } }
}

extension NetworkError: PlainlyExplained {
  package var plainReason: String {
    switch self {
    case .networkUnavailable: ConnectionProblem.nobodyAnswers.text(host: nil)
    case .timeout: ConnectionProblem.tooSlow.text(host: nil)
    case .cancelled: ConnectionProblem.cancelled.text(host: nil)
    case .invalidRequest(let reason):
      reason.replacing(InsecureAddressError.permission, with: "add --allow-http")
    case .invalidResponse(let reason): reason
    }
  }

  package var plainCode: CommandFailure.Code { wasNotSent ? .refused : .unreachable }

  /// Whether this program refused to send the request, so that it is unknown whether the server answers.
  fileprivate var wasNotSent: Bool { if case .invalidRequest = self { true } else { false } }
}

extension CommandFailure {
  /// The failure when the request was not sent; `nil` when it was.
  static func unsent(_ error: any Error) -> CommandFailure? {
    guard error is InsecureAddressError || (error as? NetworkError)?.wasNotSent == true else { return nil }
    return .refused("Nothing was sent: \(PlainReason.of(error))")
  }
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
  package var plainReason: String { problem.text(host: host.map(printable)) + advice }

  /// The advice never suggests to skip TLS or the check of the certificate.
  private var advice: String {
    switch problem {
    case .unknownAuthority(nil): ". If that authority is your own, name its certificate: --ca-file FILE"
    case .unknownAuthority: ". Check the address, and the file of --ca-file"
    case .certificateOfAnotherName: ". Use the address that the certificate names"
    case .noTLS: ". Check the address and its port"
    default: ""
    }
  }

  package var plainCode: CommandFailure.Code { .unreachable }
}
