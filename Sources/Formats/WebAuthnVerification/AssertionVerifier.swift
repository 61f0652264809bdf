public import CBOR
public import WebAuthnFormats

/// A credential as it was registered, from the relying party's own records.
public struct RegisteredCredential: Sendable, Hashable {
  public var id: [UInt8]
  public var publicKey: COSEKey

  /// The counter of the last accepted assertion or of the registration.
  public var signCount: UInt32

  /// BE of the registration, which never changes; `nil` where the record is too old to say.
  public var isBackupEligible: Bool?

  /// The account's user handle; `nil` when it is not known and not compared.
  public var userHandle: [UInt8]?

  /// The AppID under which it was registered with U2F; `nil` for a credential of the relying party.
  public var appID: String?

  public init(
    id: [UInt8], publicKey: COSEKey, signCount: UInt32, isBackupEligible: Bool? = nil,
    userHandle: [UInt8]? = nil, appID: String? = nil
  ) {
    self.id = id
    self.publicKey = publicKey
    self.signCount = signCount
    self.isBackupEligible = isBackupEligible
    self.userHandle = userHandle
    self.appID = appID
  }
}

/// Verifies assertions: authentications with a registered credential (WebAuthn L3 §7.2).
///
/// Pure: no input or output. The caller finds the credential and its account, and makes sure that a challenge is used once.
public struct AssertionVerifier: Sendable {
  /// What is demanded.
  public struct Policy: Sendable {
    public var relyingParty: RelyingParty

    /// The AppID that exactly this request asked for by the extension `appid` (WebAuthn L3 §10.1.1); `nil` for none.
    public var appID: String?
    public var userVerification: UserVerificationRequirement

    /// Whether a counter that did not advance is a failure; otherwise ``VerifiedAssertion/counter`` reports it.
    public var refusesSignCountMismatch: Bool

    /// Whether the answer must have a user handle, because the account is found by it.
    public var requiresUserHandle: Bool

    public init(
      relyingParty: RelyingParty, appID: String? = nil,
      userVerification: UserVerificationRequirement = .preferred,
      refusesSignCountMismatch: Bool = false, requiresUserHandle: Bool = false
    ) {
      self.relyingParty = relyingParty
      self.appID = appID
      self.userVerification = userVerification
      self.refusesSignCountMismatch = refusesSignCountMismatch
      self.requiresUserHandle = requiresUserHandle
    }
  }

  private let policy: Policy

  public init(_ policy: Policy) { self.policy = policy }

  /// Verifies an answer against the credential that it names.
  ///
  /// - Parameter challenge: the bytes that were sent with the options, fresh and not used before.
  /// - Throws: ``WebAuthnFailure`` for the first check that fails.
  public func verify(
    _ response: AssertionResponse, challenge: [UInt8], credential: RegisteredCredential
  ) throws(WebAuthnFailure) -> VerifiedAssertion {
    guard response.credentialID == credential.id else {
      throw WebAuthnFailure(.unknownCredential, "the answer names another credential")
    }
    try check(userHandle: response.userHandle, of: credential)
    let clientData = try ClientData(
      response.clientDataJSON, of: .get, challenge: challenge, for: policy.relyingParty)
    let data = try Self.parse(response.authenticatorData)
    let appID = try appID(of: credential, response)
    try data.check(for: policy.relyingParty, appID: appID, requiresPresence: true, policy.userVerification)
    guard data.attestedCredential == nil else {
      throw WebAuthnFailure(
        .malformedAuthenticatorData, "an assertion describes a credential (flag AT) as only registrations do")
    }
    let isBackupEligible = data.flags.contains(.backupEligible)
    guard isBackupEligible == credential.isBackupEligible ?? isBackupEligible else {
      throw WebAuthnFailure(
        .backupStateInvalid, "the credential's backup eligibility (BE) is not that of its registration")
    }
    guard
      credential.publicKey.isValidSignature(
        response.signature, over: response.authenticatorData + clientData.hash)
    else { throw WebAuthnFailure(.invalidSignature, "the signature is not the credential's") }
    let counter = VerifiedAssertion.Counter(received: data.signCount, stored: credential.signCount)
    guard counter != .mismatch || !policy.refusesSignCountMismatch else {
      throw WebAuthnFailure(
        .signCountMismatch,
        "the counter is \(data.signCount) after \(credential.signCount): there may be a copy of the credential"
      )
    }
    return VerifiedAssertion(
      credentialID: credential.id, signCount: max(data.signCount, credential.signCount), counter: counter,
      flags: data.flags, extensions: data.extensions, origin: clientData.origin)
  }

  /// The AppID whose digest the authenticator signed in place of that of the relying party's id. It counts only for a key that was
  /// registered with U2F, when the client was asked for that AppID and says that it used it. For every other credential only the id
  /// counts, whatever the client says.
  private func appID(
    of credential: RegisteredCredential, _ response: AssertionResponse
  ) throws(WebAuthnFailure) -> String? {
    guard let appID = credential.appID else { return nil }
    guard policy.appID.map({ $0.utf8.elementsEqual(appID.utf8) }) == true else {
      throw WebAuthnFailure(
        .rpIdMismatch,
        "the key was registered with U2F under \(appID.shortened), which was not asked for (appid)")
    }
    guard response.usedAppID else {
      throw WebAuthnFailure(
        .rpIdMismatch, "the client does not say that it used the AppID (clientExtensionResults.appid)")
    }
    return appID
  }

  private func check(userHandle: [UInt8]?, of credential: RegisteredCredential) throws(WebAuthnFailure) {
    guard let userHandle else {
      guard !policy.requiresUserHandle else {
        throw WebAuthnFailure(
          .userHandleMismatch, "the answer has no user handle, and the account is unknown")
      }
      return
    }
    guard userHandle == credential.userHandle ?? userHandle else {
      throw WebAuthnFailure(.userHandleMismatch, "the user handle is another account's")
    }
  }

  private static func parse(_ bytes: [UInt8]) throws(WebAuthnFailure) -> AuthenticatorData {
    do throws(AuthenticatorDataError) { return try AuthenticatorData(parsing: bytes) } catch {
      let isBackupFault = error == .backupStateWithoutEligibility
      throw WebAuthnFailure(
        isBackupFault ? .backupStateInvalid : .malformedAuthenticatorData, error.description)
    }
  }
}

/// An assertion after it was verified. Only ``AssertionVerifier`` makes one.
public struct VerifiedAssertion: Sendable, Hashable {
  /// What the signature counter says (WebAuthn L3 §6.1.1).
  public enum Counter: String, Sendable, Hashable, CaseIterable {
    /// The authenticator does not count: both values are 0.
    case unused
    /// It is above the stored one.
    case advanced
    /// It is not above the stored one: there may be a copy of the credential, or two answers overtook each other.
    case mismatch

    init(received: UInt32, stored: UInt32) {
      self = received == 0 && stored == 0 ? .unused : received > stored ? .advanced : .mismatch
    }
  }

  public let credentialID: [UInt8]

  /// The counter to store: never below the one stored before.
  public let signCount: UInt32
  public let counter: Counter

  /// UP, UV, BE, BS and so on. The caller stores BS.
  public let flags: AuthenticatorData.Flags
  public let extensions: CBORMap?

  /// The origin at which the client ran, one of the allowed ones.
  public let origin: String
}
