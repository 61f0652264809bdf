package import StrictJSON

/// The rules of a realm's SSH authority: which session gets a certificate for its account, and what the certificate contains.
package struct SSHAuthoritySettings: Sendable, Hashable {
  /// The journey that a session must come from; `nil` for any.
  package var journey: String?

  /// The lowest authentication level of a session.
  package var authLevel = 1

  /// Whether only keys with a verified attestation are certified.
  package var isAttested = false

  /// The lifetime of a user's certificate. Seconds, from ``shortestLifetime`` to ``longestLifetime``.
  package var lifetime = 600

  /// The attributes whose values are the principals; `userName` is the account's name.
  package var principals = [SSHPrincipals.userName]

  /// The extensions that certificates get, from ``knownExtensions``.
  package var extensions = ["permit-port-forwarding", "permit-pty"]

  package static let shortestLifetime = 30
  package static let longestLifetime = 86_400

  /// OpenSSH's extensions that an authority may grant. `no-touch-required` is not one of them.
  package static let knownExtensions = [
    "permit-X11-forwarding", "permit-agent-forwarding", "permit-port-forwarding", "permit-pty",
    "permit-user-rc",
  ]
  private static let names = ["journey", "authLevel", "attested", "lifetime", "principals", "extensions"]

  package init() {}

  /// Reads the form that ``json`` writes; missing members get their defaults.
  ///
  /// - Throws: `JSONFault`, which names the member and its problem.
  package init(_ json: JSONObject) throws(JSONFault) {
    let reader = JSONReader(.object(json))
    try reader.requireOnly(Self.names)
    journey = try reader["journey"]?.text()
    if let member = reader["authLevel"] { authLevel = try member.number(in: 0...Int(Int32.max)) }
    if let member = reader["attested"] { isAttested = try member.flag() }
    if let member = reader["lifetime"] {
      lifetime = try member.number(in: Self.shortestLifetime...Self.longestLifetime)
    }
    if let member = reader["principals"] {
      principals = try member.texts()
      guard !principals.isEmpty else { throw member.wrong("must name an attribute") }
    }
    if let member = reader["extensions"] {
      extensions = try member.texts().sorted()
      guard let unknown = extensions.first(where: { !Self.knownExtensions.contains($0) }) else { return }
      throw member.wrong(
        "has \(unknown), and may have \(Self.knownExtensions.joined(separator: ", "))")
    }
  }

  package var json: JSONObject {
    var json: JSONObject = [
      "authLevel": .integer(Int64(authLevel)), "attested": .bool(isAttested),
      "lifetime": .integer(Int64(lifetime)), "principals": .array(principals.map { .string($0) }),
      "extensions": .array(extensions.map { .string($0) }),
    ]
    json["journey"] = journey.map { .string($0) }
    return json
  }
}
