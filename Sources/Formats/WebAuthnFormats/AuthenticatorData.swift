internal import Bytes
public import CBOR
internal import Crypto

/// What an authenticator says of itself and signs (WebAuthn L3 §6.1). Unverified until a signature over ``encoded`` was checked.
public struct AuthenticatorData: Sendable, Hashable {
  /// The flags byte. Reserved bits are kept as they came.
  public struct Flags: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// UP: a user was present.
    public static let userPresent = Flags(rawValue: 0x01)
    /// UV: the authenticator verified the user.
    public static let userVerified = Flags(rawValue: 0x04)
    /// BE: the credential may be copied to other devices (a passkey that is synchronised).
    public static let backupEligible = Flags(rawValue: 0x08)
    /// BS: the credential is backed up.
    public static let backedUp = Flags(rawValue: 0x10)
    /// AT: a new credential is described.
    public static let attestedCredential = Flags(rawValue: 0x40)
    /// ED: extension data follows.
    public static let extensions = Flags(rawValue: 0x80)
  }

  /// SHA-256 of the relying party's id.
  public let relyingPartyIDHash: [UInt8]
  public let flags: Flags

  /// How often the credential signed; 0 where the authenticator does not count.
  public let signCount: UInt32

  /// The new credential, at registration.
  public let attestedCredential: AttestedCredential?
  public let extensions: CBORMap?

  /// The encoded bytes, as received or as made.
  public let encoded: [UInt8]

  /// Fewest bytes: hash, flags, counter.
  static let minimumBytes = 37

  /// Longest accepted encoding in bytes.
  static let maximumBytes = 16 << 10

  /// Makes authenticator data. The flags AT and ED follow from what is given.
  ///
  /// - Throws: ``AuthenticatorDataError/backupStateWithoutEligibility``.
  public init(
    relyingPartyID: String, flags: Flags, signCount: UInt32, attestedCredential: AttestedCredential? = nil,
    extensions: CBORMap? = nil
  ) throws(AuthenticatorDataError) {
    var flags = flags.subtracting([.attestedCredential, .extensions])
    if attestedCredential != nil { flags.insert(.attestedCredential) }
    if extensions != nil { flags.insert(.extensions) }
    try Self.check(flags)
    relyingPartyIDHash = Array(SHA256.hash(data: Array(relyingPartyID.utf8)))
    self.flags = flags
    self.signCount = signCount
    self.attestedCredential = attestedCredential
    self.extensions = extensions
    encoded =
      relyingPartyIDHash + [flags.rawValue] + signCount.bigEndianBytes
      + (attestedCredential?.encoded ?? []) + (extensions.map { CBORValue.map($0).encoded } ?? [])
  }

  /// Reads authenticator data that is all of `bytes`.
  ///
  /// - Throws: ``AuthenticatorDataError`` for fewer or more bytes than the flags announce, an empty credential id or one above 1023
  ///   bytes, a key that is not acceptable, extensions that are not a map, and BS without BE.
  public init(parsing bytes: [UInt8]) throws(AuthenticatorDataError) {
    guard bytes.count >= Self.minimumBytes else { throw .truncated }
    guard bytes.count <= Self.maximumBytes else { throw .tooLarge }
    encoded = bytes
    relyingPartyIDHash = Array(bytes[..<32])
    flags = Flags(rawValue: bytes[32])
    signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    try Self.check(flags)
    var rest = bytes[37...]
    attestedCredential =
      try flags.contains(.attestedCredential) ? AttestedCredential(consuming: &rest) : nil
    extensions = try flags.contains(.extensions) ? Self.extensions(consuming: &rest) : nil
    guard rest.isEmpty else { throw .trailingBytes(rest.count) }
  }

  private static func check(_ flags: Flags) throws(AuthenticatorDataError) {
    guard flags.contains(.backupEligible) || !flags.contains(.backedUp) else {
      throw .backupStateWithoutEligibility
    }
  }

  private static func extensions(
    consuming rest: inout ArraySlice<UInt8>
  ) throws(AuthenticatorDataError) -> CBORMap {
    let (value, length): (CBORValue, Int)
    do throws(CBORError) { (value, length) = try CBORValue.decodePrefix(of: rest) } catch {
      throw .extensionsMalformed(error.description)
    }
    guard let map = value.mapValue else { throw .extensionsMalformed("they are not a CBOR map") }
    rest = rest.dropFirst(length)
    return map
  }
}

