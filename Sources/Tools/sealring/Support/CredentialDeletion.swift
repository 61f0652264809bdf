import ArgumentParser
import StrictJSON

/// Deletes one of this device's credentials for codes or push messages. The server keeps its record.
struct CredentialDeletion: ParsableArguments {
  @Argument(help: "The credential's id, as the list shows it.")
  var credential: String

  @OptionGroup var confirmation: Confirmation
  @OptionGroup var result: ResultOptions

  /// - Parameters:
  ///   - kind: the kind, as in `sealring devices --kind`.
  ///   - list: the command that lists the credentials.
  ///   - question: the question to confirm; `nil` when there is no such credential.
  ///   - delete: deletes the credential; returns `false` when there is none.
  func run(
    kind: String, list: String, asking question: String?, _ delete: (String) async throws -> Bool
  ) async throws {
    if let question { try await confirmation.ask(question) }
    guard try await delete(credential) else {
      throw CommandFailure.missing("credential \(printable(credential))", command: list)
    }
    result.done(
      "Deleted credential \(printable(credential)) from this device. The server still has its record: `sealring devices delete "
        + "--kind \(kind)`.",
      ["credential": .string(credential), "deleted": true])
  }
}
