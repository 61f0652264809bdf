import Foundation

/// A payment order.
public struct Payment: Codable, Sendable, Hashable {
  /// Hundredths of the currency's unit, more than 0.
  public let cents: Int
  /// Who gets it.
  public let recipient: String
  /// Whose account pays.
  public let payer: String
  /// When it was signed.
  public let date: Date

  /// What every account starts with: this wallet has no bank behind it.
  public static let openingCents = 1_000_00

  /// An order; `nil` unless `amount` is written like `12` or `12.50`, and a recipient is named.
  public init?(amount: String, recipient: String, payer: String, date: Date = Date()) {
    let parts = amount.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ $0.allSatisfy { "0123456789".contains($0) } }),
      let units = Int(parts[0]), units < 1_000_000_000,
      let cents = parts.count == 1 ? 0 : parts[1].count == 2 ? Int(parts[1]) : nil,
      units > 0 || cents > 0, !recipient.isEmpty, recipient.count <= 100
    else { return nil }
    self.cents = units * 100 + cents
    self.recipient = recipient
    self.payer = payer
    self.date = date
  }

  /// What the person reads, and what the key signs.
  public var text: String { "Pay \(Self.text(cents: cents)) to \(recipient)" }

  /// `cents` as text, such as `12.50 EUR`.
  public static func text(cents: Int) -> String {
    let fraction = abs(cents % 100)
    return "\(cents < 0 && cents > -100 ? "-" : "")\(cents / 100).\(fraction < 10 ? "0" : "")\(fraction) EUR"
  }
}
