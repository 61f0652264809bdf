import ArgumentParser
import LoadTesting
import StrictJSON

extension LoadCommand {
  struct Accounts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add the accounts of the devices, as the administrator.",
      discussion: """
        All get the same password: the second line of standard input with --password-stdin (the first when SEALRING_ADMIN_PASSWORD is \
        set), else from a prompt. Accounts that are there already stay as they are.
        """)

    @OptionGroup var administration: User.Administration
    @OptionGroup var fleet: LoadFleetOptions
    @OptionGroup var consent: LoadConsent
    @OptionGroup var output: ResultOptions

    func run() async throws {
      try await consent.ask(
        "This adds up to \(fleet.devices) accounts (\(printable(fleet.range))) to realm \(printable(administration.server.realm)) "
          + "of \(printable(administration.server.baseAddress)).",
        at: administration.server.baseAddress)
      let (added, there) = try await administration.signedIn { client in
        let password = try await administration.newPassword(for: "the devices' accounts")
        let progress = ProgressLine()
        defer { progress.clear() }
        var (added, there) = (0, 0)
        for name in fleet.usernames {
          do {
            try await client.createUser(["username": .string(name), "userpassword": .string(password)])
            added += 1
          } catch let failure as CommandFailure where failure.code == .conflict { there += 1 }
          progress.show("\(added + there) of \(fleet.devices) accounts")
        }
        return (added, there)
      }
      output.done(
        "Added \(added) accounts to realm \(printable(administration.server.realm))\(there > 0 ? "; \(there) were there" : "").",
        ["added": .integer(Int64(added)), "there": .integer(Int64(there))])
    }
  }
}
