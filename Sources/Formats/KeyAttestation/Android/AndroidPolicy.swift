/// The demands on an Android key.
public struct AndroidPolicy: Sendable, Hashable {
  /// The lowest accepted security level of the key and of its attestation.
  public var minimumSecurityLevel = AndroidSecurityLevel.trustedEnvironment

  /// Whether the device must be locked and have booted a system that its maker signed. On other devices the key is still where it claims to
  /// be, but any program may ask for its use.
  public var requiresVerifiedBoot = true

  /// The apps whose keys are accepted: a package's name with the SHA-256 of the certificates that it may be signed with. Empty: any app's.
  ///
  /// Android itself says which app made a key, so this rests on ``requiresVerifiedBoot``.
  public var applications: [String: Set<[UInt8]>]

  public init(applications: [String: Set<[UInt8]>] = [:]) { self.applications = applications }
}
