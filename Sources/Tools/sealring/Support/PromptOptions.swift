import ArgumentParser
import Foundation

#if os(Linux)
  import DesktopPrompts
  import PersonPrompts
  import TerminalPrompts
  import UserVerificationFprintd
#endif

/// The way to ask the user.
struct PromptOptions: ParsableArguments {
  @Option(
    help: "Ask by this program that speaks pinentry's protocol, even when there is a terminal.",
    completion: .file())
  var pinentry: String?
}

/// The way to ask for keys, which may require a fingerprint for each yes.
struct FingerPromptOptions: ParsableArguments {
  @OptionGroup var asking: PromptOptions

  @Flag(
    help: ArgumentHelp(
      "Take a yes only from your finger (fprintd), never from a button or a key. PINs are asked for as before.",
      discussion:
        "A notification of the desktop says what the finger agrees to. Without a reader, an enrolled finger or a desktop it is a no."
    ))
  var finger = false
}

#if os(Linux)
  extension PromptOptions {
    /// A prompt on this program's terminal; without one on the desktop: a notification for a yes, pinentry for a PIN.
    func prompt(_ environment: [String: String]) -> any PersonPrompt {
      let (notification, terminal) = (NotificationPrompt(environment), environment["GPG_TTY"])
      if let pinentry { return Pinentry(pinentry, terminal: terminal, environment: environment) }
      if Terminal.controlling.size != nil { return TerminalPersonPrompt(.controlling) }
      guard Self.isInstalled("pinentry", environment) else {
        return PromptChain([notification, NobodyToAsk()])
      }
      return PromptChain([
        notification, Pinentry("pinentry", terminal: terminal, environment: environment),
      ])
    }

    private static func isInstalled(_ program: String, _ environment: [String: String]) -> Bool {
      (environment["PATH"] ?? "").split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
    }
  }

  extension FingerPromptOptions {
    func prompt(_ environment: [String: String]) -> any PersonPrompt {
      let pins = asking.prompt(environment)
      return finger
        ? FingerPrompt(FprintdVerifier(), shownBy: NotificationPrompt(environment), pins: pins) : pins
    }
  }
#endif
