public import DeviceKeys
public import Foundation
public import PingDeviceId
public import SigningTransactions
public import UserVerification

/// Settings of one `bind()` or `sign()`. Set them in the closure; later changes have no effect.
public class DeviceBindingConfig {
  /// This device's name in the user's list of devices. The default is the name that its user gave it, where the system reports
  /// that, else the machine's name. The server accepts 1 to 120 characters. While this is not set, a name given to the callback's
  /// `setDeviceName` stays.
  public var deviceName: String {
    get { chosenDeviceName ?? systemDeviceName ?? HostName.standard }
    set { chosenDeviceName = newValue }
  }

  /// The identifier of this device; `nil` is `DefaultDeviceIdentifier`.
  public var deviceIdentifier: (any DeviceIdentifier)?

  /// The storage of the descriptions of bound keys.
  public var userKeyStorage = UserKeyStorageConfig()

  /// The store of the private keys; `nil` is the Secure Enclave on Apple platforms, else the software store in the client's home.
  public var keyStore: (any DeviceKeyStore)?

  /// The `iss` of the proofs: one of the application ids that the server's node lists. `nil` is
  /// ``BindingModule/applicationId``.
  public var applicationId: String?

  /// Shows the person a transaction before its key is used, and returns whether it is approved; `false` ends `sign()` as
  /// ``DeviceBindingStatus/abort``, and the server refuses the transaction.
  ///
  /// When set, it is called before every signature over a transaction, whatever unlocks the key. `nil` leaves it to the PIN's
  /// prompt to show the transaction (see ``Prompt/transaction``); for keys without such a prompt, the program's terminal shows
  /// it and asks. An app with its own PIN collector or key selector has to set this, unless that object declares that it shows
  /// transactions (``PinCollector/showsTransactions``, ``UserKeySelector/showsTransactions``); otherwise nothing is signed. Show
  /// all of `Transaction.lines`, unchanged. When the time limit or the app cancels the task, remove the question.
  public var transactionConfirmation: ((Transaction) async -> Bool)?

  /// Shows the person a text that the server asks to sign, and returns whether it is approved; `false` ends the call as
  /// ``DeviceBindingStatus/abort``.
  ///
  /// Every challenge is a text unless it has the form of a server's random bytes (44 characters of Base64). Texts of more than 500
  /// characters or 10 lines are refused as unsupported. When set, it is called before every signature over a text, whatever unlocks
  /// the key. `nil` leaves it to a PIN's prompt that shows texts (``PinCollector/showsTransactions``), and otherwise to the program's
  /// terminal, or an alert where there are windows; without either, nothing is signed. Show all of the text, unchanged. When the time
  /// limit or the app cancels the task, remove the question.
  public var textConfirmation: ((String) async -> Bool)?

  /// Decides whether a key without a recorded server belongs to the server and realm that ask for its signature. Such keys come from
  /// earlier versions, were migrated, or were bound outside a journey. With `true` the key signs, and once the server accepts the
  /// signature, the key belongs to this server only; `false` ends `sign()` as ``DeviceBindingStatus/abort``. `nil` asks the person, on
  /// the terminal or in an alert. An app with one server returns whether the address is that server's.
  public var serverConfirmation: ((_ key: UserKey, _ server: String, _ realm: String) async -> Bool)?

  /// Custom claims for `sign()`, which the server records: texts, whole numbers, finite doubles, booleans, `NSNull`, and
  /// arrays and dictionaries of these. The names `sub`, `exp`, `iat`, `nbf`, `iss`, `challenge` and `txn` are reserved; a claim
  /// `platform` replaces the proof's own.
  /// Claims are context, not proof: the person does not see them before the key signs. To prove something, use a transaction.
  public var claims: [String: Any] = [:]

  /// Chooses the key to sign with when there are several.
  public var userKeySelector: any UserKeySelector = DefaultUserKeySelector()

  /// Returns the claim `iat`.
  public var issueTime: () -> Date = { Date() }

  /// Returns the claim `nbf`.
  public var notBeforeTime: () -> Date = { Date() }

  /// Returns the claim `exp`, given the time limit in seconds.
  public var expirationTime: (Int) -> Date = { Date(timeIntervalSinceNow: TimeInterval($0)) }

  /// The time limit in seconds for the whole operation, prompts included, and the lifetime of the proof; a day at most. The default
  /// is the server's. A longer limit gives the person more time here, but the server decides how long it accepts the answer.
  public var timeout: Int {
    get { chosenTimeout ?? serverTimeout }
    set { chosenTimeout = newValue }
  }

  /// Whether to attest the key even when the server does not ask for it. A device that cannot attest binds without it, and the
  /// server decides.
  public var attestation: Attestation = .none

  /// Whether the app requires an attestation: when the key store cannot provide one, binding fails as unsupported before a key is
  /// made, whatever the server asks for.
  public var requiresAttestation = false

  /// The authentication type that the server demands. Changing it here has no effect: the server decides.
  public var deviceBindingAuthenticationType: DeviceBindingAuthenticationType = .none

  /// Makes and unlocks the key; `nil` is the default authenticator of the authentication type. Use an object for one operation at
  /// a time.
  public var deviceAuthenticator: (any DeviceAuthenticator)?

  /// Settings for the default authenticator of the authentication type.
  public var authenticatorConfig: (any AuthenticatorConfig)?

  /// Asks for the PIN, unless an ``AppPinConfig`` has its own collector.
  public var pinCollector: (any PinCollector)?

  /// Recognises the person for biometric keys where the key store does not do so itself, for example `FprintdVerifier` on
  /// Linux; `nil` means no reader.
  public var biometricVerifier: (any BiometricVerifier)?

  /// Checks the device's own credential for keys that allow it, for example `PAMVerifier` on Linux; `nil` is none.
  public var deviceCredentialVerifier: (any DeviceCredentialVerifier)?

  /// Asks for the device's own credential.
  public var credentialSource: any CredentialSource = DefaultCredentialSource()

  /// Receives the reader's progress, to show it to the person; called on no particular thread.
  public var biometricProgress: @Sendable (BiometricProgress) -> Void = { _ in }

  /// Stores the authorisation values of biometric keys; `nil` is the vault in the client's home.
  public var authorizationVault: AuthorizationVault?

  /// Makes the authenticator of an authentication type, unless ``deviceAuthenticator`` is set; `nil` is the default one.
  package var makeDeviceAuthenticator: ((DeviceBindingAuthenticationType) -> (any DeviceAuthenticator)?)?

  /// The name of the user whose keys may sign; `nil` allows every user that the server names.
  package var username: String?

  /// The settings of an operation by an app's code for the earlier SDK; `nil` for all other operations.
  package var earlierSDK: EarlierSDK?

  private(set) var chosenDeviceName: String?
  /// The name that its user gave this device, where it was read beforehand.
  var systemDeviceName: String?
  /// The server's limit in seconds.
  var serverTimeout = 60
  private(set) var chosenTimeout: Int?
  /// Measures the time limit.
  package var clock: any Clock<Duration> = ContinuousClock()
  /// The time of day for stored dates.
  package var now: @Sendable () -> Date = { Date() }
  /// Makes key ids and the random parts of tags.
  package var makeID: @Sendable () -> String = { UUID().uuidString }

  public init() {}
}
