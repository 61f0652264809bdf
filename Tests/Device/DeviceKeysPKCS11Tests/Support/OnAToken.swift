import CommonFixtures
import Cryptoki
import DeviceKeys
import Foundation
import ProofFixtures
import StrictJSON
import Testing
import TokenFixtures

@testable import DeviceKeysPKCS11

/// One after the other: who is logged in is known for the whole process.
@Suite(.serialized) struct OnAToken {}

/// A folder of keys, and a module.
struct TokenScene {
  let folder: TemporaryFolder
  let module: String

  /// - Parameter fault: What the module lies about, when it does; SoftHSM's own without one.
  init(fault: String? = nil, lies: Bool = true) throws {
    _ = try SoftTokens.shared.get()
    folder = try TemporaryFolder.make()
    guard let fault else {
      module = SoftTokens.module
      return
    }
    module = try SoftTokens.liar(fault, in: folder.url)
    if lies { try SoftTokens.set(module, lies: true) }
  }

  func store(
    token: String? = "device", module: String? = nil, clock: @escaping @Sendable () -> Date = { Date() }
  ) throws -> PKCS11KeyStore {
    try PKCS11KeyStore(
      directory: folder.file("keys"), module: module ?? self.module, token: token, clock: clock)
  }

  func names() throws -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.file("keys").path).sorted()) ?? []
  }

  /// How many objects the token `device` has on disk. Other suites use others meanwhile.
  func objects() throws -> Int {
    let tokens = try SoftTokens.shared.get().appending(path: "tokens").path
    let module = try CryptokiModule(path: SoftTokens.module)
    let serial = try #require(try CryptokiToken.all(of: module).first { $0.label == "device" }?.serial)
    // SoftHSM takes the serial number from the folder's name.
    let folder = try #require(
      try FileManager.default.contentsOfDirectory(atPath: tokens)
        .first { $0.replacing("-", with: "").hasSuffix(serial) })
    return try FileManager.default.contentsOfDirectory(atPath: "\(tokens)/\(folder)")
      .count { $0.hasSuffix(".object") && $0 != "token.object" }
  }
}

extension PKCS11KeyStore {
  @discardableResult
  func create(_ tag: String = "k", pin: String = SoftTokens.pin) async throws -> any DeviceKey {
    try await createKey(tag: tag, protection: .applicationPIN, unlock: .pin(PIN(pin)))
  }

  func open(_ tag: String = "k", pin: String = SoftTokens.pin) async throws -> any DeviceKey {
    try await openKey(tag: tag, unlock: .pin(PIN(pin)))
  }
}

/// Expects that `key` signs what the public key of `other` verifies.
func expectSigns(_ key: any DeviceKey, for other: any DeviceKey) async throws {
  let token = try await Tokens.es256(["say": "hi"], signer: key)
  #expect(try VerifiedToken(token, key: other.publicKey).claims == ["say": "hi"])
}

/// The text of the error of `body`.
func refusal(_ body: () async throws -> Void) async -> String {
  do {
    try await body()
    return "nothing was refused"
  } catch { return error.localizedDescription }
}
