// Authenticators as an app has written them for the published API, with Apple's types. Belongs to no target:
// scripts/typecheck-apple compiles it, in the language modes 5 and 6.
import Foundation
import PingBinding
import PingCommons
import PingJourneyPlugin
import Security

private func key(tagged tag: String) -> SecKey? {
  var found: CFTypeRef?
  let query: [String: Any] = [
    kSecClass: kSecClassKey, kSecAttrApplicationTag: Data(tag.utf8), kSecReturnRef: true,
  ]
  guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess else { return nil }
  return found as? SecKey
}

/// Overrides all that the published base class lets an app override.
final class EnclaveAuthenticator: DefaultDeviceAuthenticator {
  private let cryptoKey = CryptoKey(keyTag: "com.acme.wallet.key")

  override func type() -> DeviceBindingAuthenticationType { .biometricOnly }

  override func isSupported(attestation: Attestation) -> Bool { true }

  override func accessControl() -> SecAccessControl? {
    SecAccessControlCreateWithFlags(
      nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, [.privateKeyUsage, .biometryAny], nil)
  }

  override func register() async throws -> KeyPair {
    try cryptoKey.generateKeyPair(attestation: .none, accessControl: accessControl())
  }

  override func authenticate(keyTag: String) async -> Result<SecKey, Error> {
    guard let key = key(tagged: keyTag) else { return .failure(DeviceBindingError.deviceNotRegistered) }
    return .success(key)
  }

  override func sign(params: SigningParameters, journey: Journey?) throws -> String {
    let algorithm: SecKeyAlgorithm = params.algorithm
    return try CompactJwt.sign(
      claims: ["sub": params.userId, "challenge": params.challenge], privateKey: params.keyPair.privateKey,
      publicKey: params.keyPair.publicKey, algorithm: algorithm, kid: params.kid)
  }

  override func sign(params: UserKeySigningParameters, journey: Journey?) throws -> String {
    let (privateKey, publicKey): (SecKey, SecKey) = (params.privateKey, params.publicKey)
    guard privateKey !== publicKey else { return try super.sign(params: params, journey: journey) }
    return try CompactJwt.sign(
      claims: params.customClaims, privateKey: privateKey, publicKey: publicKey, algorithm: params.algorithm,
      kid: params.userKey.kid)
  }

  override func deleteKeys() async throws { try cryptoKey.deleteKeyPair() }
}

/// Conforms without the base class, with what the published protocol asks for and nothing else.
final class PlainAuthenticator: DeviceAuthenticator {
  var journey: Journey?
  private let cryptoKey = CryptoKey(keyTag: "com.acme.wallet.plain")

  func register() async throws -> KeyPair {
    try cryptoKey.generateKeyPair(attestation: .none, accessControl: accessControl())
  }
  func authenticate(keyTag: String) async -> Result<SecKey, Error> {
    guard let key = key(tagged: keyTag) else { return .failure(DeviceBindingError.deviceNotRegistered) }
    return .success(key)
  }
  func isSupported(attestation: Attestation) -> Bool { attestation == .none }
  func type() -> DeviceBindingAuthenticationType { .none }
  func accessControl() -> SecAccessControl? { nil }
  func setPrompt(_ prompt: Prompt) {}
  func initialize(userId: String, prompt: Prompt) {}
  func initialize(userId: String) {}
  func deleteKeys() async throws { try cryptoKey.deleteKeyPair() }
  func issueTime() -> Date { Date() }
  func notBeforeTime() -> Date { Date() }
  func validateCustomClaims(_ customClaims: [String: Any]) -> Bool { customClaims.isEmpty }
  func sign(params: SigningParameters, journey: Journey?) throws -> String { params.kid }
  func sign(params: UserKeySigningParameters, journey: Journey?) throws -> String { params.userKey.kid }
}

/// What an app does with authenticators, its own and ours: no call is ambiguous, and none needs `await` that had none.
func use(_ authenticator: DeviceAuthenticator) async throws -> [SecKey] {
  var keys: [SecKey] = []
  let result = await authenticator.authenticate(keyTag: "tag")
  switch result {
  case .success(let key): keys.append(key)
  case .failure(let error): throw error
  }
  let own = NoneAuthenticator()
  _ = own.accessControl()
  let pair = try await own.register()
  keys += [pair.privateKey, pair.publicKey]
  keys.append(try await own.authenticate(keyTag: pair.keyTag).get())
  let params = SigningParameters(
    keyPair: try KeyPair(publicKey: pair.publicKey, privateKey: pair.privateKey, keyTag: pair.keyTag),
    kid: "kid", userId: "id=mira", challenge: "c", issueTime: own.issueTime(),
    notBeforeTime: own.notBeforeTime(), expiration: Date(), attestation: .none)
  _ = try own.sign(params: params, journey: nil)
  return keys
}

func bind(_ callback: DeviceBindingCallback) async -> Bool {
  let result = await callback.bind { config in config.deviceAuthenticator = EnclaveAuthenticator() }
  if case .success = result { return true }
  return false
}
