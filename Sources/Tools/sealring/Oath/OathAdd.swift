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

    @OptionGroup var picture: EnrolmentPicture
    @OptionGroup var options: PushOptions
    @OptionGroup var output: ResultOptions

    func validate() throws { try picture.validate(uri) }

    func run() async throws {
      let uri = try await picture.address(uri, schemes: [.otpauth, .mfauth])
      let enrolled = try await DeviceEnrolment.add(uri, schemes: [.otpauth, .mfauth], options: options)
      guard let codes = enrolled.codes else { return }
      if output.json {
        var record = codes.record.objectValue ?? JSONObject()
        record["pushCredentialId"] = enrolled.push.map { .string($0.id) } ?? .null
        Output.json(.object(record))
      } else {
        Output.line("\(enrolled.summary) `sealring oath code \(codes.id)` makes a code.")
      }
    }
  }
}
