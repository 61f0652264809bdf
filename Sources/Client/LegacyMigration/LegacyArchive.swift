internal import Foundation
internal import StrictJSON

/// Entries as the earlier authenticator's Keychain has them: archives of its classes (`NSKeyedArchiver`).
///
/// Class and member names are those of FRAuthenticator 4's classes. The archive is read as a property list, and none of its objects is
/// instantiated. A value of an unexpected type is left out and then counts as missing.
enum LegacyArchive {
  private static let classes: Set<String> = {
    let names = ["Account", "Mechanism", "OathMechanism", "HOTPMechanism", "TOTPMechanism", "PushMechanism"]
    return Set(names + names.map { "FRAuthenticator.\($0)" })
  }()

  /// Members whose names differ from those of the JSON form.
  private static let renamed = [
    "mechanismUUID": "mechanismUID", "regEndpoint": "registrationEndpoint",
    "authEndpoint": "authenticationEndpoint", "imageUrl": "imageURL",
  ]

  /// Seconds from 1970 to 2001, the reference date of archives.
  private static let reference = 978_307_200.0

  /// The members of an archive, under the names of the JSON form; `nil` when `content` is not such an archive.
  static func members(of content: Data) -> JSONObject? {
    guard let list = BinaryPropertyList(content), let archive = dictionary(list, list.top),
      let tops = archive["$top"].flatMap({ dictionary(list, $0) }),
      let root = tops["root"], case .uid(let number)? = list.object(root),
      let objectsPlace = archive["$objects"], case .array(let objects)? = list.object(objectsPlace),
      objects.indices.contains(number), let values = dictionary(list, objects[number])
    else { return nil }

    /// The number in the list of the object that a member refers to.
    func resolved(_ value: Int) -> Int? {
      guard case .uid(let number)? = list.object(value) else { return value }
      return objects.indices.contains(number) ? objects[number] : nil
    }
    func text(_ value: Int?) -> String? {
      guard let place = value.flatMap(resolved), case .text(let text)? = list.object(place) else {
        return nil
      }
      return text == "$null" ? nil : text
    }
    guard let kind = values["$class"].flatMap(resolved).flatMap({ dictionary(list, $0) }),
      let name = text(kind["$classname"]), classes.contains(name)
    else { return nil }

    var members = JSONObject()
    for (key, value) in values.sorted(by: { $0.key < $1.key }) where !key.hasPrefix("$") {
      guard let place = resolved(value) else { continue }
      let name = renamed[key] ?? key
      switch list.object(place) {
      case .text: members[name] = text(value).map { .string($0) }
      case .bool(let flag): members[name] = .bool(flag)
      case .integer(let number): members[name] = .integer(number)
      case .real(let seconds) where key == "timeAdded": members[name] = .number(seconds * 1000)
      case .dictionary where key == "timeAdded":
        guard let time = dictionary(list, place)?["NS.time"], case .real(let seconds)? = list.object(time)
        else { continue }
        members[name] = .number((seconds + reference) * 1000)
      default: continue
      }
    }
    return members
  }

  private static func dictionary(_ list: BinaryPropertyList, _ number: Int) -> [String: Int]? {
    guard case .dictionary(let keys, let values)? = list.object(number) else { return nil }
    var found: [String: Int] = [:]
    for (key, value) in zip(keys, values) {
      guard case .text(let name)? = list.object(key), found.updateValue(value, forKey: name) == nil else {
        return nil
      }
    }
    return found
  }
}
