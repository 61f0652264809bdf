import ArgumentParser
import Assembly
import Foundation
import JourneyEngine
import JourneyScripts
import JourneyTesting
import StrictJSON

extension JourneyCommand {
  struct Try: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Play every journey of a folder as far as it goes without a person, and print one line for each.",
      discussion: """
        For somebody who has exports of another server and wants to see what this one makes of them. The server is in this process, with a \
        clock that it moves, and its data are gone with it; mail is not sent, and no device takes part. Folders may have any layout, as for \
        `journey check`.

        What journeys ask is answered by --choices, a file such as {"*": {"User Name": "demo"}, "Menu": {"ChoiceCallback": "Email"}}: by \
        journey, and by prompt, attribute, id or type. A list has one answer after another. Everything else is answered where no person is \
        needed: an account's name and password, the preset choice, consent.

        The command fails when a journey does not load.
        """)

    @Argument(help: "Exported files, or folders of them.", completion: .file(extensions: ["json"]))
    var files: [String]

    @Option(help: "A file with answers by journey (JSON).", completion: .file(extensions: ["json"]))
    var choices: String?

    @OptionGroup var output: ResultOptions

    func run() async throws {
      let answers = try choices.map(Self.answers) ?? TourAnswers()
      let tour = JourneyTour(answers: answers) {
        $0.playScripts()
      }
      var report = TourReport()
      for group in try JourneyFiles.groups(files) {
        report.journeys += try await tour.run(group.files, realm: group.realm ?? "alpha").journeys
      }
      if output.json {
        Output.json(report.json)
      } else {
        for line in report.lines { Output.line(printable(line)) }
      }
      guard report.loads else { throw CommandFailure.invalid("Not all journeys load.") }
    }

    private static func answers(_ path: String) throws -> TourAnswers {
      let value: JSONValue
      do { value = try JSONValue(parsing: try GivenFile.bytes(path, limit: 1 << 20)) } catch let error
        as JSONError
      {
        throw CommandFailure.invalid("\(printable(path)) is \(error).")
      }
      guard let journeys = value.objectValue else {
        throw CommandFailure.invalid("\(printable(path)) must be an object of answers by journey.")
      }
      do { return try TourAnswers(journeys) } catch {
        throw CommandFailure.invalid(sentence(printable("\(path): \(error)")))
      }
    }
  }
}
