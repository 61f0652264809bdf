internal import Accounts
internal import HTTPTypes
internal import JourneyEngine
internal import JourneyNodes
internal import JourneyStore
internal import NIOCore
internal import NIOHTTP1
internal import PasswordHashing
internal import SSHAuthority
internal import SecurityEvents
internal import StrictJSON

extension ErrorResponse {
  /// Maps any error of the layers below. The only place that does.
  package init(mapping error: any Error) {
    switch error {
    case let error as ErrorResponse: self = error
    case let error as JourneyRefusal: self.init(error)
    case let error as StoreError: self.init(error)
    case let error as ManagedObjectError: self.init(error)
    case let error as AccountRefusal: self.init(error)
    case let error as SSHRefusal: self.init(error)
    case let error as PasswordHashingError: self.init(error)
    case let error as SecurityEventError: self = .unavailable(error.description)
    case let error as JSONError: self = .badRequest("The body is not JSON: \(error).")
    case is NIOTooManyBytesError: self.init(.contentTooLarge, "The body is too long.")
    // The client went away or was late: nobody reads this, and the server did not fail.
    case is HTTPParserError: self.init(.badRequest, "The body is incomplete.")
    case is CancellationError: self = .unavailable("the request was cancelled")
    default: self.init(.internalServerError, "Internal Server Error", cause: "\(error)")
    }
  }

  private init(_ refusal: JourneyRefusal) {
    switch refusal {
    case .unknownJourney: self = .badRequest("There is no such journey in this realm.")
    case .stale: self.init(.unauthorized, "Session has timed out", detail: ["errorCode": "110"])
    // The code is Sealring's own, so that a page or command does not report a refusal. SDKs would take "110" for a time-out.
    case .ended: self = .loginFailure(detail: ["failureUrl": "", "errorCode": "alreadyAnswered"])
    case .badReply(let problem): self = .badRequest("The answer does not fit the callbacks: \(problem).")
    case .notSuspended:
      self.init(
        .unauthorized,
        "org.forgerock.openam.auth.nodes.framework.token.SuspendedAuthSessionException: Token not found. It may have expired."
      )
    case .unavailable: self = .unavailable("")
    }
    cause = refusal.description
  }

  private init(_ error: StoreError) {
    switch error {
    case .conflict: self.init(.conflict, "It already exists.")
    case .missing: self.init(.notFound, "It does not exist.")
    case .lastAdministrator: self.init(.conflict, "The root realm keeps at least one active administrator.")
    case .unauthorized: self = .accessDenied("")
    case .exhausted: self = .tooManyRequests(retryAfter: 60)
    case .unavailable: self = .unavailable("")
    case .corrupt: self.init(.internalServerError, "Internal Server Error")
    }
    cause = error.description
  }

  private init(_ error: ManagedObjectError) {
    switch error.reason {
    case .notFound: self.init(.notFound, "It does not exist.")
    case .conflict: self.init(.conflict, "It already exists.")
    case .preconditionFailed: self = .changedMeanwhile
    case .invalid: self = .badRequest("The object cannot be stored: \(error).")
    case .forbidden: self = .forbidden("")
    }
    cause = error.description
  }

  private init(_ refusal: AccountRefusal) {
    switch refusal {
    case .forbidden(let cause): self = .forbidden(cause)
    case .stepUp(let needed, let account, let journey): self = .stepUp(needed, of: account, journey: journey)
    case .noSuchUser: self = .noSuchUser
    case .conflict(let what): self.init(.conflict, "It already exists.", cause: what)
    case .changedMeanwhile: self = .changedMeanwhile
    case .unproven: self = .forbidden(refusal.description)
    case .invalid(let sentence): self = .badRequest(sentence)
    case .schema(let failures): self = .refused(failures)
    case .password(let faults): self = .refused(faults)
    case .lastAdministrator: self.init(StoreError.lastAdministrator)
    }
  }

  private init(_ refusal: SSHRefusal) {
    let status: HTTPResponse.Status =
      switch refusal.kind {
      case .invalid: .badRequest
      case .forbidden: .forbidden
      case .notFound: .notFound
      case .conflict: .conflict
      }
    self.init(status, refusal.description, detail: refusal.detail, cause: refusal.cause)
  }

  private init(_ error: PasswordHashingError) {
    switch error {
    case .overloaded: self = .unavailable("")
    case .passwordLength:
      self = .badRequest("\(error.description.prefix(1).uppercased())\(error.description.dropFirst()).")
    case .unusableHash, .failed: self.init(.internalServerError, "Internal Server Error")
    }
    cause = error.description
  }
}
