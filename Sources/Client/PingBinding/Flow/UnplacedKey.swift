internal import Concurrency
internal import TerminalPrompts
internal import TerminalText

#if canImport(UIKit)
  internal import UIKit
#endif

/// A key without a recorded server, and the server that asks for its signature.
///
/// Such a key would work at every server, and the first server that accepts its signature owns it. So the app, or else the person,
/// confirms before the first signature that the asking server is the key's server.
struct UnplacedKey: Sendable {
  let key: UserKey
  let asking: KeyScope

  /// `nil` when the key's server is known, or the asking server is not.
  init?(_ key: UserKey, asking: KeyScope?) {
    guard key.scope == nil, let asking else { return nil }
    (self.key, self.asking) = (key, asking)
  }

  /// - Throws: ``DeviceBindingError/userCanceled`` when the asking server is not the key's server,
  ///   ``DeviceBindingError/unsupported(errorMessage:)`` when nobody can be asked.
  func confirm(_ dependencies: BindingDependencies) async throws {
    let isConfirmed: Bool
    if let confirmation = dependencies.config.serverConfirmation {
      let transferred = Transferred(confirmation)
      isConfirmed = try await dependencies.deadline.run(abandoning: true) {
        await transferred.value(key, asking.server, asking.realm)
      }
    } else {
      isConfirmed = try await dependencies.deadline.run(abandoning: false) { try await ask() }
    }
    guard isConfirmed else { throw DeviceBindingError.userCanceled }
  }

  private static let heading = "This key was bound before its server was recorded."

  #if canImport(UIKit)
    private func ask() async throws -> Bool {
      await AlertPrompt.ask(setting: "config.serverConfirmation") { answer in alert(answer) } ?? false
    }

    @MainActor
    private func alert(_ answer: FirstAnswer<Bool?>) -> UIAlertController {
      let alert = UIAlertController(
        title: "Use this key here?",
        message:
          "\(Self.heading)\nKey: \(key.label)\nServer: \(TerminalText.address(asking.server))\nRealm: \(asking.realm)",
        preferredStyle: .alert)
      alert.addAction(UIAlertAction(title: "Cancel", style: .cancel) { _ in answer.give(false) })
      alert.addAction(UIAlertAction(title: "Use", style: .default) { _ in answer.give(true) })
      return alert
    }
  #else
    private func ask() async throws -> Bool {
      try await ask(on: .controlling)
    }

    func ask(on terminal: Terminal) async throws -> Bool {
      let facts = TerminalText.rows([
        ("Key", key.label), ("Server", TerminalText.address(asking.server)), ("Realm", asking.realm),
      ])
      switch await terminal.askYesNo("\(Self.heading)\n\(facts)Does it belong to this server and no other") {
      case .yes: return true
      case .no, .cancelled: return false
      case .unavailable(let reason):
        throw DeviceBindingError.unsupported(
          errorMessage:
            "\(Self.heading) Whether it belongs to \(TerminalText.address(asking.server)) cannot be asked: \(reason)."
            + " Set config.serverConfirmation, or bind the device again.")
      }
    }
  #endif
}

/// The server asks for a key of another user than the one that this operation is for.
package struct KeyOfAnotherUser: Error {
  /// The operation's user.
  package let username: String
}
