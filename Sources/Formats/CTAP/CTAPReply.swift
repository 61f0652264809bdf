package import CBOR

/// A security key's reply: a status and, on success, perhaps a map (CTAP 2.1 §8).
package struct CTAPReply: Sendable, Hashable {
  package let status: CTAPStatus
  /// `nil` for none.
  package let parameters: CBORMap?

  /// Success.
  package init(_ parameters: CBORMap? = nil) { (status, self.parameters) = (.success, parameters) }

  package init(_ status: CTAPStatus) { (self.status, parameters) = (status, nil) }

  /// The reply in the canonical form.
  package var bytes: [UInt8] { [status.rawValue] + (parameters.map { CBORValue.map($0).encoded } ?? []) }
}
