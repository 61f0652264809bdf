import ArgumentParser
import StrictJSON

extension JourneyCommand {
  /// `sealring journey list`: what a server offers.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List a realm's journeys as the server has them: for administrators and auditors.",
      discussion: """
        LEVEL is the authentication level that every success has at least, and AT MOST the highest that some success reaches. A journey that is not \
        enabled starts only inside another one.
        """)

    @OptionGroup var administration: User.Administration

    @Flag(help: "Print the server's records as JSON.")
    var json = false

    func run() async throws {
      let journeys = try await administration.signedIn { try await $0.journeys() }
      if json {
        Output.json(.array(journeys))
      } else if journeys.isEmpty {
        Output.remark("Realm \(printable(administration.server.realm)) has no journeys.")
      } else {
        Output.table(
          head: ["JOURNEY", "ENABLED", "LEVEL", "AT MOST", "SOURCE", "DESCRIPTION"],
          rows: journeys.map { journey in
            [
              printable(journey["_id"]?.stringValue ?? ""),
              journey["enabled"]?.boolValue == true ? "yes" : "no",
              String(journey["guaranteedLevel"]?.integerValue ?? 0),
              String(journey["reachableLevel"]?.integerValue ?? 0),
              printable(journey["source"]?.stringValue ?? ""),
              printable(journey["description"]?.stringValue ?? ""),
            ]
          })
      }
    }
  }
}