/// A new credential as its authenticator describes it (WebAuthn L3 §6.5.1).
public struct AttestedCredential: Sendable, Hashable {
  /// Most bytes of a credential id.
  public static let maximumIDBytes = 1023

  public let aaguid: AAGUID

  /// 1 to 1023 bytes.
  public let id: [UInt8]
  public let publicKey: COSEKey

  /// The encoded key, with the original bytes when they came from outside, so that encoding again gives the signed bytes.
  private let encodedKey: [UInt8]

  /// - Throws: ``AuthenticatorDataError/credentialIDLength(_:)``.
  public init(aaguid: AAGUID, id: [UInt8], publicKey: COSEKey) throws(AuthenticatorDataError) {
    guard (1...Self.maximumIDBytes).contains(id.count) else { throw .credentialIDLength(id.count) }
    self.aaguid = aaguid
    self.id = id
    self.publicKey = publicKey
    encodedKey = publicKey.encoded
  }

  init(consuming rest: inout ArraySlice<UInt8>) throws(AuthenticatorDataError) {
    guard rest.count >= 18 else { throw .truncated }
    aaguid = AAGUID(unchecked: Array(rest.prefix(16)))
    rest = rest.dropFirst(16)
    let count = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
    rest = rest.dropFirst(2)
    guard (1...Self.maximumIDBytes).contains(count) else { throw .credentialIDLength(count) }
    guard rest.count >= count else { throw .truncated }
    id = Array(rest.prefix(count))
    rest = rest.dropFirst(count)
    let (value, length): (CBORValue, Int)
    do throws(CBORError) {
      // Extensions may follow, so the number of remaining bytes is not limited here.
      (value, length) = try CBORValue.decodePrefix(
        of: rest, limits: CBORLimits(maximumDepth: 2, maximumItems: 64))
    } catch {
      throw .keyMalformed(error.description)
    }
    do throws(COSEKeyError) { publicKey = try COSEKey(value) } catch { throw .key(error) }
    encodedKey = Array(rest.prefix(length))
    rest = rest.dropFirst(length)
  }

  var encoded: [UInt8] { aaguid.bytes + UInt16(id.count).bigEndianBytes + id + encodedKey }
}

/// Why bytes are not acceptable authenticator data.
public enum AuthenticatorDataError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Fewer bytes than 37, or than the flags announce.
  case truncated
  /// More than 16 KiB.
  case tooLarge
  /// This many bytes follow the data that the flags announce.
  case trailingBytes(Int)
  /// A credential id of that many bytes.
  case credentialIDLength(Int)
  /// The credential's key is not CBOR.
  case keyMalformed(String)
  /// The credential's key is CBOR, but not an acceptable key.
  case key(COSEKeyError)
  case extensionsMalformed(String)
  /// BS without BE: a copy of what cannot be copied.
  case backupStateWithoutEligibility

  public var description: String {
    switch self {
    case .truncated: "the authenticator data ends too early"
    case .tooLarge: "the authenticator data has more than \(AuthenticatorData.maximumBytes) bytes"
    case .trailingBytes(let count): "\(count) bytes follow what the flags of the authenticator data announce"
    case .credentialIDLength(let count):
      "the credential id has \(count) bytes, not 1 to \(AttestedCredential.maximumIDBytes)"
    case .keyMalformed(let reason): "the credential's key cannot be read: \(reason)"
    case .key(let error): error.description
    case .extensionsMalformed(let reason): "the extensions cannot be read: \(reason)"
    case .backupStateWithoutEligibility: "the flags say backed up (BS) without backup eligible (BE)"
    }
  }
}
