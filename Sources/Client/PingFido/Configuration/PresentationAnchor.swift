#if canImport(AuthenticationServices)
  public import AuthenticationServices

  /// The window over which the system shows its passkey prompts.
  public typealias PresentationAnchor = ASPresentationAnchor
#else
  /// Stands for the window over which Apple's systems show their passkey prompts. Elsewhere there is no such prompt, and it has
  /// no meaning.
  public struct PresentationAnchor: Sendable, Hashable {
    public init() {}
  }

  /// The name that Apple's systems have for it.
  public typealias ASPresentationAnchor = PresentationAnchor
#endif
