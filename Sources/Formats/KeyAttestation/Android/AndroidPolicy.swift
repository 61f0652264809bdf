/// What an Android key must be like.
public struct AndroidPolicy: Sendable, Hashable {
  /// The weakest place accepted, for the key and for what attests it.
  public var minimumSecurityLevel: AndroidSecurityLevel

  /// Whether the device must be locked and have booted a system that its maker signed. On another one the key is
  /// still where it says, but what asks for its use may be anything.
  public var requiresVerifiedBoot: Bool

  public init(
    minimumSecurityLevel: AndroidSecurityLevel = .trustedEnvironment, requiresVerifiedBoot: Bool = true
  ) {
    self.minimumSecurityLevel = minimumSecurityLevel
    self.requiresVerifiedBoot = requiresVerifiedBoot
  }
}
