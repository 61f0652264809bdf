internal import PageTemplates

extension PageTabs {
  /// The pages of an account.
  enum Account: CaseIterable {
    case overview

    var path: [String] {
      switch self {
      case .overview: ["account", ""]
      }
    }

    func name(_ texts: Texts) -> String {
      switch self {
      case .overview: texts["account.overview"]
      }
    }
  }

  static func account(_ current: Account, _ texts: Texts) -> PageTabs {
    PageTabs(
      name: texts["account.title"],
      items: Account.allCases.map { Item(text: $0.name(texts), path: $0.path, isCurrent: $0 == current) })
  }
}
