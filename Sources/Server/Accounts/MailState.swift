package import JourneyStore
package import StrictJSON

/// Which of an account's addresses are proven: kept beside its attributes.
///
/// An address that an administrator or an import wrote is valid without a proof. One that a person wrote is valid when they have opened a
/// link that was sent to it; until then mail goes to the address that it replaced.
package struct MailState: Sendable, Hashable {
  /// Addresses from which a link was opened.
  package private(set) var confirmed: Set<String>

  /// Addresses that are not valid yet, each with the one that is used meanwhile; empty when there is none.
  package private(set) var unconfirmed: [String: String]

  package init(_ user: UserRecord) {
    let state = user.attributes[ManagedAttribute.mailState]
    confirmed = Set((state?["confirmed"]?.arrayValue ?? []).compactMap(\.stringValue))
    unconfirmed = [:]
    for (address, former) in state?["unconfirmed"]?.objectValue ?? JSONObject() {
      unconfirmed[address] = former.stringValue ?? ""
    }
  }

  /// `nil` when no address is confirmed or unconfirmed.
  package var json: JSONValue? {
    guard !confirmed.isEmpty || !unconfirmed.isEmpty else { return nil }
    return [
      "confirmed": .array(confirmed.sorted().map { .string($0) }),
      "unconfirmed": .object(
        JSONObject(unconfirmed.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
    ]
  }

  /// Addresses that differ only in case are equal: no provider tells them apart.
  package static func key(_ address: String) -> String { address.lowercased() }

  /// Whether mail for the account may go to the address.
  package func counts(_ address: String) -> Bool { unconfirmed[Self.key(address)] == nil }

  package func isConfirmed(_ address: String) -> Bool { confirmed.contains(Self.key(address)) }

  /// The state after a change of the account's addresses.
  ///
  /// - Parameters:
  ///   - areVouched: whether the writer vouches for them.
  ///   - proven: addresses that the writer has opened a link from.
  package mutating func replace(
    _ old: [String], by new: [String], areVouched: Bool, proven: Set<String>
  ) {
    let present = Set(new.map(Self.key))
    let former = old.first.map { counts($0) ? $0 : unconfirmed[Self.key($0)] ?? "" } ?? ""
    for address in present {
      if proven.contains(address) {
        confirm(address)
      } else if areVouched {
        unconfirmed[address] = nil
      } else if !old.contains(where: { Self.key($0) == address }), !confirmed.contains(address) {
        unconfirmed[address] = former
      }
    }
    confirmed.formIntersection(present)
    unconfirmed = unconfirmed.filter { present.contains($0.key) }
  }

  package mutating func confirm(_ address: String) {
    unconfirmed[Self.key(address)] = nil
    confirmed.insert(Self.key(address))
  }
}

extension UserRecord {
  /// Where mail that can sign somebody in goes: the first address, or its predecessor while it is not confirmed. `nil` when no address is
  /// valid.
  package var countingMail: String? {
    guard let first = mail.first else { return nil }
    let state = MailState(self)
    if state.counts(first) { return first }
    let former = state.unconfirmed[MailState.key(first)] ?? ""
    return former.isEmpty ? nil : former
  }
}
