#if os(Linux)
  import Foundation
  import PersonPrompts
  import TerminalPrompts

  /// Who asks the person.
  enum AgentPrompts {
    /// - Parameter pinentry: The program that was named.
    static func chosen(pinentry: String?, _ environment: [String: String]) -> any PersonPrompt {
      let terminal = environment["GPG_TTY"]
      if let pinentry { return Pinentry(pinentry, terminal: terminal, environment: environment) }
      if Terminal.controlling.size != nil { return TerminalPersonPrompt(.controlling) }
      guard isInstalled("pinentry", environment) else { return NobodyToAsk() }
      return Pinentry("pinentry", terminal: terminal, environment: environment)
    }

    private static func isInstalled(_ program: String, _ environment: [String: String]) -> Bool {
      (environment["PATH"] ?? "").split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
    }
  }
#endif
