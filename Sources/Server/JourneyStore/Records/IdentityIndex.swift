internal import QueryFilters
internal import StrictJSON

/// The attributes by whose values accounts are found, and those whose values only one account of a realm may have.
///
/// All servers on one database have the same index. The name of an account is always found, and always unique.
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

  /// The index when nothing else is configured.
  public static let standard = IdentityIndex(
    ["mail", "givenName", "sn", "telephoneNumber"].map { Attribute($0) })

  public func has(_ name: String) -> Bool { attributes.contains { $0.name == name } }

  /// The most characters of a value that the index has. A longer value is found by its beginning, and the caller compares the rest.
  static let longestValue = 200

  /// The most values of one attribute that the index has.
  private static let mostValues = 100

  /// The form of a value in the index.
  package static func key(_ text: String) -> String {
    String(String.UnicodeScalarView(QueryFilter.folded(text).unicodeScalars.prefix(longestValue)))
  }

  /// A text that tells one index from another.
  package var definition: String {
    attributes.map { "\($0.isUnique ? "unique " : "")\($0.name)" }.sorted().joined(separator: "\n")
  }

  /// The text in place of ``definition`` while a server makes the index anew.
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
  /// The attribute has this value or, if that is long, a value with the same beginning.
  case equal(attribute: String, value: String)

  /// A value of the attribute begins with this text.
  case prefix(attribute: String, value: String)
}

/// Statements on the index, the same for all databases.
package enum IdentitySQL {
  /// The query must start from the values: a database that goes through the accounts in their order instead reads the more of them the
  /// fewer match. So names are compared and ordered as expressions, which no index has, and the join has a fixed order (SQLite's `CROSS
  /// JOIN`).
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

  /// ?1 the definition, ?2 the text while the index is made, in the write that puts an account's values into the index. A server with
  /// another index leaves rows that do not fit the database's index. It clears the definition, so that the next server to start makes the
  /// index anew.
  static let doubt: SQL = """
    UPDATE identity_index SET definition = '' WHERE definition <> '' AND definition <> ?1 AND definition <> ?2
    """
}
