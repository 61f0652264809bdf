internal import CEmbeddedFiles

extension PageTemplate {
  /// My account.
  static let account: [PageTemplate] = [
    accountOverview,
    accountEntries,
    accountMethods,
    accountMethod,
    accountMethodRemoval,
    accountSessions,
    accountPassword,
    accountCodes,
    accountActivity,
    accountReport,
    accountSignatures,
  ]

  /// A list of what happened, for two pages.
  static let accountEntries = PageTemplate("accountEntries", .accountEntries_mustache)

  package static let accountOverview = PageTemplate(
    "accountOverview", .accountOverview_mustache)
  package static let accountMethods = PageTemplate("accountMethods", .accountMethods_mustache)
  package static let accountMethod = PageTemplate("accountMethod", .accountMethod_mustache)
  package static let accountMethodRemoval = PageTemplate(
    "accountMethodRemoval", .accountMethodRemoval_mustache)
  package static let accountSessions = PageTemplate(
    "accountSessions", .accountSessions_mustache)
  package static let accountPassword = PageTemplate(
    "accountPassword", .accountPassword_mustache)
  package static let accountCodes = PageTemplate("accountCodes", .accountCodes_mustache)
  package static let accountActivity = PageTemplate(
    "accountActivity", .accountActivity_mustache)
  package static let accountReport = PageTemplate("accountReport", .accountReport_mustache)
  package static let accountSignatures = PageTemplate(
    "accountSignatures", .accountSignatures_mustache)
}
