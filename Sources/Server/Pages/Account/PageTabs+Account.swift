internal import PageTemplates

extension PageTabs {
  /// The pages of an account. The raw value is the last part of the address.
  enum Account: String {
    case overview = "", methods, sessions, activity, signatures, password
  }

  static func account(_ current: Account, _ texts: Texts) -> PageTabs {
    let names: KeyValuePairs<Account, String> = [
      .overview: "account.overview", .methods: "methods.title", .sessions: "sessions.title",
      .activity: "activity.title", .signatures: "signatures.title", .password: "password.title",
    ]
    return PageTabs(
      name: texts["account.title"],
      items: names.map { Item(text: texts[$1], path: ["account", $0.rawValue], isCurrent: $0 == current) })
  }
}
