internal import PageTemplates

/// How well an account is protected, which its pages say in one sentence.
enum Protection: Equatable {
  /// No method signs in.
  case none
  /// A password alone.
  case weak
  /// A second factor that can be phished, because its code or tap can be talked out of its person.
  case fair
  /// One key that cannot be phished, and no replacement when it is lost.
  case single
  /// Several such keys.
  case strong(Int)

  /// - Parameters:
  ///   - keys: passkeys, security keys and bound keys, whose signatures are for this server only.
  ///   - others: push devices and authenticator apps.
  init(hasPassword: Bool, keys: Int, others: Int) {
    self =
      switch (keys, others) {
      case (2..., _): .strong(keys)
      case (1, _): .single
      case (_, 1...): .fair
      default: hasPassword ? .weak : .none
      }
  }

  func sentence(_ texts: Texts) -> String {
    switch self {
    case .none: texts["protection.none"]
    case .weak: texts["protection.weak"]
    case .fair: texts["protection.fair"]
    case .single: texts["protection.single"]
    case .strong(let count): texts["protection.strong", ["count": String(count)]]
    }
  }

  /// The class of the sentence's paragraph.
  var look: String {
    switch self {
    case .none, .weak: "caution"
    case .fair, .single: "muted"
    case .strong: "notice"
    }
  }
}
