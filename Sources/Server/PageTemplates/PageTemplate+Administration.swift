internal import CEmbeddedFiles

extension PageTemplate {
  /// The administration.
  static let administration: [PageTemplate] = [
    adminRealms, adminLive, adminPlot, adminGraph, adminSteps, adminOverview, adminUsers, adminUser,
    adminSignIns,
    adminSignIn,
    adminJourneys, adminJourney, adminUpload, adminLedger, adminEntry, adminVerify, adminDoor, adminDevices,
    adminServer,
  ]

  static let adminRealms = PageTemplate("adminRealms", .adminRealms_mustache)
  static let adminLive = PageTemplate("adminLive", .adminLive_mustache)
  static let adminPlot = PageTemplate("adminPlot", .adminPlot_mustache)
  static let adminGraph = PageTemplate("adminGraph", .adminGraph_mustache)
  static let adminSteps = PageTemplate("adminSteps", .adminSteps_mustache)

  package static let adminOverview = PageTemplate("adminOverview", .adminOverview_mustache)
  package static let adminUsers = PageTemplate("adminUsers", .adminUsers_mustache)
  package static let adminUser = PageTemplate("adminUser", .adminUser_mustache)
  package static let adminSignIns = PageTemplate("adminSignIns", .adminSignIns_mustache)
  package static let adminSignIn = PageTemplate("adminSignIn", .adminSignIn_mustache)
  package static let adminJourneys = PageTemplate("adminJourneys", .adminJourneys_mustache)
  package static let adminJourney = PageTemplate("adminJourney", .adminJourney_mustache)
  package static let adminUpload = PageTemplate("adminUpload", .adminUpload_mustache)
  package static let adminLedger = PageTemplate("adminLedger", .adminLedger_mustache)
  package static let adminEntry = PageTemplate("adminEntry", .adminEntry_mustache)
  package static let adminDoor = PageTemplate("adminDoor", .adminDoor_mustache)
  package static let adminVerify = PageTemplate("adminVerify", .adminVerify_mustache)
  package static let adminDevices = PageTemplate("adminDevices", .adminDevices_mustache)
  package static let adminServer = PageTemplate("adminServer", .adminServer_mustache)
}
