internal import Bytes
internal import Foundation
internal import PingJourneyPlugin

/// Reads members of untrusted options. Nothing here traps, and every list is bounded.
struct OptionsReader {
  static let maximumDescriptors = 1024
  static let maximumIDBytes = 1023
  static let maximumChallengeBytes = 1024
  static let maximumTextBytes = 256 << 10

  let object: [String: Any]

  func has(_ name: String) -> Bool { object[name].map { !($0 is NSNull) } ?? false }

  func text(_ name: String) throws(OptionsError) -> String {
    guard let text = object[name] as? String else { throw OptionsError("\(name) is missing or not text") }
    return text
  }

  func textIfThere(_ name: String) throws(OptionsError) -> String? {
    has(name) ? try text(name) : nil
  }

  func integer(_ name: String) -> Int? { object[name].flatMap { OutputValue.digits($0) } }

  /// Reads a member that is an object, or text with its JSON.
  func members(_ name: String) throws(OptionsError) -> OptionsReader {
    guard let object = object[name] as? [String: Any] ?? Self.parsed(object[name]) as? [String: Any] else {
      throw OptionsError("\(name) is missing or not an object")
    }
    return OptionsReader(object: object)
  }

  /// Reads a member that is a list of objects, or text with its JSON.
  func list(_ name: String) throws(OptionsError) -> [OptionsReader] {
    guard let list = object[name] as? [Any] ?? Self.parsed(object[name]) as? [Any] else {
      throw OptionsError("\(name) is missing or not a list")
    }
    guard list.count <= Self.maximumDescriptors else {
      throw OptionsError("\(name) has more than \(Self.maximumDescriptors) entries")
    }
    var members: [OptionsReader] = []
    for entry in list {
      guard let object = entry as? [String: Any] else {
        throw OptionsError("\(name) has an entry that is not an object")
      }
      members.append(OptionsReader(object: object))
    }
    return members
  }

  private static func parsed(_ value: Any?) -> Any? {
    guard let text = value as? String, text.utf8.count <= maximumTextBytes else { return nil }
    return try? JSONSerialization.jsonObject(with: Data(text.utf8))
  }

  /// Reads a member that is a raw value of an enumeration.
  func choice<Value: RawRepresentable<String>>(
    _ name: String, default standard: Value
  ) throws(OptionsError) -> Value {
    guard let text = try textIfThere(name) else { return standard }
    guard let value = Value(rawValue: text) else {
      throw OptionsError("\(name) has an unknown value")
    }
    return value
  }

  /// Reads bytes from base64 or base64url text, padded or not, or from a list of numbers.
  func bytes(_ name: String, atMost maximum: Int) throws(OptionsError) -> [UInt8] {
    let bytes: [UInt8]? =
      switch object[name] {
      case let text as String: text.utf8.count <= 2 * maximum ? LenientBase64.decode(text) : nil
      case let numbers as [Any]: numbers.count <= maximum ? Self.bytes(numbers) : nil
      default: nil
      }
    guard let bytes, (1...maximum).contains(bytes.count) else {
      throw OptionsError("\(name) is missing, or not base64 of 1 to \(maximum) bytes", member: name)
    }
    return bytes
  }

  /// Reads bytes from numbers between −128 and 255: most servers write signed bytes, some unsigned ones.
  static func bytes(_ numbers: [Any]) -> [UInt8]? {
    var bytes: [UInt8] = []
    for number in numbers {
      guard let value = OutputValue.digits(number), (-128...255).contains(value) else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: value))
    }
    return bytes
  }

  /// The ids of a list of descriptors.
  func descriptorIDs(_ name: String) throws(OptionsError) -> [[UInt8]] {
    var ids: [[UInt8]] = []
    for descriptor in try list(name) { ids.append(try descriptor.bytes("id", atMost: Self.maximumIDBytes)) }
    return ids
  }

  /// The algorithms of `pubKeyCredParams`. Entries of another type or without a number are skipped.
  func algorithms(_ name: String) throws(OptionsError) -> [Int] {
    let algorithms = try list(name).filter { $0.object["type"] as? String == "public-key" }
      .compactMap { $0.integer("alg") }
    guard !algorithms.isEmpty else { throw OptionsError("\(name) offers no algorithm") }
    return algorithms
  }
}
