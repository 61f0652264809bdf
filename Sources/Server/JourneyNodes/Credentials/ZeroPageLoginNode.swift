internal import Bytes
internal import JourneyEngine
internal import JourneyStore
internal import PasswordRules
internal import StrictJSON

/// Takes name and password from request headers: `true` when both are there and the request may use them.
struct ZeroPageLoginNode: JourneyNode {
  let outcomes = ["true", "false"]
  let stateOutputs = [StateKey.username, StateKey.password]
  let stepUse = StepUse.later
  private let usernameHeader: String
  private let passwordHeader: String
  private let allowWithoutReferer: Bool
  private let refererAllowList: [String]

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    usernameHeader = try definition.string("usernameHeader", default: "X-OpenAM-Username").lowercased()
    passwordHeader = try definition.string("passwordHeader", default: "X-OpenAM-Password").lowercased()
    allowWithoutReferer = try definition.flag("allowWithoutReferer", default: true, instead: false)
    refererAllowList = try definition.strings("referrerWhiteList")
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let headers = context.request.headers
    guard let username = headers[usernameHeader].map(EncodedWords.decode), !username.isEmpty,
      let password = headers[passwordHeader].map(EncodedWords.decode), !password.isEmpty
    else { return .outcome("false") }
    guard LoginName.isPossible(username), PasswordText.normalized(password) != nil else {
      return context.outcome("false", because: "the zero-page login headers are too long")
    }
    guard allows(referer: headers["referer"]) else {
      return context.outcome("false", because: "zero-page login is not allowed from this Referer")
    }
    context.state.username = username
    context.state.transient[StateKey.password] = .string(password)
    return .outcome("true")
  }

  /// Another site's page could make a browser log in as somebody else; browsers name that page in `Referer`. It must be listed: as
  /// the whole URL, or as its beginning up to a path or query.
  private func allows(referer: String?) -> Bool {
    guard let referer, !referer.isEmpty else { return allowWithoutReferer }
    return refererAllowList.contains { allowed in
      guard !allowed.isEmpty, referer.hasPrefix(allowed) else { return false }
      let rest = referer.dropFirst(allowed.count)
      return rest.isEmpty || allowed.hasSuffix("/") || rest.hasPrefix("/") || rest.hasPrefix("?")
    }
  }
}
