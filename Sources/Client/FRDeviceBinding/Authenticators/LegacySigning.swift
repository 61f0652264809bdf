internal import Concurrency
internal import DeviceKeys
internal import Foundation
internal import PingBinding

#if canImport(Security)
  internal import Security
#endif

/// The operation that an authenticator of the earlier SDK takes part in. Outside an operation, all properties have their defaults.
struct LegacyOperation {
  /// The PingBinding authenticator that the app's authenticator replaces; `nil` outside an operation.
  var place: PingBinding.DefaultDeviceAuthenticator?
  /// The `iss` claim; `nil` means the process's application id.
  var applicationId: String?
  var attestation = Attestation.none
  /// The transaction that was shown and approved.
  var transactionID: String?
  /// Whether `deleteKeys()` of this module leaves the user's bound keys alone.
  var keepsKeys = false
}

/// The earlier SDK's `isSupported`, `generateKeys` and `sign`, implemented by PingBinding's authenticators. The calls block their thread,
/// and throw `DeviceBindingStatus`.
enum LegacySigning {
  /// Whether store and reader can make and unlock keys of this type.
  static func isSupported(_ authenticator: any DeviceAuthenticator, in operation: LegacyOperation) -> Bool {
    guard let engine = try? engine(of: authenticator, in: operation) else { return false }
    guard operation.place == nil, let standard = engine.standard else {
      return engine.isSupported(attestation: .none)
    }
    let asked = Transferred(standard)
    let isLookedFor: Void? = try? Blocking.run { try await asked.value.lookForPerson() }
    return isLookedFor != nil && standard.isSupported(attestation: .none)
  }

  static func generateKeys(
    by authenticator: any DeviceAuthenticator, in operation: LegacyOperation
  ) throws -> KeyPair {
    if let own = authenticator as? DefaultDeviceAuthenticator, own.userId == nil {
      throw DeviceBindingStatus.unsupported(
        errorMessage: "Cannot generate keys, missing key: call initialize(userId:) first.")
    }
    return try reporting {
      let engine = Transferred(try engine(of: authenticator, in: operation))
      return KeyPair(try Blocking.run { try await engine.value.register() })
    }
  }

  static func proof(
    of keyPair: KeyPair, kid: String, userId: String, challenge: String, expiration: Date,
    by authenticator: any DeviceAuthenticator, in operation: LegacyOperation
  ) throws -> String {
    let params = SigningParameters(
      keyPair: keyPair.pair, kid: kid, userId: userId, challenge: challenge,
      issueTime: authenticator.issueTime(), notBeforeTime: authenticator.notBeforeTime(),
      expiration: expiration, attestation: operation.attestation,
      applicationId: operation.applicationId ?? applicationID)
    return try reporting { try PingBinding.DefaultDeviceAuthenticator().sign(params: params, journey: nil) }
  }

  static func proof(
    of userKey: UserKey, challenge: String, expiration: Date, customClaims: [String: Any],
    by authenticator: any DeviceAuthenticator, in operation: LegacyOperation
  ) throws -> String {
    // In an operation, the claims were checked before.
    guard operation.place != nil || authenticator.validateCustomClaims(customClaims) else {
      throw DeviceBindingStatus.invalidCustomClaims
    }
    return try reporting {
      let described = userKey.described
      let engine = Transferred(try engine(of: authenticator, in: operation))
      let key: any DeviceKey = try Blocking.run {
        let opened: Result<any DeviceKey, any Error> = await engine.value.authenticate(
          keyTag: described.keyTag)
        return try opened.get()
      }
      let params = UserKeySigningParameters(
        userKey: described, privateKey: key, publicKey: key.publicKey, challenge: challenge,
        issueTime: authenticator.issueTime(), notBeforeTime: authenticator.notBeforeTime(),
        expiration: expiration, customClaims: CustomClaims.withoutReserved(customClaims),
        applicationId: operation.applicationId ?? applicationID)
      return try PingBinding.DefaultDeviceAuthenticator().sign(
        params, transactionID: operation.transactionID)
    }
  }

  /// Runs `body` and rethrows its errors as a ``DeviceBindingStatus``.
  private static func reporting<Value>(_ body: () throws -> Value) throws(DeviceBindingStatus) -> Value {
    do { return try body() } catch let status as DeviceBindingStatus { throw status } catch {
      throw DeviceBindingStatus(PingBinding.DeviceBindingStatus(cause: error))
    }
  }

  #if canImport(Security)
    static func accessControl(of type: DeviceBindingAuthenticationType) -> SecAccessControl? {
      (type.standardAuthenticator.authenticator() as? PingBinding.DefaultDeviceAuthenticator)?.accessControl()
    }
  #endif

  private static var applicationID: String? {
    FRDeviceBinding.configuration().applicationId ?? BindingModule.applicationId
  }

  /// The PingBinding authenticator behind `authenticator`.
  private static func engine(
    of authenticator: any DeviceAuthenticator, in operation: LegacyOperation
  ) throws -> any PingBinding.DeviceAuthenticator {
    let engine = authenticator.authenticator()
    guard let ours = engine as? PingBinding.DefaultDeviceAuthenticator else { return engine }
    if let place = operation.place {
      try ours.prepare(inPlaceOf: place)
    } else {
      if let own = authenticator as? DefaultDeviceAuthenticator {
        own.prompt.map {
          ours.setPrompt(
            PingBinding.Prompt(title: $0.title, subtitle: $0.subtitle, description: $0.description))
        }
        own.userId.map { ours.initialize(userId: $0) }
      }
      try ours.prepare(with: FRDeviceBinding.configuration())
    }
    return ours
  }
}
