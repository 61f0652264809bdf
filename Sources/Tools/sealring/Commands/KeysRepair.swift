import ArgumentParser
import Foundation
import PingBinding
import StrictJSON
import TerminalPrompts
import UserVerification
import UserVerificationFprintd
import UserVerificationPAM

extension Keys {
  struct Repair: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Keep or remove keys that are refused because the enrolled fingers have changed.",
      discussion: """
        Such keys are not deleted: they work again once the same fingers are enrolled as before. With this command you can let the fingers \
        enrolled now unlock a key, with your password as proof, or remove the key. A key that only fingers unlock cannot be kept this way: \
        bind the device again, which replaces it once the server has accepted the new one.
        """)

    @OptionGroup var chip: ChipOptions
    @OptionGroup var output: ResultOptions

    func run() async throws {
      #if os(Linux)
        let reader = FprintdVerifier()
        let keys = try await BindingModule.keysWithChangedEnrolment(on: reader)
        if keys.isEmpty { Output.remark("No key is refused because of a changed enrolment.") }
        var decisions: [JSONValue] = []
        for key in keys {
          let decision = try await decide(about: key, reader)
          decisions.append(["kid": .string(key.kid), "decision": .string(decision.rawValue)])
        }
        if output.json { Output.json(.array(decisions)) }
      #else
        throw CommandFailure.unsupported(
          "On this system the keychain manages such keys. Bind the device again.")
      #endif
    }

    #if os(Linux)
      /// The result for a key.
      private enum Decision: String { case kept, removed, left }

      private func decide(about key: UserKey, _ reader: FprintdVerifier) async throws -> Decision {
        let canRenew = key.authType == .biometricAllowFallback
        let facts = """
          Other fingers are enrolled now than when this key was made.
            Key      \(key.kid)
            Account  \(printable(key.username))
            Server   \(printable(key.server ?? "not known yet"))
            Bound    \(Times.text(key.createdAt))

          """
        let choices =
          canRenew
          ? "keep = let the fingers enrolled now unlock it, remove, or Enter to leave it: "
          : "remove, or Enter to leave it: "
        switch await Terminal.controlling.ask(facts + choices, echoes: true) {
        case .text(let text) where text.trimmingCharacters(in: .whitespaces) == "remove":
          try await BindingModule.deleteKey(key, keyStore: chip.keyStore())
          Output.remark(
            "Removed key \(key.kid) from this device. The server's record stays until it is deleted there.")
          return .removed
        case .text(let text) where canRenew && text.trimmingCharacters(in: .whitespaces) == "keep":
          do {
            let proof = try await PAMVerifier().verify(
              reason: "Keep a key for the fingers that are enrolled now", source: DefaultCredentialSource())
            try await BindingModule.renewEnrolment(of: key, after: proof, on: reader)
          } catch let error as UserVerificationError {
            throw CommandFailure.refused(
              "The key is left as it is: \(PlainReason.of(error)) \(error.recoverySuggestion ?? "")")
          }
          Output.remark("Key \(key.kid) is unlocked by the fingers that are enrolled now.")
          return .kept
        case .text, .cancelled:
          Output.remark("Key \(key.kid) is left as it is.")
          return .left
        case .unavailable(let reason):
          throw CommandFailure.unsupported(
            "Nobody can be asked: \(reason). Run this on a terminal; `sealring keys delete` removes a key without a question."
          )
        }
      }
    #endif
  }
}
