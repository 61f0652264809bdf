/// Another system that the operator shares attributes of accounts with, and for which people are asked.
public struct ConsentMapping: Sendable, Hashable {
  /// Its name in the account's record of consents.
  public var name: String

  /// The name shown to people.
  public var displayName: String

  /// The address of an icon, or empty.
  public var icon: String

  /// How much is shared, for people: `Actual Profile`.
  public var accessLevel: String

  /// Whether a journey that asks continues only with consent.
  public var isRequired: Bool

  /// The attributes that are shared, for people.
  public var fields: [String]

  public init(
    _ name: String, displayName: String? = nil, icon: String = "", accessLevel: String = "",
    isRequired: Bool = false, fields: [String] = []
  ) {
    self.name = name
    self.displayName = displayName ?? name
    self.icon = icon
    self.accessLevel = accessLevel
    self.isRequired = isRequired
    self.fields = fields
  }
}
