// The examples of "Coming from FRDeviceBinding", `DocumentationTests` compares the regions with the article.
import Foundation
import FRDeviceBinding

// snippet: legacy-start
func start() throws {
  try FRAuth.start(
    options: FROptions(
      url: "http://127.0.0.1:8080/am", realm: "alpha", applicationId: "com.sealring.cli"))
}
// end

// snippet: legacy-play
/// Plays a journey to its end with the earlier SDK's calls.
func playOldWay(
  _ name: String, username: String, password: String, done: @escaping @Sendable (Token?) -> Void
) {
  FRSession.authenticate(authIndexValue: name) { (token: Token?, node, error) in
    proceed(token, node, error, username: username, password: password, done: done)
  }
}

func proceed(
  _ token: Token?, _ node: Node?, _ error: (any Error)?, username: String, password: String,
  done: @escaping @Sendable (Token?) -> Void
) {
  guard let node else { return done(token) }
  let next = { @Sendable in
    node.next { (token: Token?, node, error) in
      proceed(token, node, error, username: username, password: password, done: done)
    }
  }
  for callback in node.callbacks {
    switch callback {
    case let callback as NameCallback: callback.setValue(username)
    case let callback as PasswordCallback: callback.setValue(password)
    case let callback as DeviceBindingCallback: return bindOldWay(callback, next: next)
    case let callback as DeviceSigningVerifierCallback: return signOldWay(callback, next: next)
    default: break
    }
  }
  next()
}
// end

// snippet: legacy-bind
func bindOldWay(_ callback: DeviceBindingCallback, next: @escaping @Sendable () -> Void) {
  callback.setDeviceName("Till 4")
  callback.bind { result in
    if case .failure(let error) = result { print(error.errorMessage) }
    next()
  }
}
// end

// snippet: legacy-sign
func signOldWay(_ callback: DeviceSigningVerifierCallback, next: @escaping @Sendable () -> Void) {
  callback.sign(customClaims: ["platform": "kiosk", "lastUpdated": 1_767_225_600]) { result in
    switch result {
    case .success: break
    case .failure(.clientNotRegistered): callback.setClientError("BindFirst")
    case .failure(let error): print(error.errorMessage)
    }
    next()
  }
}
// end

// snippet: legacy-pin
final class OldPinCollector: PinCollector {
  /// What is signed for a transaction is in the description.
  let showsTransactions = true

  func collectPin(prompt: Prompt, completion: @escaping (String?) -> Void) {
    print(prompt.description)
    completion(readLine())
  }
}

func bindWithOwnPin(_ callback: DeviceBindingCallback, done: @escaping DeviceBindingResultCallback) {
  callback.bind(
    deviceAuthenticator: { type in
      switch type {
      case .applicationPin: ApplicationPinDeviceAuthenticator(pinCollector: OldPinCollector())
      default: callback.getDeviceAuthenticator(type: type)
      }
    }, completion: done)
}
// end

// snippet: legacy-selector
final class NewestUserKey: UserKeySelector {
  func selectUserKey(userKeys: [UserKey], selectionCallback: @escaping UserKeySelectorCallback) {
    selectionCallback(userKeys.first)
  }
}
// end

// snippet: legacy-keys
func forgetAllKeys() {
  let keys = FRUserKeys()
  for key in keys.loadAll() {
    do { try keys.delete(userKey: key, forceDelete: false) } catch {
      print("\(key.userName) is still bound: \(error.localizedDescription)")
    }
  }
}
// end
