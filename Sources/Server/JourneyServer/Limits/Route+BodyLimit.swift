extension Route.Resource {
  /// Bytes that a request's body may have here: what the resource's content can need.
  func bodyLimit(_ limits: ServerLimits) -> Int {
    switch self {
    case .authenticate: limits.authenticateBody
    case .users, .user: limits.userBody
    default: limits.body
    }
  }
}
