import Crypto
import Foundation
import JOSE
import StrictJSON
import Testing

@testable import EvidenceLedger

@Suite("Keys of an export, imported once") struct ImportedKeysTests {
  private static func jwk() throws -> JSONObject {
    try JWK(p256X963: [UInt8](P256.Signing.PrivateKey().publicKey.x963Representation), keyID: nil).json
  }

  @Test func `each key is its own, also of more than are kept`() throws {
    let keys = ImportedKeys()
    let all = try (0..<ImportedKeys.limit + 3).map { _ in try Self.jwk() }
    for json in all + all.prefix(3) {
      #expect(try keys.key(json).jwk == JWK(json: json))
    }
  }

  @Test func `what is no key is refused each time`() throws {
    let keys = ImportedKeys()
    let good = try Self.jwk()
    var bad = good
    bad["y"] = try Self.jwk()["y"]
    _ = try keys.key(good)
    for json in [bad, [:], ["x": 1], bad] {
      #expect(throws: JOSEError.self) { try keys.key(json) }
    }
    #expect(try keys.key(good).jwk == JWK(json: good))
  }
}
