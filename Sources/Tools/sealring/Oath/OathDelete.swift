import ArgumentParser
import PingOath

extension OathCommand {
  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a credential from this device.",
      discussion:
        "The server is not told: delete its record with `sealring devices delete --kind oath`, or it goes on asking for codes that "
        + "nobody can make."
    )

    @OptionGroup var deletion: CredentialDeletion

    func run() async throws {
      let known = try await OathClients.with { try await $0.getCredentials() }
        .first { $0.id == deletion.credential }
      let question = known.map {
        "Delete the credential for one-time codes of \(printable($0.displayName)) from this device?\nThe server keeps its record."
      }
      try await deletion.run(kind: "oath", list: "sealring oath list", asking: question) { id in
        try await OathClients.with { try await $0.deleteCredential(id) }
      }
    }
  }
}
