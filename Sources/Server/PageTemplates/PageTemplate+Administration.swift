extension PageTemplate {
  /// The administration.
  static let administration: [PageTemplate] = [
    adminRealms, adminLive, adminPlot, adminGraph, adminSteps, adminOverview, adminUsers, adminUser,
    adminSignIns,
    adminSignIn,
    adminJourneys, adminJourney, adminUpload, adminLedger, adminEntry, adminVerify, adminDevices, adminServer,
  ]

  static let adminRealms = PageTemplate("adminRealms", PackageResources.adminRealms_mustache)
  static let adminLive = PageTemplate("adminLive", PackageResources.adminLive_mustache)
  static let adminPlot = PageTemplate("adminPlot", PackageResources.adminPlot_mustache)
  static let adminGraph = PageTemplate("adminGraph", PackageResources.adminGraph_mustache)
  static let adminSteps = PageTemplate("adminSteps", PackageResources.adminSteps_mustache)

  package static let adminOverview = PageTemplate("adminOverview", PackageResources.adminOverview_mustache)
  package static let adminUsers = PageTemplate("adminUsers", PackageResources.adminUsers_mustache)
  package static let adminUser = PageTemplate("adminUser", PackageResources.adminUser_mustache)
  package static let adminSignIns = PageTemplate("adminSignIns", PackageResources.adminSignIns_mustache)
  package static let adminSignIn = PageTemplate("adminSignIn", PackageResources.adminSignIn_mustache)
  package static let adminJourneys = PageTemplate("adminJourneys", PackageResources.adminJourneys_mustache)
  package static let adminJourney = PageTemplate("adminJourney", PackageResources.adminJourney_mustache)
  package static let adminUpload = PageTemplate("adminUpload", PackageResources.adminUpload_mustache)
  package static let adminLedger = PageTemplate("adminLedger", PackageResources.adminLedger_mustache)
  package static let adminEntry = PageTemplate("adminEntry", PackageResources.adminEntry_mustache)
  package static let adminVerify = PageTemplate("adminVerify", PackageResources.adminVerify_mustache)
  package static let adminDevices = PageTemplate("adminDevices", PackageResources.adminDevices_mustache)
  package static let adminServer = PageTemplate("adminServer", PackageResources.adminServer_mustache)
}
