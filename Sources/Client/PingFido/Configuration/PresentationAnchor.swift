#if canImport(AuthenticationServices)
  public import AuthenticationServices

  /// The window over which the system shows its passkey prompts.
  public typealias PresentationAnchor = ASPresentationAnchor
#else
  /// Stands for the window over which Apple's systems show their passkey prompts. Other systems have no such prompt and ignore it.
  public struct PresentationAnchor: Sendable, Hashable {
    public init() {}
  }

  /// The name of ``PresentationAnchor`` on Apple's systems.
  public typealias ASPresentationAnchor = PresentationAnchor
#endif
