import ArgumentParser
import PingCommons
import PingOath
import PingPush
import StrictJSON

extension OathCommand {
  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Enrol this device with the code that a service shows.",
      discussion: """
        The address holds the secret that this device and the service share. On a machine with other users, pass it on standard input (-) \
        or scan it from a picture: they can read the arguments of your commands. An address that begins \
        with mfauth enrols for push as well: either both succeed or neither.
        """)

    @Argument(help: "The address (otpauth://… or mfauth://…); - reads it from standard input.")
    var uri: String?

    @OptionGroup var enrolment: EnrolmentCommand

    func validate() throws { try enrolment.validate(uri) }

    func run() async throws {
      try await enrolment.run(uri, .otpauth) { enrolled in
        enrolled.codes.map { codes in
          var record = OathCredential.columns.record(of: codes)
          record["pushCredentialId"] = enrolled.push.map { .string($0.id) } ?? .null
          return ("\(enrolled.summary) `sealring oath code \(codes.id)` makes a code.", record)
        }
      }
    }
  }
}
