/// What each simulated device does, again and again.
package enum LoadScenario: String, Sendable, CaseIterable {
  /// Binds a new key: once for each device.
  case bind
  /// Signs in with the bound key.
  case signIn = "sign-in"
  /// Registers for push: once for each device.
  case pushRegister = "push-register"
  /// Signs in and approves the push message on the device.
  case push
  /// Registers a WebAuthn credential: once for each device.
  case passkeyRegister = "passkey-register"
  /// Signs in with the WebAuthn credential.
  case passkey
  /// Approves a transaction with the bound key.
  case transaction

  /// Whether a device does it once, and has something new afterwards.
  package var isEnrolment: Bool { enrols != nil }

  /// What a device has after it.
  package var enrols: EnrolmentKind? {
    switch self {
    case .bind: .bound
    case .pushRegister: .push
    case .passkeyRegister: .passkey
    case .signIn, .push, .passkey, .transaction: nil
    }
  }

  /// What a device must have before it.
  package var needs: EnrolmentKind? {
    switch self {
    case .signIn, .transaction: .bound
    case .push: .push
    case .passkey: .passkey
    case .bind, .pushRegister, .passkeyRegister: nil
    }
  }

  /// The bundled journey that it plays. A transaction's journey is its own.
  package var standardJourney: String {
    switch self {
    case .bind: "BindDeviceNoPin"
    case .signIn: "SignIn"
    case .pushRegister: "PushRegister"
    case .push: "PushSignIn"
    case .passkeyRegister: "WebAuthnRegister"
    case .passkey: "WebAuthnSignIn"
    case .transaction: "ApproveTransaction"
    }
  }
}

/// What a device can have been given by a server.
package enum EnrolmentKind: String, Sendable, CaseIterable {
  case bound, push, passkey

  /// The scenario that gives it.
  package var scenario: LoadScenario {
    switch self {
    case .bound: .bind
    case .push: .pushRegister
    case .passkey: .passkeyRegister
    }
  }
}
