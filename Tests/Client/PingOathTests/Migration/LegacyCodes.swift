import Concurrency
import Foundation
import PingLogger
import PingOath
import PrivateFiles

/// A device with the earlier SDK's authenticator, its entries in files.
struct LegacyCodes {
  static let secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"

  let home: ClientHome

  var source: LegacyAuthenticator { LegacyAuthenticator(home: home) }
  var accounts: FileLegacyStore { FileLegacyStore(service: LegacyService.authenticatorAccounts, home: home) }
  var mechanisms: FileLegacyStore {
    FileLegacyStore(service: LegacyService.authenticatorMechanisms, home: home)
  }

  /// The JSON that the earlier SDK makes of an account.
  static func account(_ name: String, _ change: Change = [:]) throws -> Data {
    try json(
      [
        "id": "Acme-\(name)", "issuer": "Acme", "displayIssuer": "My Acme", "accountName": name,
        "displayAccountName": "me", "imageURL": "https://acme.example/logo.png", "backgroundColor": "#032b75",
        "timeAdded": 1_700_000_000_000, "policies": #"{"deviceTampering":{"score":0.8}}"#, "lock": false,
      ], change)
  }

  /// The JSON that the earlier SDK makes of a one-time code.
  static func mechanism(_ name: String, _ change: Change = [:]) throws -> Data {
    try json(
      [
        "id": "Acme-\(name)-otpauth", "issuer": "Acme", "accountName": name, "mechanismUID": "uid-\(name)",
        "secret": secret, "type": "otpauth", "oathType": "TOTP", "algorithm": "sha256", "digits": 8,
        "period": 60, "uid": "user-\(name)", "resourceId": "device-\(name)", "timeAdded": 1_700_000_000_500,
      ], change)
  }

  static func counter(_ name: String, _ counter: Int) throws -> Data {
    try mechanism(name, ["oathType": "HOTP", "period": gone, "counter": counter, "algorithm": "sha1"])
  }

  private static func json(_ members: [String: Any], _ change: Change) throws -> Data {
    var members = members
    for (name, value) in change { members[name] = value }
    return try JSONSerialization.data(withJSONObject: members)
  }

  func add(_ name: String, account: Change = [:], _ mechanism: Change = [:]) throws {
    try accounts.add(Self.account(name, account), id: "Acme-\(name)")
    try mechanisms.add(Self.mechanism(name, mechanism), id: "Acme-\(name)-otpauth")
  }

  func addCounter(_ name: String, _ counter: Int) throws {
    try accounts.add(Self.account(name), id: "Acme-\(name)")
    try mechanisms.add(Self.counter(name, counter), id: "Acme-\(name)-otpauth")
  }
}

/// Keeps what is logged.
final class LineLogger: Logger, Sendable {
  private let captured = Locked<[String]>([])

  var lines: [String] { captured.withLock { $0 } }

  private func add(_ line: String, _ error: (any Error)? = nil) {
    captured.withLock { $0.append(line + (error.map { " \($0)" } ?? "")) }
  }

  func d(_ message: String) { add(message) }
  func i(_ message: String) { add(message) }
  func w(_ message: String, error: (any Error)?) { add(message, error) }
  func e(_ message: String, error: (any Error)?) { add(message, error) }
}

/// Members of an entry, and what becomes of them.
typealias Change = [String: (any Sendable)?]

/// Takes a member out.
let gone: (any Sendable)? = nil
