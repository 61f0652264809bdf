import ArgumentParser
import PingCommons
import PingPush

extension PushCommand {
  struct Enroll: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Enrol this device for push with the code that a server shows.",
      discussion: """
        The URI holds the secret that this device and the server share. On a machine with other users, pass it on standard input (-) or \
        scan it from a picture: they can read the arguments of your commands. A URI that begins with \
        mfauth enrols for one-time codes as well: either both succeed or neither.
        """)

    @Argument(help: "The URI (pushauth://… or mfauth://…); - reads it from standard input.")
    var uri: String?

    @OptionGroup var enrolment: EnrolmentCommand

    func validate() throws { try enrolment.validate(uri) }

    func run() async throws {
      try await enrolment.run(uri, .pushauth) { enrolled in
        enrolled.push.map { credential in
          let summary =
            enrolled.codes == nil ? "Enrolled for \(printable(credential.displayName))." : enrolled.summary
          return (
            "\(summary)\n\(credential.rows(withID: true))`sealring push listen` shows its requests.",
            PushCredential.columns.record(of: credential)
          )
        }
      }
    }
  }
}
