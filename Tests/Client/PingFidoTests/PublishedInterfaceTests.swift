import Foundation
import PingFido
import PingOrchestrate
import Testing

@Suite("The interface of PingFido as the published declarations have it")
struct PublishedInterfaceTests {
  @Test func `the options of an incomplete callback were empty`() {
    let registration = FidoRegistrationCallback()
    registration.initValue(
      name: "data",
      value: [
        "challenge": "AAECAwQFBgcICQoLDA0ODw==", "_relyingPartyId": "example.com",
        "relyingPartyName": "Example", "userName": "demo", "timeout": "30000",
      ] as [String: Any])
    let creation = registration.publicKeyCredentialCreationOptions
    #expect(creation["challenge"] as? String == "AAECAwQFBgcICQoLDA0ODw")
    #expect(creation["rp"] as? [String: String] == ["id": "example.com", "name": "Example"])
    #expect((creation["user"] as? [String: Any])?["name"] as? String == "demo")
    #expect(creation["timeout"] as? Int == 30_000 && creation["pubKeyCredParams"] == nil)

    let authentication = FidoAuthenticationCallback()
    authentication.initValue(
      name: "data", value: ["_relyingPartyId": "example.com", "userVerification": "all"] as [String: Any])
    let request = authentication.publicKeyCredentialRequestOptions
    #expect(request["rpId"] as? String == "example.com" && request["userVerification"] as? String == "all")
    #expect(request["challenge"] == nil)
  }

  @Test func `options that an app had set were empty when something was missing`() {
    let registration = FidoRegistrationCallback()
    registration.publicKeyCredentialCreationOptions = ["challenge": "AAEC", "mine": 1]
    #expect(registration.publicKeyCredentialCreationOptions["mine"] as? Int == 1)
    let authentication = FidoAuthenticationCallback()
    authentication.publicKeyCredentialRequestOptions = ["rpId": "example.com"]
    #expect(authentication.publicKeyCredentialRequestOptions.count == 1)
  }

  @Test func `a failure that FidoError has a case for was a WebAuthnError`() async throws {
    let device = PasskeyDevice()
    let fido: NSObject = Fido(config: device.config)
    let registering = try #require(fido as? Fido)
    let none = await registering.register(options: [:], window: PresentationAnchor())
    #expect(throws: FidoError.invalidChallenge) { try none.get() }
    let incomplete = await registering.register(
      options: ["challenge": "AAECAwQFBgcICQoLDA0ODw"], window: PresentationAnchor())
    guard case .failure(FidoError.missingParameters(let text)) = incomplete else {
      Issue.record("\(incomplete)")
      return
    }
    #expect(text.contains("rp"))
    let unreadable = await withCheckedContinuation { continuation in
      registering.authenticate(options: ["challenge": "%"], window: PresentationAnchor()) { result in
        if case .failure(let error) = result { continuation.resume(returning: error as? FidoError) }
      }
    }
    #expect(unreadable == .invalidChallenge)
    let step = try await Step(
      Data71.registration(["_authenticatorSelection": ["authenticatorAttachment": "cross-platform"]]))
    let unsupported = try await step.registration(device).register(window: PresentationAnchor())
    guard case .failure(FidoError.unsupportedAction) = unsupported else {
      Issue.record("\(unsupported)")
      return
    }
  }

  @Test(
    arguments: [
      (.invalidChallenge, "ERROR::UnknownError:"), (.invalidWindow, "ERROR::UnknownError:"),
      (.invalidResponse, "ERROR::UnknownError:"), (.invalidAction, "ERROR::UnknownError:"),
      (.unsupportedAction("no"), "ERROR::NotSupportedError:no"),
      (.missingParameters("rp"), "ERROR::UnknownError:rp"), (.timeout, "ERROR::TimeoutError:"),
    ] as [(FidoError, String)])
  func `FidoError had no text of its own, neither for people nor for a server`(
    error: FidoError, outcome: String
  ) {
    #expect(error.localizedDescription.hasPrefix(outcome))
    #expect(error.errorDescription?.isEmpty == false)
    #expect(error.failureReason?.isEmpty == false && error.recoverySuggestion?.isEmpty == false)
    #expect(!(error as any Error).localizedDescription.hasPrefix("ERROR"))
  }

  @Test func `a failure that goes in as FidoError tells the server the right name`() {
    let names: [(FidoError, String)] = [
      (.timeout, "ERROR::TimeoutError:"), (.unsupportedAction("x"), "unsupported"),
      (.invalidChallenge, "ERROR::DataError:"), (.invalidWindow, "ERROR::UnknownError:"),
    ]
    for (error, outcome) in names {
      #expect(WebAuthnError(error).convertToWebAuthnOutcome().hasPrefix(outcome))
    }
  }

  @Test func `every WebAuthnError has a reason and advice, also as an NSError`() {
    let errors: [WebAuthnError] = [
      .badData(platformError: nil, message: nil), .badOperation(platformError: nil, message: nil),
      .invalidState(platformError: nil, message: nil), .constraint(platformError: nil, message: nil),
      .cancelled(platformError: nil, message: nil), .timeout(platformError: nil, message: nil),
      .notAllowed(platformError: nil, message: nil), .unsupported(platformError: nil, message: nil),
      .unknown(platformError: nil, message: nil),
    ]
    for error in errors {
      #expect(error.failureReason?.isEmpty == false && error.recoverySuggestion?.isEmpty == false)
      #expect((error as NSError).userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String != "")
    }
  }

  @Test func `an algorithm is read with a failable initialiser, as there`() {
    let known: COSEAlgorithmIdentifier? = COSEAlgorithmIdentifier(rawValue: -7)
    #expect(known == .es256)
    #expect(COSEAlgorithmIdentifier(rawValue: -8) == .unknown(-8))
  }
}
