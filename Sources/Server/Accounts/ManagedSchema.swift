public import JourneyStore
internal import QueryFilters
internal import StrictJSON

/// The attributes of a realm's identities and their rules: a subset of JSON Schema, as PingIDM's managed objects use it.
public struct ManagedSchema: Sendable, Hashable {
  public var attributes: [Attribute]

  /// Whether identities may have attributes that the schema does not name. Their owner cannot change these.
  public var allowsOthers: Bool

  public struct Attribute: Sendable, Hashable {
    public var name: String

    /// The name shown to people.
    public var title: String
    public var type: ValueType
    public var isRequired = false

    /// Whether an index finds identities by it.
    public var isSearchable = false

    /// Whether the owner may change it.
    public var isUserEditable = false

    /// Whether only one identity of the realm may have a value.
    public var isUnique = false
    public var policies: [Policy] = []

    /// The attributes of an object.
    public var members: [Attribute] = []

    public init(_ name: String, title: String? = nil, type: ValueType = .string) {
      self.name = name
      self.title = title ?? name
      self.type = type
    }
  }

  public enum ValueType: String, Sendable, Hashable, CaseIterable {
    case string, number, integer, boolean, object, array
  }

  /// A rule for values, by the id that PingIDM gives it.
  public enum Policy: Sendable, Hashable {
    case notEmpty
    case mailAddress
    case minimumLength(Int)
    case maximumLength(Int)
    case minimumNumber(Double)
    case maximumNumber(Double)
    case cannotContain([String])
  }

  public init(_ attributes: [Attribute], allowsOthers: Bool = true) {
    self.attributes = attributes
    self.allowsOthers = allowsOthers
  }

  public func attribute(_ name: String) -> Attribute? { attributes.first { $0.name == name } }

  /// The attribute at a place such as `preferences/updates`.
  public func attribute(at path: String) -> Attribute? {
    guard let names = JSONPointer(path)?.names, var found = attribute(names[0]) else { return nil }
    for name in names.dropFirst() {
      guard let next = found.members.first(where: { $0.name == name }) else { return nil }
      found = next
    }
    return found
  }

  /// The attributes that a new identity must have.
  public var required: [String] { attributes.filter(\.isRequired).map(\.name) }

  /// The attributes that the store indexes. The login name is indexed and unique anyway.
  public var index: IdentityIndex {
    IdentityIndex(
      attributes.filter { ($0.isSearchable || $0.isUnique) && $0.name != ManagedAttribute.userName }
        .map { IdentityIndex.Attribute($0.name, isUnique: $0.isUnique) })
  }

  /// PingIDM's attributes of users.
  public static let standard = ManagedSchema(
    [
      text(ManagedAttribute.userName, "Username", isRequired: true, isSearchable: true, isEditable: false) {
        $0.isUnique = true
      },
      text("givenName", "First Name", isRequired: true, isSearchable: true),
      text("sn", "Last Name", isRequired: true, isSearchable: true),
      text(ManagedAttribute.mail, "Email Address", isRequired: true, isSearchable: true) {
        $0.policies = [.mailAddress]
      },
      text("telephoneNumber", "Telephone Number", isSearchable: true),
      text("cn", "Common Name"), text("displayName", "Display Name"), text("description", "Description"),
      text("postalAddress", "Address 1"), text("city", "City"), text("stateProvince", "State/Province"),
      text("postalCode", "Postal Code"), text("country", "Country"), text("preferredLanguage", "Language"),
      text(ManagedAttribute.accountStatus, "Status", isEditable: false),
      preferences, aliases,
    ])

  /// The people at other providers who may sign in as the account. Editing it would let others in.
  static var aliases: Attribute {
    var aliases = Attribute(ManagedAttribute.links, title: "User Alias Names List", type: .array)
    aliases.isSearchable = true
    aliases.isUnique = true
    return aliases
  }

  private static var preferences: Attribute {
    var preferences = Attribute("preferences", title: "Preferences", type: .object)
    preferences.isUserEditable = true
    preferences.members = [
      Attribute("updates", title: "Send me news and updates", type: .boolean),
      Attribute("marketing", title: "Send me special offers and services", type: .boolean),
    ]
    return preferences
  }

  private static func text(
    _ name: String, _ title: String, isRequired: Bool = false, isSearchable: Bool = false,
    isEditable: Bool = true, _ more: (inout Attribute) -> Void = { _ in }
  ) -> Attribute {
    var attribute = Attribute(name, title: title)
    attribute.isRequired = isRequired
    attribute.isSearchable = isSearchable
    attribute.isUserEditable = isEditable
    if isRequired { attribute.policies = [.notEmpty] }
    more(&attribute)
    return attribute
  }
}
