internal import CEmbeddedFiles

/// One of the templates in the program, which stands under its name in `Templates`.
package enum PageTemplate: String, Sendable, CaseIterable {
  /// A page with everything around it. Pages fill its blocks.
  case layout

  /// A page of one card, for those who are not signed in.
  case plain

  /// The choice of a file to verify, and what it says.
  case verifyFile

  // What pages of several parts use.
  case pager, error, home, verify, signIn

  // My account. The entries are a list of what happened, for two pages.
  case accountOverview, accountEntries, accountMethods, accountMethod, accountMethodRemoval, accountSessions
  case accountPassword, accountCodes, accountActivity, accountReport, accountSignatures

  // The pages of OpenID Connect.
  case consent, consentSignOut, consentMessage, deviceCode, deviceQuestion

  // The administration; the first are parts of its pages.
  case adminRealms, adminLive, adminPlot, adminGraph, adminSteps
  case adminOverview, adminUsers, adminUser, adminSignIns, adminSignIn, adminJourneys, adminJourney,
    adminUpload
  case adminLedger, adminEntry, adminVerify, adminDoor, adminDevices, adminServer

  /// Empty when the program lacks the file.
  var bytes: [UInt8] {
    let file = EmbeddedFile.template(rawValue)
    return Array(UnsafeBufferPointer(start: file.start, count: file.count))
  }
}
