/// The repeated activity of each simulated device.
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

  /// The enrolment that a device has afterwards.
  package var enrols: EnrolmentKind? { isEnrolment ? traits.kind : nil }

  /// The enrolment that a device must have before.
  package var needs: EnrolmentKind? { isEnrolment ? nil : traits.kind }

  /// Whether the scenario enrols: each device plays it once, and gets a credential.
  package var isEnrolment: Bool { traits.isEnrolment }

  /// The bundled journey of the scenario. An approval's journey belongs to its transaction.
  package var standardJourney: String { traits.journey }

  /// The step that the journey must reach, for messages.
  var purpose: String { traits.purpose }

  private var traits: (journey: String, kind: EnrolmentKind, isEnrolment: Bool, purpose: String) {
    let signing = "asking for a signature (DeviceSigningVerifierCallback)"
    return switch self {
    case .bind: ("BindDeviceNoPin", .bound, true, "binding a device (DeviceBindingCallback)")
    case .signIn: ("SignIn", .bound, false, signing)
    case .pushRegister: ("PushRegister", .push, true, "registering a push device (mfaDeviceRegistration)")
    case .push: ("PushSignIn", .push, false, "sending a push message")
    case .passkeyRegister:
      ("WebAuthnRegister", .passkey, true, "registering a passkey (MetadataCallback)")
    case .passkey: ("WebAuthnSignIn", .passkey, false, "asking for a passkey (MetadataCallback)")
    case .transaction: ("ApproveTransaction", .bound, false, signing)
    }
  }
}

/// The kinds of credentials that a server can enrol.
package enum EnrolmentKind: String, Sendable, CaseIterable {
  case bound, push, passkey

  /// The scenario that enrols it.
  package var scenario: LoadScenario {
    switch self {
    case .bound: .bind
    case .push: .pushRegister
    case .passkey: .passkeyRegister
    }
  }
}
