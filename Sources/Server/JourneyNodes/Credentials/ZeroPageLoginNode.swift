internal import Bytes
internal import JourneyEngine
internal import JourneyStore
internal import PasswordRules
internal import StrictJSON

extension NodeDefinition {
  /// Takes name and password from request headers: `true` when both are there and the request may use them.
  func zeroPageLoginNode() throws(JourneyFileError) -> PlainNode {
    let usernameHeader = try string("usernameHeader", default: "X-OpenAM-Username").lowercased()
    let passwordHeader = try string("passwordHeader", default: "X-OpenAM-Password").lowercased()
    let allowsNoReferer = try flag("allowWithoutReferer", default: true, instead: false)
    let referers = try strings("referrerWhiteList")
    return PlainNode(
      outcomes: ["true", "false"], stateOutputs: [StateKey.username, StateKey.password], stepUse: .later
    ) { context in
      let headers = context.request.headers
      guard let username = headers[usernameHeader].map(EncodedWords.decode), !username.isEmpty,
        let password = headers[passwordHeader].map(EncodedWords.decode), !password.isEmpty
      else { return .outcome("false") }
      guard LoginName.isPossible(username), PasswordText.normalized(password) != nil else {
        return context.outcome("false", because: "the zero-page login headers are too long")
      }
      let referer = headers["referer"] ?? ""
      guard referer.isEmpty ? allowsNoReferer : referers.contains(where: { referer.isPage(of: $0) }) else {
        return context.outcome("false", because: "zero-page login is not allowed from this Referer")
      }
      context.state.username = username
      context.state.transient[StateKey.password] = .string(password)
      return .outcome("true")
    }
  }
}

extension String {
  /// Another site's page could make a browser log in as somebody else; browsers name that page in `Referer`. It must be listed: as
  /// the whole URL, or as its beginning up to a path or query.
  fileprivate func isPage(of allowed: String) -> Bool {
    guard !allowed.isEmpty, hasPrefix(allowed) else { return false }
    let rest = dropFirst(allowed.count)
    return rest.isEmpty || allowed.hasSuffix("/") || rest.hasPrefix("/") || rest.hasPrefix("?")
  }
}
