internal import DeviceKeys
internal import Foundation
internal import PingStorage
internal import UserVerification

/// Where keys are kept when the app does not say: in the client's home.
enum StandardStores {
  static func keyStore() throws -> any DeviceKeyStore { try SoftwareKeyStore() }

  static func vault() throws -> AuthorizationVault {
    try AuthorizationVault(
      directory: ClientHome.standard.directory.appendingPathComponent("vault", isDirectory: true))
  }
}
