#if canImport(Security)
  internal import Foundation
  internal import StrictJSON

  /// Entries as the earlier authenticator's Keychain has them: archives of its classes (`NSKeyedArchiver`, with secure coding).
  ///
  /// Class and member names are those of FRAuthenticator 4's classes. `timeAdded` is not read: its form in archives is not known for
  /// sure, and a wrong guess would lose the entry; the account then counts as made when it was migrated.
  enum LegacyArchive {
    private static let classes = [
      "Account", "Mechanism", "HOTPMechanism", "TOTPMechanism", "OathMechanism", "PushMechanism",
    ]
    private static let modules = ["FRAuthenticator", "FRAuthenticator_Private"]

    /// The members of an archive, under the names of the JSON form; `nil` when `content` is not such an archive.
    static func members(of content: Data) -> JSONObject? {
      guard content.starts(with: Data("bplist00".utf8)),
        let archive = try? NSKeyedUnarchiver(forReadingFrom: content)
      else { return nil }
      archive.requiresSecureCoding = true
      archive.decodingFailurePolicy = .setErrorAndReturn
      for name in modules.flatMap({ module in classes.map { "\(module).\($0)" } }) + classes {
        archive.setClass(ArchivedMembers.self, forClassName: name)
      }
      defer { archive.finishDecoding() }
      let found = archive.decodeObject(of: ArchivedMembers.self, forKey: NSKeyedArchiveRootObjectKey)
      guard archive.error == nil else { return nil }
      return found?.members
    }
  }

  /// Stands in for each of the earlier authenticator's classes.
  private final class ArchivedMembers: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    let members: JSONObject

    /// Texts by their names in archives, and in the JSON form.
    private static let texts = [
      ("mechanismUUID", "mechanismUID"), ("type", "type"), ("issuer", "issuer"),
      ("accountName", "accountName"),
      ("secret", "secret"), ("algorithm", "algorithm"), ("uid", "uid"), ("resourceId", "resourceId"),
      ("regEndpoint", "registrationEndpoint"), ("authEndpoint", "authenticationEndpoint"),
      ("displayIssuer", "displayIssuer"), ("displayAccountName", "displayAccountName"),
      ("imageUrl", "imageURL"),
      ("imageURL", "imageURL"), ("backgroundColor", "backgroundColor"), ("policies", "policies"),
      ("lockingPolicy", "lockingPolicy"),
    ]
    private static let numbers = ["version", "digits", "counter", "period"]

    init?(coder: NSCoder) {
      var members = JSONObject()
      for (archived, name) in Self.texts where coder.containsValue(forKey: archived) {
        if let text = coder.decodeObject(of: NSString.self, forKey: archived) {
          members[name] = .string(String(describing: text))
        }
      }
      for name in Self.numbers where coder.containsValue(forKey: name) {
        members[name] = .integer(Int64(coder.decodeInteger(forKey: name)))
      }
      if coder.containsValue(forKey: "lock") { members["lock"] = .bool(coder.decodeBool(forKey: "lock")) }
      self.members = members
    }

    func encode(with coder: NSCoder) {}
  }
#endif
