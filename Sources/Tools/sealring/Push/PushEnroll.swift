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

    @OptionGroup var picture: EnrolmentPicture
    @OptionGroup var options: PushOptions
    @OptionGroup var output: ResultOptions

    func validate() throws { try picture.validate(uri) }

    func run() async throws {
      let uri = try await picture.address(uri, schemes: [.pushauth, .mfauth])
      let enrolled = try await DeviceEnrolment.add(uri, schemes: [.pushauth, .mfauth], options: options)
      guard let credential = enrolled.push else { return }
      if output.json {
        Output.json(credential.record)
      } else if enrolled.codes == nil {
        Output.line("Enrolled for \(printable(credential.displayName)).")
        Output.line(credential.rows(withID: true) + "`sealring push listen` shows its requests.")
      } else {
        Output.line("\(enrolled.summary)")
        Output.line(credential.rows(withID: true) + "`sealring push listen` shows its requests.")
      }
    }
  }
}
