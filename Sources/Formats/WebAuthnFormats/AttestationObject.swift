public import CBOR

/// What an authenticator returns at registration (WebAuthn L3 §6.5.4): its data and a statement about it. Unverified.
public struct AttestationObject: Sendable, Hashable {
  /// `fmt`: `none`, `packed` and so on.
  public let format: String

  /// `attStmt`, by the rules of the format.
  public let statement: CBORMap

  /// `authData`, not yet parsed: see ``AuthenticatorData/init(parsing:)``.
  public let authenticatorData: [UInt8]

  /// Longest accepted encoding in bytes.
  public static let maximumBytes = 64 << 10

  public init(format: String, statement: CBORMap, authenticatorData: [UInt8]) {
    self.format = format
    self.statement = statement
    self.authenticatorData = authenticatorData
  }

  /// An object without a statement.
  public static func none(_ data: AuthenticatorData) -> AttestationObject {
    AttestationObject(format: "none", statement: CBORMap(), authenticatorData: data.encoded)
  }

  /// An object with a signature of the new key itself (§8.2).
  ///
  /// - Parameter signature: over ``AuthenticatorData/encoded`` ‖ ``ClientData/hash``; DER for ECDSA.
  public static func packedSelf(
    _ data: AuthenticatorData, algorithm: COSEAlgorithm, signature: [UInt8]
  ) -> AttestationObject {
    AttestationObject(
      format: "packed", statement: ["alg": CBORValue(algorithm.rawValue), "sig": .bytes(signature)],
      authenticatorData: data.encoded)
  }

  /// Reads an object that is all of `bytes`, with exactly its three members, in any order.
  ///
  /// - Throws: ``AttestationObjectError``.
  public init(parsing bytes: [UInt8]) throws(AttestationObjectError) {
    let value: CBORValue
    do throws(CBORError) {
      value = try CBORValue(decoding: bytes, limits: CBORLimits(maximumBytes: Self.maximumBytes))
    } catch {
      throw AttestationObjectError(reason: error.description)
    }
    guard let map = value.mapValue else { throw AttestationObjectError(reason: "it is not a CBOR map") }
    guard let format = map["fmt"]?.textValue else {
      throw AttestationObjectError(reason: "the member fmt is missing or not text")
    }
    guard let statement = map["attStmt"]?.mapValue else {
      throw AttestationObjectError(reason: "the member attStmt is missing or not a map")
    }
    guard let authenticatorData = map["authData"]?.bytesValue else {
      throw AttestationObjectError(reason: "the member authData is missing or not a byte string")
    }
    guard map.count == 3 else { throw AttestationObjectError(reason: "it has other members too") }
    self.init(format: format, statement: statement, authenticatorData: authenticatorData)
  }

  /// The canonical encoding, in the order `fmt`, `attStmt`, `authData`.
  public var encoded: [UInt8] {
    let value: CBORValue = [
      "fmt": .text(format), "attStmt": .map(statement), "authData": .bytes(authenticatorData),
    ]
    return value.encoded
  }
}

/// Why bytes are not an attestation object.
public struct AttestationObjectError: Error, Sendable, Hashable, CustomStringConvertible {
  public let reason: String

  public var description: String { "the attestation object cannot be read: \(reason)" }
}
