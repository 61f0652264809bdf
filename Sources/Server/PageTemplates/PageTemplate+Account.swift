extension PageTemplate {
  /// My account.
  static let account: [PageTemplate] = [accountOverview]

  package static let accountOverview = PageTemplate(
    "accountOverview", PackageResources.accountOverview_mustache)
}
