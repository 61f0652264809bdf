internal import QueryFilters
internal import StrictJSON

/// Which attributes of accounts are found by their values, and which values only one account of a realm may have.
///
/// Every server on one database has the same one. The name of an account is found and unique in any case.
public struct IdentityIndex: Sendable, Hashable {
  public struct Attribute: Sendable, Hashable {
    /// `mail`, or the name of a further attribute.
    public var name: String
    public var isUnique: Bool

    public init(_ name: String, isUnique: Bool = false) {
      self.name = name
      self.isUnique = isUnique
    }
  }

  public var attributes: [Attribute]

  public init(_ attributes: [Attribute]) { self.attributes = attributes }

  /// What accounts are found by when nothing else is configured.
  public static let standard = IdentityIndex(
    ["mail", "givenName", "sn", "telephoneNumber"].map { Attribute($0) })

  public func has(_ name: String) -> Bool { attributes.contains { $0.name == name } }

  /// Characters of a value that the index has; what is longer is found by its beginning, and compared by whoever asks.
  static let longestValue = 200

  /// Values of one attribute that the index has.
  private static let mostValues = 100

  /// The form of a value in the index.
  package static func key(_ text: String) -> String {
    String(String.UnicodeScalarView(QueryFilter.folded(text).unicodeScalars.prefix(longestValue)))
  }

  /// Tells one index from another.
  package var definition: String {
    attributes.map { "\($0.isUnique ? "unique " : "")\($0.name)" }.sorted().joined(separator: "\n")
  }

  /// Stands in the definition's place while a server makes the index anew.
  package var making: String { "making \(definition)" }

  /// The rows of an account.
  package func rows(of user: UserRecord) -> [IdentityValue] {
    attributes.flatMap { attribute -> [IdentityValue] in
      var texts: [String] = []
      if attribute.name == "mail" {
        texts = user.mail
      } else if let value = user.attributes[attribute.name] {
        texts = (value.arrayValue ?? [value]).compactMap(\.stringValue)
      }
      var seen: Set<String> = []
      return texts.prefix(Self.mostValues).compactMap { text in
        let key = Self.key(text)
        guard !key.isEmpty, seen.insert(key).inserted else { return nil }
        return IdentityValue(attribute: attribute.name, value: key, isUnique: attribute.isUnique)
      }
    }
  }
}

/// A value of an account in the index.
package struct IdentityValue: Sendable, Hashable {
  package let attribute: String
  package let value: String
  package let isUnique: Bool

  package func row(of account: AccountKey, isUnique: Bool? = nil) -> StatementValues {
    [
      "realm_key": account.realm, "name_key": account.name, "attribute": attribute, "value": value,
      "unique_value": isUnique ?? self.isUnique ? value : nil as String?,
    ]
  }
}

/// A question that the index answers.
public enum IdentityLookup: Sendable, Hashable {
  /// The attribute has this value, or, for long ones, begins as it does.
  case equal(attribute: String, value: String)

  /// A value of the attribute begins so.
  case prefix(attribute: String, value: String)
}

/// Statements about the index that every database takes as they are.
package enum IdentitySQL {
  /// The values decide which accounts are read: a database that goes through the accounts in their order instead looks at many, the more
  /// the fewer fit. So names are compared and ordered as expressions, which no index has, and the join has an order (SQLite's `CROSS JOIN`).
  package static let lookup: SQL = """
    SELECT \(UserRecord.columns) FROM (
      SELECT DISTINCT name_key || '' AS found_key FROM identity_values
        WHERE realm_key = :realm AND attribute = :attribute AND value >= :low AND value <= :high
          AND name_key || '' > :after
        ORDER BY found_key LIMIT :limit) AS found
      CROSS JOIN users WHERE users.realm_key = :realm AND users.name_key = found.found_key
      ORDER BY users.name_key
    """
  static let forget: SQL = "DELETE FROM identity_values WHERE realm_key = ? AND name_key = ?"

  /// ?1 the definition, ?2 what stood there while it was made, in the write that puts an account's values into the index: a server that has
  /// another index leaves rows that do not fit the database's, so that the next one to start makes it anew.
  static let doubt: SQL = """
    UPDATE identity_index SET definition = '' WHERE definition <> '' AND definition <> ?1 AND definition <> ?2
    """
}
