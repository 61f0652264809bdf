internal import PageTemplates

extension PageTabs {
  /// The pages of an account.
  enum Account: CaseIterable {
    case overview, methods, sessions, activity, signatures, password

    var path: [String] {
      switch self {
      case .overview: ["account", ""]
      case .methods: ["account", "methods"]
      case .sessions: ["account", "sessions"]
      case .activity: ["account", "activity"]
      case .signatures: ["account", "signatures"]
      case .password: ["account", "password"]
      }
    }

    func name(_ texts: Texts) -> String {
      switch self {
      case .overview: texts["account.overview"]
      case .methods: texts["methods.title"]
      case .sessions: texts["sessions.title"]
      case .activity: texts["activity.title"]
      case .signatures: texts["signatures.title"]
      case .password: texts["password.title"]
      }
    }
  }

  static func account(_ current: Account, _ texts: Texts) -> PageTabs {
    PageTabs(
      name: texts["account.title"],
      items: Account.allCases.map { Item(text: $0.name(texts), path: $0.path, isCurrent: $0 == current) })
  }
}
