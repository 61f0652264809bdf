// What of AuthenticationServices our sources use, as far as types go. See docs/apple.md.
@_exported public import Foundation
@_exported public import UIKit

public typealias ASPresentationAnchor = UIWindow

public struct ASAuthorizationPublicKeyCredentialUserVerificationPreference: RawRepresentable, Sendable,
  Hashable
{
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let required = Self(rawValue: "required")
  public static let preferred = Self(rawValue: "preferred")
  public static let discouraged = Self(rawValue: "discouraged")
}

public struct ASAuthorizationPublicKeyCredentialAttestationKind: RawRepresentable, Sendable, Hashable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let none = Self(rawValue: "none")
  public static let direct = Self(rawValue: "direct")
  public static let indirect = Self(rawValue: "indirect")
}

open class ASAuthorizationRequest: NSObject {}

open class ASAuthorizationPlatformPublicKeyCredentialDescriptor: NSObject {
  public init(credentialID: Data) {}
}

open class ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest: ASAuthorizationRequest {
  open var userVerificationPreference = ASAuthorizationPublicKeyCredentialUserVerificationPreference.preferred
  open var attestationPreference = ASAuthorizationPublicKeyCredentialAttestationKind.none
}

open class ASAuthorizationPlatformPublicKeyCredentialAssertionRequest: ASAuthorizationRequest {
  open var userVerificationPreference = ASAuthorizationPublicKeyCredentialUserVerificationPreference.preferred
  open var allowedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor] = []
}

open class ASAuthorizationPlatformPublicKeyCredentialProvider: NSObject {
  public init(relyingPartyIdentifier: String) {}
  open func createCredentialRegistrationRequest(
    challenge: Data, name: String, userID: Data
  ) -> ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest { .init() }
  open func createCredentialAssertionRequest(
    challenge: Data
  ) -> ASAuthorizationPlatformPublicKeyCredentialAssertionRequest { .init() }
}

public protocol ASAuthorizationCredential: NSObjectProtocol {}

open class ASAuthorizationPlatformPublicKeyCredentialRegistration: NSObject, ASAuthorizationCredential {
  open var credentialID: Data { Data() }
  open var rawClientDataJSON: Data { Data() }
  open var rawAttestationObject: Data? { nil }
}

open class ASAuthorizationPlatformPublicKeyCredentialAssertion: NSObject, ASAuthorizationCredential {
  open var credentialID: Data { Data() }
  open var rawClientDataJSON: Data { Data() }
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var rawAuthenticatorData: Data! { nil }
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var signature: Data! { nil }
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var userID: Data! { nil }
}

open class ASAuthorization: NSObject {
  open var credential: any ASAuthorizationCredential { ASAuthorizationPlatformPublicKeyCredentialAssertion() }
}

public struct ASAuthorizationError: Error {
  public enum Code: Int, Sendable {
    case unknown = 1000
    case canceled, invalidResponse, notHandled, failed, notInteractive, matchedExcludedCredential
  }
  public let code: Code
}

@MainActor public protocol ASAuthorizationControllerDelegate: NSObjectProtocol {
  func authorizationController(
    controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization)
  func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error)
}

@MainActor public protocol ASAuthorizationControllerPresentationContextProviding: NSObjectProtocol {
  func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor
}

@MainActor open class ASAuthorizationController: NSObject {
  public struct RequestOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let preferImmediatelyAvailableCredentials = RequestOptions(rawValue: 1)
  }
  public init(authorizationRequests: [ASAuthorizationRequest]) {}
  open weak var delegate: (any ASAuthorizationControllerDelegate)?
  open weak var presentationContextProvider: (any ASAuthorizationControllerPresentationContextProviding)?
  open func performRequests() {}
  open func performRequests(options: RequestOptions) {}
  open func cancel() {}
}

public struct ASWebAuthenticationSessionError: Error {
  public enum Code: Int, Sendable {
    case canceledLogin = 1
    case presentationContextNotProvided, presentationContextInvalid
  }
  public let code: Code
}

@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
  func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

@MainActor open class ASWebAuthenticationSession: NSObject {
  public init(
    url: URL, callbackURLScheme: String?, completionHandler: @escaping @Sendable (URL?, (any Error)?) -> Void
  ) {}
  open weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
  open var prefersEphemeralWebBrowserSession = false
  @discardableResult open func start() -> Bool { true }
  open func cancel() {}
}
