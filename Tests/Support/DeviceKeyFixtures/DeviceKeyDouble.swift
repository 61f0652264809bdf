package import DeviceKeys
package import JOSE

/// A device key around another: what a test does not replace is that key's.
package protocol DeviceKeyDouble: DeviceKey {
  var key: any DeviceKey { get }
}

extension DeviceKeyDouble {
  package var tag: String { key.tag }
  package var publicKey: JWK { key.publicKey }
  package func signature(for signingInput: [UInt8]) async throws -> [UInt8] {
    try await originalSignature(for: signingInput)
  }

  /// The other key's signature, for doubles that do more than sign.
  package func originalSignature(for signingInput: [UInt8]) async throws -> [UInt8] {
    try await key.signature(for: signingInput)
  }
}
