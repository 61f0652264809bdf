#if os(Linux)
  internal import CTAP
  internal import DeviceKeys
  internal import Foundation
  internal import WebAuthnAuthenticator

  /// A FIDO2 security key on USB that makes credentials and signs, in place of this device's own authenticator (WebAuthn L3 §6.2.1,
  /// "roaming authenticator").
  ///
  /// The credentials stay in the key, and this device keeps no record of them. The key's answers are untrusted data: they are read within
  /// limits, and refused when they do not match the request.
  public struct SecurityKeyAuthenticator: Sendable {
    /// How a server wants the person verified.
    package enum Verification: Sendable {
      case required, preferred, discouraged
    }

    /// How many ids a key is given at once; a longer list is split.
    static let idsAtOnce = 8

    let person: any SecurityKeyPerson
    private let path: String?
    private let attached: @Sendable () -> [AttachedSecurityKey]

    /// - Parameters:
    ///   - person: Shows what the key waits for, and asks for its PIN.
    ///   - path: The key's file, such as `/dev/hidraw3`, or a socket of this user or root that keeps messages whole and acts as one; `nil`
    ///     for the only one that is plugged in.
    public init(person: any SecurityKeyPerson, path: String? = nil) {
      self.init(person: person, path: path) { AttachedSecurityKey.all() }
    }

    package init(
      person: any SecurityKeyPerson, path: String? = nil,
      attached: @escaping @Sendable () -> [AttachedSecurityKey]
    ) {
      (self.person, self.path, self.attached) = (person, path, attached)
    }

    /// The security keys that are plugged in now. Nothing is sent to them.
    public static func attached() -> [AttachedSecurityKey] { AttachedSecurityKey.all() }

    // MARK: Opening

    /// An open key, and what it is asked to do.
    struct Opened {
      let session: SecurityKeySession
      let abilities: SecurityKeySession.Abilities
      let use: SecurityKeyUse
    }

    func open(
      _ purpose: SecurityKeyUse.Purpose, _ relyingPartyID: String, userName: String, _ scope: CredentialScope?
    ) async throws -> Opened {
      let (descriptor, name) = try file()
      let use = SecurityKeyUse(
        purpose: purpose, key: name, relyingPartyID: relyingPartyID, userName: userName, scope: scope)
      let session = try SecurityKeySession(descriptor: descriptor) { [person] in person.showTouch(for: use) }
      let abilities = try await reporting(relyingPartyID) { try await session.open() }
      guard abilities.isFIDO2 else {
        throw SecurityKeyError.unusable(
          "The security key at \(name) knows U2F only, and signing in here needs FIDO2. Use another one.")
      }
      return Opened(session: session, abilities: abilities, use: use)
    }

    private func file() throws(SecurityKeyError) -> (descriptor: Int32, name: String) {
      let keys = attached()
      if let path {
        return (try KeyFile.open(path), keys.first { $0.path == path }?.description ?? path)
      }
      guard let only = keys.first else { throw .noKey }
      guard keys.count == 1 else { throw .severalKeys(keys) }
      return (try KeyFile.open(only.path), only.description)
    }

    // MARK: The person

    /// Performs `request` with the verification that server and key want, and asks for the PIN where one is needed.
    func verified<Answer: Sendable>(
      _ opened: Opened, _ wanted: Verification,
      _ request: (SecurityKeySession.Verification) async throws -> Answer
    ) async throws -> (answer: Answer, isVerified: Bool) {
      let abilities = opened.abilities
      var verification = SecurityKeySession.Verification.none
      if wanted != .discouraged {
        if abilities.hasVerification {
          verification = .byKey
        } else if abilities.hasPIN {
          verification = .pin(try await pin(opened, isRepeated: false))
        } else if wanted == .required {
          throw SecurityKeyError.pinNotSet
        }
      }
      while true {
        do {
          let isVerified = if case .none = verification { false } else { true }
          return (try await request(verification), isVerified)
        } catch let failure as SecurityKeySession.Failure {
          switch (CTAPStatus(sent: failure.code), verification) {
          case (.pinInvalid, .pin):
            verification = .pin(try await pin(opened, isRepeated: true))
          // The key wants a verified person whatever the server says, or its finger failed.
          case (.pinRequired, .none), (.pinRequired, .byKey), (.verificationInvalid, .byKey),
            (.verificationBlocked, .byKey):
            guard abilities.hasPIN else { throw SecurityKeyError.pinNotSet }
            verification = .pin(try await pin(opened, isRepeated: false))
          default: throw failure
          }
        }
      }
    }

    private func pin(_ opened: Opened, isRepeated: Bool) async throws -> PIN {
      let left = try await opened.session.pinTries()
      guard left != 0 else { throw SecurityKeyError.pinBlocked }
      let question = SecurityKeyPINQuestion(use: opened.use, triesLeft: left, isRepeated: isRepeated)
      let entered = await person.pin(for: question)
      try Task.checkCancellation()
      guard let entered, !entered.isEmpty else {
        throw isRepeated ? SecurityKeyError.wrongPIN(left: left) : .noPIN
      }
      // The key would count such a PIN as a wrong one, although it cannot have it.
      guard entered.bytes.count <= SecurityKeySession.maximumPINBytes, !entered.bytes.contains(0) else {
        throw SecurityKeyError.unusable(
          "A security key's PIN has at most \(SecurityKeySession.maximumPINBytes) bytes. The key was not asked."
        )
      }
      return entered
    }

    // MARK: Failures

    /// - Throws: ``SecurityKeyError``, ``AuthenticatorError``, `CancellationError`.
    func reporting<Value>(_ relyingPartyID: String, _ body: () async throws -> Value) async throws -> Value {
      do { return try await body() } catch let failure as SecurityKeySession.Failure {
        throw Self.meaning(of: failure, relyingPartyID)
      }
    }

    private static func meaning(of failure: SecurityKeySession.Failure, _ relyingPartyID: String) -> any Error
    {
      if failure.isGone { return SecurityKeyError.removed }
      return switch CTAPStatus(sent: failure.code) {
      case .credentialExcluded: SecurityKeyError.registered
      case .noCredentials, .invalidCredential: SecurityKeyError.noCredential(relyingPartyID: relyingPartyID)
      case .operationDenied, .keepaliveCancel, .notAllowed: SecurityKeyError.declined
      case .userActionTimeout, .actionTimeout: SecurityKeyError.untouched
      case .pinAuthBlocked: SecurityKeyError.pinPaused
      case .pinBlocked: SecurityKeyError.pinBlocked
      case .pinNotSet, .pinRequired: SecurityKeyError.pinNotSet
      case .pinInvalid: SecurityKeyError.wrongPIN(left: nil)
      case .keyStoreFull: SecurityKeyError.full
      case .unsupportedAlgorithm: AuthenticatorError.unsupported("The security key cannot make ES256 keys.")
      case .unsupportedOption, .invalidOption:
        AuthenticatorError.unsupported(
          "The security key cannot do what the server asks for, such as keep the account.")
      case let status?: SecurityKeyError.misbehaved("it answered with the status \(status)")
      case nil:
        SecurityKeyError.misbehaved("it cannot be read, or did not come (libfido2's error \(failure.code))")
      }
    }

    static func short(_ name: String) -> String {
      // C's text ends at the first zero.
      CTAPUser.short(name.replacing("\0", with: ""))
    }
  }

  extension SecurityKeySession.Failure {
    /// The key requires verification of the person.
    static let pinRequired = Self(code: Int32(CTAPStatus.pinRequired.rawValue), isGone: false)

    /// The key answers nothing before the person is verified.
    var needsVerification: Bool { !isGone && CTAPStatus(sent: code) == .pinRequired }

    /// The key has none of the listed credentials, or does not say.
    var tellsOfNone: Bool { !isGone && CTAPStatus(sent: code) == .noCredentials }
  }

  extension CTAPStatus {
    /// The status that a key sent; `nil` for libfido2's own numbers and unknown ones.
    fileprivate init?(sent code: Int32) {
      guard let byte = UInt8(exactly: code) else { return nil }
      self.init(rawValue: byte)
    }
  }
#endif
