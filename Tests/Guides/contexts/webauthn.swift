import FRAuth
import Foundation
import UIKit

final class Screen: PlatformAuthenticatorRegistrationDelegate {
  func excludeCredentialDescriptorConsent(consentCallback: @escaping WebAuthnUserConsentCallback) {}
  func createNewCredentialConsent(
    keyName: String, rpName: String, rpId: String?, userName: String, userDisplayName: String,
    consentCallback: @escaping WebAuthnUserConsentCallback
  ) {}
  @MainActor func around(callback: Callback, node: Node) {
    // block
  }
}
