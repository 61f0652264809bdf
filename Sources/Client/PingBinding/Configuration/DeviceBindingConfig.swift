public import DeviceKeys
public import Foundation
public import PingDeviceId
public import SigningTransactions
public import UserVerification

/// Settings of one `bind()` or `sign()`. Set them in the closure; later changes have no effect.
public class DeviceBindingConfig {
  /// What the user's list of devices calls this one; by default the person's name for it where the system tells, else the
  /// machine's. The server accepts 1 to 120 characters. Without it, a name that was given to the callback's `setDeviceName`
  /// stays.
  public var deviceName: String {
    get { chosenDeviceName ?? systemDeviceName ?? HostName.standard }
    set { chosenDeviceName = newValue }
  }

  /// Tells this device from others; `nil` is `DefaultDeviceIdentifier`.
  public var deviceIdentifier: (any DeviceIdentifier)?

  /// Where the descriptions of bound keys are kept.
  public var userKeyStorage = UserKeyStorageConfig()

  /// Where the private keys are kept; `nil` is the software store in the client's home.
  public var keyStore: (any DeviceKeyStore)?

  /// The `iss` of what is signed: one of the application ids that the server's node lists. `nil` is
  /// ``BindingModule/applicationId``.
  public var applicationId: String?

  /// Shows the person a transaction before its key is used, and returns whether it is approved; `false` ends `sign()` as
  /// ``DeviceBindingStatus/abort``, and the server refuses the transaction.
  ///
  /// When it is set, it is asked before every signature over a transaction, whatever unlocks the key. `nil` leaves it to
  /// the PIN's prompt to show the transaction (see ``Prompt/transaction``); for keys without such a prompt, the program's
  /// terminal shows it and asks. An app with a PIN collector or a key selector of its own has to set it, unless that says
  /// that it shows transactions (``PinCollector/showsTransactions``, ``UserKeySelector/showsTransactions``); else nothing is
  /// signed. Show all of `Transaction.lines`, and nothing in their place. The time limit, or the app, cancels the task: take the question away then.
  public var transactionConfirmation: ((Transaction) async -> Bool)?

  /// Custom claims for `sign()`, which the server records: texts, whole numbers, finite doubles, booleans, `NSNull`, and
  /// arrays and dictionaries of these. The names `sub`, `exp`, `iat`, `nbf`, `iss`, `challenge` and `txn` are reserved;
  /// `platform` takes the place of the proof's own.
  /// They are context, not proof: nobody is shown them before the key signs. What has to be proven is a transaction.
  public var claims: [String: Any] = [:]

  /// Asks which key to sign with when there are several.
  public var userKeySelector: any UserKeySelector = DefaultUserKeySelector()

  /// `iat`.
  public var issueTime: () -> Date = { Date() }

  /// `nbf`.
  public var notBeforeTime: () -> Date = { Date() }

  /// `exp`, given the time limit in seconds.
  public var expirationTime: (Int) -> Date = { Date(timeIntervalSinceNow: TimeInterval($0)) }

  /// The time limit in seconds for all that happens, prompts included, and until the proof expires; a day at most. The
  /// server's unless it is set. A longer one gives the person more time here; how long the server takes the answer is its
  /// own decision.
  public var timeout: Int {
    get { chosenTimeout ?? serverTimeout }
    set { chosenTimeout = newValue }
  }

  /// Whether the key is to be attested also when the server does not ask for it. A device that cannot do it binds without,
  /// as when the server asks: the server decides.
  public var attestation: Attestation = .none

  /// Whether binding without an attestation is no good to the app: when the key store cannot give one, binding fails as
  /// unsupported before a key is made, whatever the server asks for.
  public var requiresAttestation = false

  /// The authentication type that the server demands. Changing it here has no effect: the server decides.
  public var deviceBindingAuthenticationType: DeviceBindingAuthenticationType = .none

  /// What makes and unlocks the key; `nil` is the authenticator of the authentication type. Use one object for one
  /// operation at a time.
  public var deviceAuthenticator: (any DeviceAuthenticator)?

  /// Settings for the authenticator of the authentication type.
  public var authenticatorConfig: (any AuthenticatorConfig)?

  /// Asks for the PIN, unless an ``AppPinConfig`` has a collector of its own.
  public var pinCollector: (any PinCollector)?

  /// Recognises the person for biometric keys where the key store does not do it itself, for example `FprintdVerifier` on
  /// Linux; `nil` means no reader.
  public var biometricVerifier: (any BiometricVerifier)?

  /// Checks the device's own credential for keys that allow it, for example `PAMVerifier` on Linux; `nil` is none.
  public var deviceCredentialVerifier: (any DeviceCredentialVerifier)?

  /// Asks for the device's own credential.
  public var credentialSource: any CredentialSource = DefaultCredentialSource()

  /// Receives what the reader waits for, to be shown to the person; called on no particular thread.
  public var biometricProgress: @Sendable (BiometricProgress) -> Void = { _ in }

  /// Keeps the authorisation values of biometric keys; `nil` is the one in the client's home.
  public var authorizationVault: AuthorizationVault?

  /// Makes the authenticator of an authentication type, unless ``deviceAuthenticator`` is set; `nil` is the usual one.
  package var makeDeviceAuthenticator: ((DeviceBindingAuthenticationType) -> (any DeviceAuthenticator)?)?

  private(set) var chosenDeviceName: String?
  /// The person's name for this device, where it was asked for before.
  var systemDeviceName: String?
  /// The limit that the server gives, in seconds.
  var serverTimeout = 60
  private(set) var chosenTimeout: Int?
  /// Measures the time limit.
  package var clock: any Clock<Duration> = ContinuousClock()
  /// The time of day for what is stored.
  package var now: @Sendable () -> Date = { Date() }
  /// Makes key ids and the random parts of tags.
  package var makeID: @Sendable () -> String = { UUID().uuidString }

  public init() {}
}
