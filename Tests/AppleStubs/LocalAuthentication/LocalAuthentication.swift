// What of LocalAuthentication.framework our sources use, as far as types go. See docs/apple.md.
public import Foundation
public import Security

public enum LAPolicy: Int, Sendable {
  case deviceOwnerAuthenticationWithBiometrics = 1
  case deviceOwnerAuthentication = 2
}

public enum LACredentialType: Int, Sendable { case applicationPassword = 0 }

public enum LAAccessControlOperation: Int, Sendable {
  case createItem, useItem, createKey, useKeySign, useKeyDecrypt, useKeyKeyExchange
}

public struct LAError: Error {
  public enum Code: Int, Sendable {
    case authenticationFailed = -1
    case userCancel = -2
    case userFallback = -3
    case systemCancel = -4
    case passcodeNotSet = -5
    case biometryNotAvailable = -6
    case biometryNotEnrolled = -7
    case biometryLockout = -8
    case appCancel = -9
    case invalidContext = -10
    case notInteractive = -1004
  }

  public let code: Code
}

// Not Sendable, as in Apple's SDK.
open class LAContext: NSObject {
  public override init() {}
  open var localizedFallbackTitle: String?
  open var localizedReason: String = ""
  open var interactionNotAllowed: Bool = false
  open var evaluatedPolicyDomainState: Data? { nil }

  open func canEvaluatePolicy(_ policy: LAPolicy, error: UnsafeMutablePointer<NSError?>?) -> Bool { false }

  open func evaluatePolicy(
    _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {}

  open func evaluateAccessControl(
    _ accessControl: SecAccessControl, operation: LAAccessControlOperation, localizedReason: String,
    reply: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {}

  @discardableResult
  open func setCredential(_ credential: Data?, type: LACredentialType) -> Bool { false }

  open func invalidate() {}
}
