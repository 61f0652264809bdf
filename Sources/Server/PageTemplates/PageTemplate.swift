internal import CEmbeddedFiles

/// A template that is embedded in the program, named after its file in `Templates`.
package enum PageTemplate: String, Sendable, CaseIterable {
  /// The frame of a full page. Pages fill its blocks.
  case layout

  /// A page with a single card, for visitors who are not signed in.
  case plain

  /// The page that verifies a chosen file and shows the result.
  case verifyFile

  // Pages and parts that several areas use.
  case pager, error, home, verify, signIn

  // My account. `accountEntries` is a list of events that two pages show.
  case accountOverview, accountEntries, accountMethods, accountMethod, accountMethodRemoval, accountSessions
  case accountPassword, accountCodes, accountActivity, accountReport, accountSignatures

  // The pages of OpenID Connect.
  case consent, consentSignOut, consentMessage, deviceCode, deviceQuestion

  // The administration. The first line lists parts of its pages.
  case adminRealms, adminLive, adminPlot, adminGraph, adminSteps
  case adminOverview, adminUsers, adminUser, adminSignIns, adminSignIn, adminJourneys, adminJourney,
    adminUpload
  case adminLedger, adminEntry, adminVerify, adminDoor, adminDevices, adminServer

  /// The template's bytes; empty when the program lacks the file.
  var bytes: [UInt8] {
    let file = EmbeddedFile.template(rawValue)
    return Array(UnsafeBufferPointer(start: file.start, count: file.count))
  }
}
