#if os(Linux)
  import Concurrency
  import DeviceKeys
  import Foundation
  import SecurityKeys
  import TerminalPrompts
  import TerminalText
  import WebAuthnAuthenticator

  /// Asks on the terminal to touch a security key, and for its PIN.
  struct SecurityKeyTerminal: SecurityKeyPerson {
    /// The PIN from standard input. Once it was wrong it is not tried again, also when a server repeats the step: the key takes few wrong
    /// ones, and then only a reset.
    let givenPIN: String?
    /// The server's address, from this device's own data.
    let server: String
    /// The account that the command names.
    let username: String?

    private let isWrong = Locked(false)

    func showTouch(for use: SecurityKeyUse) {
      Output.remark(
        "\(facts(use))Touch the security key \(TerminalText.line(use.key, columns: 60)) to \(purpose(use)).")
    }

    func pin(for question: SecurityKeyPINQuestion) async -> PIN? {
      if let givenPIN {
        if question.isRepeated { isWrong.withLock { $0 = true } }
        return isWrong.withLock { $0 } ? nil : PIN(givenPIN)
      }
      let left = question.triesLeft.map { "Wrong PINs that it still takes: \($0).\n" } ?? ""
      let wrong = question.isRepeated ? "The PIN is wrong.\n" : ""
      let answer = await Terminal.controlling.ask(
        "\(wrong)\(left)To \(purpose(question.use)),\nPIN of the security key \(TerminalText.line(question.use.key, columns: 40)): ",
        echoes: false)
      guard case .text(let text) = answer else { return nil }
      return PIN(text)
    }

    func choose(among accounts: [SecurityKeyAccount], for use: SecurityKeyUse) async -> Int? {
      let list = accounts.enumerated()
        .map { "  \($0 + 1) | \(TerminalText.line(Self.name($1), columns: 70))\n" }.joined()
      let answer = await Terminal.controlling.ask(
        "Sign in at \(TerminalText.address(server)) with which account of the security key?\n\(list)Number: ",
        echoes: true)
      guard case .text(let text) = answer, let number = Int(text.filter { !$0.isWhitespace }),
        accounts.indices.contains(number - 1)
      else { return nil }
      return number - 1
    }

    private static func name(_ account: SecurityKeyAccount) -> String {
      let names = [account.userName, account.userDisplayName].filter { !$0.isEmpty }
      return names.isEmpty ? "an account without a name" : names.joined(separator: ", ")
    }

    /// The lines above the question, with the server's text marked; the device's own facts are in the question.
    private func facts(_ use: SecurityKeyUse) -> String {
      let named =
        use.userName.isEmpty ? "" : "The server calls the account:\n" + TerminalText.quoted([use.userName])
      return named
        + TerminalText.rows([("Relying party", use.relyingPartyID), ("Realm", use.scope?.realm ?? "")])
    }

    private func purpose(_ use: SecurityKeyUse) -> String {
      let account = username.map { TerminalText.line($0, columns: 32) }
      let place = TerminalText.address(server, columns: 32)
      return switch use.purpose {
      case .register: "register it\(account.map { " for \($0)" } ?? "") at \(place)"
      case .signIn: "sign in\(account.map { " as \($0)" } ?? "") at \(place)"
      }
    }
  }
#endif
