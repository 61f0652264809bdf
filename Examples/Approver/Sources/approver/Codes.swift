import Foundation
import PingLogger
import PingOath

/// The one-time codes of this device.
struct Codes {
  private let oathClient: OathClient

  init() async throws {
    oathClient = try await OathClient.createClient { config in
      config.logger = LogManager.none
    }
  }

  /// Keeps the secret of the address.
  func add(_ address: String) async throws -> (id: String, name: String) {
    let credential = try await oathClient.addCredentialFromUri(address)
    return (credential.id, name(credential))
  }

  /// One line per credential.
  func credentials() async throws -> [String] {
    try await oathClient.getCredentials().map {
      "\($0.id)  \($0.oathType.rawValue)   \(name($0))\($0.isLocked ? "  (locked)" : "")"
    }
  }

  /// Whether there was one.
  func delete(_ id: String) async throws -> Bool { try await oathClient.deleteCredential(id) }

  /// The next code of a credential. One by counter is used up by this.
  func code(of id: String) async throws -> String { try await oathClient.generateCode(id) }

  /// Writes the codes by time, and with a terminal goes on until Ctrl-C. A code by counter is made for `code ID` only, because each is another one.
  func show(once: Bool) async throws {
    let credentials = try await oathClient.getCredentials().filter { $0.oathType == .totp }
    guard !credentials.isEmpty else {
      return Console.say("No codes by time yet: approver register NAME --codes")
    }
    var isFirst = true
    repeat {
      // Back to the first of the lines that are there.
      if !isFirst { print("\u{1B}[\(credentials.count)A", terminator: "") }
      for credential in credentials { print(try await line(credential, isFirst: isFirst)) }
      isFirst = false
      if !once { try await Task.sleep(for: .seconds(1)) }
    } while !once
  }

  private func line(_ credential: OathCredential, isFirst: Bool) async throws -> String {
    let clear = isFirst ? "" : "\u{1B}[2K"
    guard !credential.isLocked else { return "\(clear)locked  \(name(credential))" }
    let info = try await oathClient.generateCodeWithValidity(credential.id)
    return "\(clear)\(info.code)  \(bar(info))  \(info.timeRemaining) s  \(name(credential))"
  }

  /// Shrinks while the code's time runs out.
  private func bar(_ info: OathCodeInfo) -> String {
    let filled = min(max(info.timeRemaining * 10 / max(info.totalPeriod, 1), 0), 10)
    return String(repeating: "#", count: filled) + String(repeating: ".", count: 10 - filled)
  }

  private func name(_ credential: OathCredential) -> String {
    Console.shown("\(credential.displayIssuer): \(credential.displayAccountName)")
  }
}
