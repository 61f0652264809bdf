internal import Bytes
internal import JourneyStore

/// A key of a token, as a PKCS#11 URI names it (RFC 7512): `pkcs11:token=NAME;object=NAME?module-path=PATH&pin-source=file:PATH`.
struct PKCS11Address: Sendable, Hashable {
  /// The attributes that the token must have. Those that are not given are not compared.
  var token: String?
  var manufacturer: String?
  var model: String?
  var serial: String?

  /// `CKA_LABEL` and `CKA_ID` of the key.
  var object: String?
  var id: [UInt8]?

  /// The library of the token's maker.
  var modulePath: String

  /// Where the PIN is.
  var pin: PINSource?

  enum PINSource: Sendable, Hashable {
    /// The first line of a file that is only its owner's.
    case file(String)
    /// The first line of a credential of systemd.
    case credential(String)
  }

  private static let longest = 2048

  /// - Throws: ``StoreError/unavailable(_:)``. The text is not repeated: it may hold a PIN that should not be there.
  init(_ text: String) throws {
    guard text.utf8.count <= Self.longest, text.hasPrefix("pkcs11:") else {
      throw Self.refusal("it is too long")
    }
    let rest = text.dropFirst("pkcs11:".count)
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var path = try Self.attributes(parts[0], separator: ";")
    var query = try Self.attributes(parts.count > 1 ? parts[1] : "", separator: "&")
    func take(_ name: String, of attributes: inout [String: [UInt8]]) throws -> String? {
      guard let bytes = attributes.removeValue(forKey: name) else { return nil }
      guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0) else {
        throw Self.refusal("\(name) is not text in UTF-8")
      }
      return text
    }
    token = try take("token", of: &path)
    manufacturer = try take("manufacturer", of: &path)
    model = try take("model", of: &path)
    serial = try take("serial", of: &path)
    object = try take("object", of: &path)
    id = path.removeValue(forKey: "id")
    guard try take("type", of: &path) ?? "secret-key" == "secret-key" else {
      throw Self.refusal("the key must have the type secret-key")
    }
    guard token != nil || serial != nil else { throw Self.refusal("token or serial is missing") }
    guard object != nil || id != nil else { throw Self.refusal("object or id is missing") }
    guard query.removeValue(forKey: "pin-value") == nil else {
      throw Self.refusal(
        "it has a PIN, which other users of this machine can read there; put it into a file and name that: pin-source=file:PATH"
      )
    }
    guard let modulePath = try take("module-path", of: &query), modulePath.hasPrefix("/") else {
      throw Self.refusal("module-path is missing: the absolute path of the token's library")
    }
    self.modulePath = modulePath
    pin = try take("pin-source", of: &query).map(Self.pinSource)
    guard let unknown = (Array(path.keys) + Array(query.keys)).sorted().first else { return }
    throw Self.refusal("the attribute \(unknown) is not known")
  }

  private static func pinSource(_ text: String) throws -> PINSource {
    if text.hasPrefix("credential:") { return .credential(String(text.dropFirst("credential:".count))) }
    let path = text.hasPrefix("file:") ? String(text.dropFirst("file:".count)) : text
    guard path.hasPrefix("/") else {
      throw refusal("pin-source is file: with an absolute path, or credential: with a name")
    }
    // An empty authority may stand before a path (RFC 8089 §2).
    return .file(path.hasPrefix("//") ? String(path.dropFirst(2)) : path)
  }

  /// The attributes' names and decoded values. No name may occur twice (RFC 7512 §2.3). Attributes of vendors (`x-`) are left out.
  private static func attributes(_ text: Substring, separator: Character) throws -> [String: [UInt8]] {
    var attributes: [String: [UInt8]] = [:]
    for part in text.split(separator: separator) {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(pair[0])
      guard pair.count == 2, let value = PercentEncoding.bytes(pair[1]) else {
        throw refusal("one of its attributes is not a name, an equals sign and a percent-coded value")
      }
      guard !name.hasPrefix("x-") else { continue }
      guard name.utf8.count <= 32,
        name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
      else { throw refusal("an attribute has an invalid name") }
      guard attributes.updateValue(value, forKey: name) == nil else {
        throw refusal("the attribute \(name) occurs twice")
      }
    }
    return attributes
  }

  private static func refusal(_ reason: String) -> StoreError {
    .unavailable("the PKCS#11 address of the server key cannot be used: \(reason)")
  }

  /// The key and the token, for people.
  var title: String {
    let key = object.map { "the key \($0)" } ?? "the key with id \((id ?? []).hexadecimal)"
    return key + (token.map { " of the token \($0)" } ?? " of the token with serial number \(serial ?? "")")
  }
}
