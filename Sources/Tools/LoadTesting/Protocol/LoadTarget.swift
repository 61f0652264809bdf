internal import BindingFormats
internal import Bytes
package import WebAddresses

/// The realm of the server that is loaded.
package struct LoadTarget: Sendable {
  /// The base address, without a slash at its end.
  package let address: String
  package let realm: String
  package let origin: WebOrigin

  /// What WebAuthn's client data name.
  package var webAuthnOrigin: String

  /// `nil` for an address that is not one.
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
