internal import Bytes
internal import Crypto
internal import JOSE
internal import StrictJSON

/// What the client says of a ceremony (WebAuthn L3 §5.8.1). Unverified until a signature over its ``hash`` was checked.
public struct ClientData: Sendable, Hashable {
  /// The two ceremonies, as the member `type` names them.
  public enum Ceremony: String, Sendable, Hashable, CaseIterable {
    case create = "webauthn.create"
    case get = "webauthn.get"
  }

  /// `type` as sent: one of ``Ceremony``, or something else.
  public let type: String

  /// `challenge` as sent: base64url without padding, if all is well.
  public let challenge: String
  public let origin: String

  /// Whether a frame of another origin than the page's asked; absent counts as `false`.
  public let crossOrigin: Bool

  /// The page's origin, when a frame of another origin asked.
  public let topOrigin: String?

  /// The exact UTF-8 text that is hashed.
  public let json: [UInt8]

  /// SHA-256 of ``json``, which authenticators sign along.
  public let hash: [UInt8]

  /// Longest accepted text in bytes.
  static let limits = JSONLimits(maximumBytes: 16 << 10, maximumDepth: 16)

  /// Makes client data in the limited serialisation (§5.8.1.1), which has the same bytes in every implementation.
  ///
  /// - Parameter topOrigin: the page's origin, when `crossOrigin` is true and the client knows it.
  public init(
    _ ceremony: Ceremony, challenge: [UInt8], origin: String, crossOrigin: Bool = false,
    topOrigin: String? = nil
  ) {
    type = ceremony.rawValue
    self.challenge = Base64URL.encode(challenge)
    self.origin = origin
    self.crossOrigin = crossOrigin
    self.topOrigin = topOrigin
    var text = Array(#"{"type":"#.utf8)
    Self.append(type, to: &text)
    text += #","challenge":"#.utf8
    Self.append(self.challenge, to: &text)
    text += #","origin":"#.utf8
    Self.append(origin, to: &text)
    text += (crossOrigin ? #","crossOrigin":true"# : #","crossOrigin":false"#).utf8
    if let topOrigin {
      text += #","topOrigin":"#.utf8
      Self.append(topOrigin, to: &text)
    }
    text.append(UInt8(ascii: "}"))
    json = text
    hash = Array(SHA256.hash(data: text))
  }

  /// Reads client data with its members in any order and unknown ones among them, as clients may send it. A byte-order mark is skipped,
  /// but hashed.
  ///
  /// - Throws: ``ClientDataError`` for more than 16 KiB, for anything but an unambiguous JSON object, and for a missing or mistyped
  ///   member.
  public init(parsing bytes: [UInt8]) throws(ClientDataError) {
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    let object: JSONObject
    do throws(JSONError) { object = try JSONObject(parsing: content, limits: Self.limits) } catch {
      throw ClientDataError(reason: error.description)
    }
    func text(_ name: String) throws(ClientDataError) -> String {
      guard let text = object[name]?.stringValue else {
        throw ClientDataError(reason: "the member \(name) is missing or not text")
      }
      return text
    }
    type = try text("type")
    challenge = try text("challenge")
    origin = try text("origin")
    switch object["crossOrigin"] {
    case nil: crossOrigin = false
    case .bool(let value): crossOrigin = value
    default: throw ClientDataError(reason: "the member crossOrigin is neither true nor false")
    }
    topOrigin = object["topOrigin"] == nil ? nil : try text("topOrigin")
    json = bytes
    hash = Array(SHA256.hash(data: bytes))
  }

  /// The bytes of ``challenge``; `nil` when it is not valid base64url, or padded.
  public var challengeBytes: [UInt8]? { Base64URL.decode(challenge) }

  /// CCDToString (§5.8.1.2): only quotation marks, reverse solidi and control characters are escaped.
  private static func append(_ text: String, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
      case 0..<0x20: output += Hexadecimal.escape(UInt16(byte)).utf8
      default: output.append(byte)
      }
    }
    output.append(UInt8(ascii: "\""))
  }
}

/// Why bytes are not acceptable client data.
public struct ClientDataError: Error, Sendable, Hashable, CustomStringConvertible {
  public let reason: String

  public var description: String { "clientDataJSON cannot be read: \(reason)" }
}
