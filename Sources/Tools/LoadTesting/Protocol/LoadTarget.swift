internal import BindingFormats
internal import Bytes
package import WebAddresses

/// The realm and server under load.
package struct LoadTarget: Sendable {
  /// The base address, without a trailing slash.
  package let address: String
  package let realm: String
  package let origin: WebOrigin

  /// The origin in WebAuthn's client data.
  package var webAuthnOrigin: String

  /// Returns `nil` for an invalid address.
  package init?(address: String, realm: String) {
    guard let origin = WebOrigin(address: address) else { return nil }
    self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
    self.realm = realm
    self.origin = origin
    webAuthnOrigin = origin.namingLoopback.description
  }

  private var base: String { RealmPath(realm).resources(at: address) }

  var authenticate: String { "\(base)/authenticate" }

  func start(journey: String) -> String {
    "\(authenticate)?authIndexType=service&authIndexValue=\(PercentEncoding.encode(journey))"
  }

  func start(transaction: String) -> String {
    "\(authenticate)?authIndexType=transaction&authIndexValue=\(PercentEncoding.encode(transaction))"
  }

  func pushMessages(_ action: String) -> String { "\(base)/push/sns/message?_action=\(action)" }

  var transactions: String { "\(base)/transactions?_action=create" }
}
