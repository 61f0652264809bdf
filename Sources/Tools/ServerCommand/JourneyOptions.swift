import ArgumentParser
import Foundation
import Assembly
import PrivateFiles

/// The journeys that a server offers, and their time limits.
struct JourneyOptions: ParsableArguments, ServerOptionGroup {
  @Option(help: "Folder with exported journeys: DIR/<realm>/*.journey.json.")
  var journeys: String?

  @Option(
    help: ArgumentHelp(
      """
      Bundled journeys to offer: all, login, none, or names, separated by commas; after REALM= for that realm, before \
      any for all but the root realm, which has Login. Default: all; on a public address without those for which possession of a device is \
      enough, such as BindDeviceNoPin, unless they are named. Repeatable.
      """, valueName: "list"))
  var bundledJourneys: [String] = []

  @Flag(
    help: """
      Load the journey files again when they change. A file that does not load leaves its journeys as they were. Needs --journeys.
      """)
  var watch = false

  @Option(
    help: """
      How many administrators must have seen a journey before an upload on the pages puts it live: one; or two, and then another one has to \
      agree. Files that change in the folder are the operator's affair. Needs --journeys.
      """)
  var journeyReview = Reviewers.one

  enum Reviewers: String, ExpressibleByArgument, CaseIterable { case one, two }

  @Flag(
    help: """
      Do not start when a journey does not load as it was written. Without this the server starts: it offers nothing under the name of a \
      journey that does not load, and warns of nodes that fail and of values that it replaces.
      """)
  var strictJourneys = false

  @Option(help: "Seconds that a user has to finish a journey.")
  var journeyTimeout = Int(ServerConfiguration.standard.journeyTimeout)

  @Option(help: "Seconds that the link to a suspended journey, such as one in a mail, is accepted.")
  var suspendedJourneyTimeout = Int(ServerConfiguration.standard.suspendedJourneyTimeout)

  func validate() throws {
    try (1...86400).require(journeyTimeout, for: "--journey-timeout", unit: " of seconds")
    try (1...86400).require(suspendedJourneyTimeout, for: "--suspended-journey-timeout", unit: " of seconds")
    if journeyReview == .two, journeys == nil {
      throw ValidationError("--journey-review two needs --journeys.")
    }
    if watch, journeys == nil { throw ValidationError("--watch needs --journeys.") }
  }

  func apply(to configuration: inout ServerConfiguration) throws {
    configuration.journeysDirectory = journeys.map { URL(filePath: $0) }
    configuration.requiresAllJourneys = strictJourneys
    configuration.refusesJourneyDeviations = strictJourneys
    configuration.bundledJourneys = try BundledJourneys(options: bundledJourneys)
    configuration.journeyTimeout = TimeInterval(journeyTimeout)
    configuration.suspendedJourneyTimeout = TimeInterval(suspendedJourneyTimeout)
    configuration.watchesJourneys = watch
    configuration.journeyReview = journeyReview == .two ? .two : .one
  }
}
