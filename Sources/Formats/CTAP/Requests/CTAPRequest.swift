internal import CBOR

/// A request to a security key (CTAP 2.1 §6), read and bounded. Nothing in it is verified.
package enum CTAPRequest: Sendable, Hashable {
  case makeCredential(CTAPMakeCredential)
  case getAssertion(CTAPGetAssertion)
  case getNextAssertion
  case getInfo
  case clientPIN(CTAPClientPIN)
  case reset
  case credentialManagement(CTAPCredentialManagement)
  case selection

  /// The most bytes of a request that are read, command and parameters.
  package static let maximumBytes = CTAPHIDMessage.maximumBytes

  /// The most credentials that a list may name.
  package static let maximumCredentials = 32

  /// Reads a request that is all of `bytes`: a command's number, and a map in the canonical form where the command has parameters.
  ///
  /// - Throws: the ``CTAPStatus`` to answer with.
  package init(parsing bytes: [UInt8]) throws(CTAPStatus) {
    guard bytes.count <= Self.maximumBytes else { throw .requestTooLarge }
    guard let command = bytes.first else { throw .invalidLength }
    let rest = bytes.dropFirst()
    switch command {
    case 0x01: self = .makeCredential(try CTAPMakeCredential(try CTAPParameters(parsing: rest)))
    case 0x02: self = .getAssertion(try CTAPGetAssertion(try CTAPParameters(parsing: rest)))
    case 0x04: self = try Self.without(rest, .getInfo)
    case 0x06: self = .clientPIN(try CTAPClientPIN(try CTAPParameters(parsing: rest)))
    case 0x07: self = try Self.without(rest, .reset)
    case 0x08: self = try Self.without(rest, .getNextAssertion)
    // 0x41 is the same in earlier drafts, which libfido2 before 1.14 uses.
    case 0x0A, 0x41:
      self = .credentialManagement(try CTAPCredentialManagement(try CTAPParameters(parsing: rest)))
    case 0x0B: self = try Self.without(rest, .selection)
    default: throw .invalidCommand
    }
  }

  private static func without(
    _ parameters: some Collection<UInt8>, _ request: CTAPRequest
  ) throws(CTAPStatus) -> CTAPRequest {
    guard parameters.isEmpty else { throw .invalidLength }
    return request
  }
}

/// The parameters of a request by their numbers or names. Unknown ones are ignored (§8).
struct CTAPParameters {
  let map: CBORMap

  init(_ map: CBORMap) { self.map = map }

  init(parsing bytes: some Collection<UInt8>) throws(CTAPStatus) {
    let value: CBORValue
    do throws(CBORError) {
      value = try CBORValue(
        decoding: bytes,
        limits: CBORLimits(maximumBytes: CTAPRequest.maximumBytes, maximumDepth: 4, maximumItems: 1024))
    } catch {
      throw .invalidCBOR
    }
    // A second encoding of the same value would be a second text to check signatures over.
    guard value.encoded.elementsEqual(bytes) else { throw .invalidCBOR }
    guard let map = value.mapValue else { throw .unexpectedType }
    self.map = map
  }

  func optional<Value>(
    _ key: CBORValue, _ read: (CBORValue) -> Value?
  ) throws(CTAPStatus) -> Value? {
    guard let found = map[key] else { return nil }
    guard let value = read(found) else { throw .unexpectedType }
    return value
  }

  func required<Value>(_ key: CBORValue, _ read: (CBORValue) -> Value?) throws(CTAPStatus) -> Value {
    guard let value = try optional(key, read) else { throw .missingParameter }
    return value
  }

  /// A hash of 32 bytes.
  func hash(_ key: CBORValue) throws(CTAPStatus) -> [UInt8] {
    let bytes = try required(key, \.bytesValue)
    guard bytes.count == 32 else { throw .invalidLength }
    return bytes
  }

  /// The ids in a list of credentials; those of another type are left out.
  func credentials(_ key: CBORValue) throws(CTAPStatus) -> [[UInt8]]? {
    guard let list = try optional(key, \.arrayValue) else { return nil }
    guard list.count <= CTAPRequest.maximumCredentials else { throw .limitExceeded }
    var ids: [[UInt8]] = []
    for item in list {
      guard let map = item.mapValue else { throw .unexpectedType }
      let descriptor = CTAPParameters(map)
      let id = try descriptor.required("id", \.bytesValue)
      if try descriptor.required("type", \.textValue) == "public-key" { ids.append(id) }
    }
    return ids
  }

  /// A relying party's id: 1 to 253 printable ASCII characters without blanks, as domains are, and `ssh:`.
  func relyingPartyID(_ key: CBORValue) throws(CTAPStatus) -> String? {
    guard let id = try optional(key, \.textValue) else { return nil }
    guard (1...253).contains(id.utf8.count), id.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .invalidParameter
    }
    return id
  }

  /// The known flags of `options` that were given.
  func options(_ key: CBORValue) throws(CTAPStatus) -> CTAPOptions {
    guard let map = try optional(key, \.mapValue) else { return CTAPOptions() }
    let flags = CTAPParameters(map)
    return CTAPOptions(
      residentKey: try flags.optional("rk", \.boolValue), presence: try flags.optional("up", \.boolValue),
      verification: try flags.optional("uv", \.boolValue))
  }
}

/// The options of a ceremony, as far as they were given.
package struct CTAPOptions: Sendable, Hashable {
  package var residentKey: Bool?
  package var presence: Bool?
  package var verification: Bool?
}

/// Proof that the platform has a token of this security key (`pinUvAuthParam`).
package struct CTAPAuthorization: Sendable, Hashable {
  package let parameter: [UInt8]
  /// The version of the PIN protocol; `nil` when it was not given.
  package let version: Int?

  init?(_ parameters: CTAPParameters, parameter: CBORValue, version: CBORValue) throws(CTAPStatus) {
    let number = try parameters.optional(version, \.intValue)
    guard let bytes = try parameters.optional(parameter, \.bytesValue) else { return nil }
    (self.parameter, self.version) = (bytes, number)
  }
}
