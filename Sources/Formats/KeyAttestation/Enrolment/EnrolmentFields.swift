internal import Bytes
internal import StrictJSON

/// Reads the members of enrolment documents; every one is bounded.
struct EnrolmentFields {
  /// The one version of both documents.
  static let version: Int64 = 1

  private let object: JSONObject
  private let check: AttestationEnrolmentFailure.Check

  /// - Throws: `check` for text that is not a JSON object of ``version``.
  init(
    parsing bytes: [UInt8], atMost maximum: Int, orFail check: AttestationEnrolmentFailure.Check
  ) throws(AttestationEnrolmentFailure) {
    let object: JSONObject
    do throws(JSONError) {
      object = try JSONObject(parsing: bytes, limits: JSONLimits(maximumBytes: maximum, maximumDepth: 4))
    } catch {
      throw AttestationEnrolmentFailure(check, "\(error)")
    }
    self.init(object, orFail: check)
    guard object["version"]?.integerValue == Self.version else {
      throw AttestationEnrolmentFailure(check, "its version is not \(Self.version)")
    }
  }

  init(_ object: JSONObject, orFail check: AttestationEnrolmentFailure.Check) {
    self.object = object
    self.check = check
  }

  func has(_ name: String) -> Bool { object[name] != nil }

  /// Base64url without padding, of 1 to `maximum` bytes.
  func bytes(_ name: String, atMost maximum: Int) throws(AttestationEnrolmentFailure) -> [UInt8] {
    try bytes(object[name], name, atMost: maximum)
  }

  /// A list of at most `count` such members; empty when it is absent.
  func list(
    _ name: String, count: Int, atMost maximum: Int
  ) throws(AttestationEnrolmentFailure) -> [[UInt8]] {
    guard let member = object[name] else { return [] }
    guard let values = member.arrayValue, values.count <= count else {
      throw AttestationEnrolmentFailure(check, "\(name) is not a list of at most \(count)")
    }
    var list: [[UInt8]] = []
    for (index, value) in values.enumerated() {
      list.append(try bytes(value, "\(name)[\(index)]", atMost: maximum))
    }
    return list
  }

  func object(_ name: String) throws(AttestationEnrolmentFailure) -> EnrolmentFields {
    guard let member = object[name]?.objectValue else {
      throw AttestationEnrolmentFailure(check, "\(name) is missing or not an object")
    }
    return EnrolmentFields(member, orFail: check)
  }

  private func bytes(
    _ value: JSONValue?, _ name: String, atMost maximum: Int
  ) throws(AttestationEnrolmentFailure) -> [UInt8] {
    guard let text = value?.stringValue, text.utf8.count <= (maximum * 4 + 2) / 3,
      let bytes = Base64URL.decode(text), !bytes.isEmpty
    else {
      throw AttestationEnrolmentFailure(
        check, "\(name) is missing, not base64url, empty, or longer than \(maximum) bytes")
    }
    return bytes
  }
}
