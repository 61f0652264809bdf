// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// Whether the person has to be verified (WebAuthn L3 §5.8.6).
public enum UserVerificationRequirement: String, Codable, Sendable, Hashable, CaseIterable {
  case required, preferred, discouraged
}

/// Whether an authenticator is part of the device (§5.4.5).
public enum AuthenticatorAttachment: String, Codable, Sendable, Hashable, CaseIterable {
  case platform
  case crossPlatform = "cross-platform"
}

/// Whether the server asks for an attestation of the key (§5.4.7).
public enum AttestationConveyancePreference: String, Codable, Sendable, Hashable, CaseIterable {
  case none, indirect, direct
}

/// The only type of credentials (§5.8.2).
public enum PublicKeyCredentialType: String, Codable, Sendable, Hashable, CaseIterable {
  case publicKey = "public-key"
}

/// How an authenticator is reached (§5.8.4).
public enum AuthenticatorTransport: String, Codable, Sendable, Hashable, CaseIterable {
  case usb, nfc, ble
  case internal_transport = "internal"
}

/// A signature algorithm by its COSE number. Decodes numbers and decimal text.
public enum COSEAlgorithmIdentifier: RawRepresentable, Codable, Sendable, Hashable {
  case es256, es384, es512, rs256, rs384, rs512
  case unknown(Int)

  /// Never `nil`: a number that is not listed is ``unknown(_:)``.
  public init?(rawValue: Int) { self.init(number: rawValue) }

  private init(number: Int) {
    let known: [Self] = [.es256, .es384, .es512, .rs256, .rs384, .rs512]
    self = known.first { $0.rawValue == number } ?? .unknown(number)
  }

  public var rawValue: Int {
    switch self {
    case .es256: -7
    case .es384: -35
    case .es512: -36
    case .rs256: -257
    case .rs384: -258
    case .rs512: -259
    case .unknown(let number): number
    }
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let text = try? container.decode(String.self) else {
      self.init(number: try container.decode(Int.self))
      return
    }
    guard let number = Int(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "It is not a number.")
    }
    self.init(number: number)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
