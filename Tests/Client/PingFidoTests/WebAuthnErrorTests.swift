import Foundation
import PingFido
import Testing
import WebAuthnAuthenticator

@Suite struct WebAuthnErrorTests {
  struct Platform: LocalizedError {
    var errorDescription: String? { "the platform says so" }
  }

  @Test(
    arguments: [
      (.badData(platformError: nil, message: "m"), 1_600_001, "ERROR::DataError:m"),
      (.badOperation(platformError: nil, message: nil), 1_600_002, "ERROR::UnknownError:"),
      (.invalidState(platformError: nil, message: "m"), 1_600_003, "ERROR::InvalidStateError:m"),
      (.constraint(platformError: nil, message: "m"), 1_600_004, "ERROR::ConstraintError:m"),
      (
        .cancelled(platformError: nil, message: "m"), 1_600_005,
        "ERROR::NotAllowedError:The operation was canceled."
      ),
      (.timeout(platformError: nil, message: "m"), 1_600_006, "ERROR::TimeoutError:m"),
      (
        .notAllowed(platformError: Platform(), message: "m"), 1_600_007,
        "ERROR::NotAllowedError:The operation was canceled."
      ),
      (.unsupported(platformError: nil, message: "m"), 1_600_008, "unsupported"),
      (
        .unknown(platformError: Platform(), message: "m"), 1_600_099,
        "ERROR::UnknownError:the platform says so"
      ),
    ] as [(WebAuthnError, Int, String)])
  func `numbers and outcomes`(error: WebAuthnError, code: Int, outcome: String) {
    #expect(error.code == code && error.parseErrorCode() == code)
    #expect((error as NSError).code == code)
    #expect((error as NSError).domain == "com.forgerock.ios.frauth.webauthn")
    #expect(error.convertToWebAuthnOutcome() == outcome)
  }

  @Test func `consent to an excluded key is invalidState, refusal notAllowed (D1)`() {
    guard case .invalidState = WebAuthnError(AuthenticatorError.excluded(consented: true)),
      case .notAllowed = WebAuthnError(AuthenticatorError.excluded(consented: false))
    else {
      Issue.record("the mapping is reversed")
      return
    }
  }
}
