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
  static let accountEntries = PageTemplate("accountEntries", PackageResources.accountEntries_mustache)

  package static let accountOverview = PageTemplate(
    "accountOverview", PackageResources.accountOverview_mustache)
  package static let accountMethods = PageTemplate("accountMethods", PackageResources.accountMethods_mustache)
  package static let accountMethod = PageTemplate("accountMethod", PackageResources.accountMethod_mustache)
  package static let accountMethodRemoval = PageTemplate(
    "accountMethodRemoval", PackageResources.accountMethodRemoval_mustache)
  package static let accountSessions = PageTemplate(
    "accountSessions", PackageResources.accountSessions_mustache)
  package static let accountPassword = PageTemplate(
    "accountPassword", PackageResources.accountPassword_mustache)
  package static let accountCodes = PageTemplate("accountCodes", PackageResources.accountCodes_mustache)
  package static let accountActivity = PageTemplate(
    "accountActivity", PackageResources.accountActivity_mustache)
  package static let accountReport = PageTemplate("accountReport", PackageResources.accountReport_mustache)
  package static let accountSignatures = PageTemplate(
    "accountSignatures", PackageResources.accountSignatures_mustache)
}
