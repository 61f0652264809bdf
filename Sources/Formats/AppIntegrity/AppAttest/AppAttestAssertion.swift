internal import CBOR
internal import Crypto
internal import Foundation

/// An assertion by an attested key of App Attest: `signature` over the hash of `authenticatorData` and client data.
struct AppAttestAssertion {
  private let authenticatorData: [UInt8]
  private let signature: [UInt8]

  /// Longest accepted encoding in bytes; real ones have about 150.
  static let maximumBytes = 4 << 10

  /// The length of the app's hash, the flags and the counter. WebAuthn's reader does not fit, because App Attest sets the flag for an
  /// attested credential here without sending one.
  private static let minimumDataBytes = 37

  init(parsing bytes: [UInt8]) throws(AppIntegrityFailure) {
    guard
      let map = try? CBORValue(decoding: bytes, limits: CBORLimits(maximumBytes: Self.maximumBytes)).mapValue,
      map.count == 2, let data = map["authenticatorData"]?.bytesValue,
      let signature = map["signature"]?.bytesValue,
      data.count >= Self.minimumDataBytes
    else {
      throw AppIntegrityFailure(.assertionInvalid, "it is not a map of authenticatorData and signature")
    }
    authenticatorData = data
    self.signature = signature
  }

  /// Throws unless `key` has signed this for its own app and `clientDataHash`, after it was attested.
  func verify(by key: AppAttestKey, clientDataHash: [UInt8]) throws(AppIntegrityFailure) {
    // ECDSA hashes once more: the nonce is signed, not the data.
    let nonce = Array(SHA256.hash(data: authenticatorData + clientDataHash))
    guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature),
      key.publicKey.isValidSignature(signature, for: nonce)
    else { throw AppIntegrityFailure(.assertionInvalid, "the attested key did not sign it") }
    guard Array(authenticatorData.prefix(32)) == key.relyingPartyIDHash else {
      throw AppIntegrityFailure(.assertionInvalid, "it is of another app")
    }
    guard authenticatorData[33..<37].contains(where: { $0 != 0 }) else {
      throw AppIntegrityFailure(.assertionInvalid, "its counter is 0, as before any signature")
    }
  }
}
