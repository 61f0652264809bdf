internal import JOSE

/// The checks of an Android key attestation, after its chain was verified.
struct AndroidAttestation {
  let policy: AndroidPolicy

  /// - Parameters:
  ///   - challenge: the challenge that the attestation must contain.
  ///   - requiresPerson: whether the key must be unusable until somebody is recognised.
  func verify(
    _ chain: VerifiedChain, key: JWK, challenge: [UInt8], requiresPerson: Bool
  ) throws(AttestationFailure) -> AndroidKeyProperties {
    let description = try KeyDescription(leaf: chain.leaf, issuers: chain.issuers)
    try chain.requireLeafKey(key)
    guard description.attestationChallenge == challenge else {
      throw AttestationFailure(.challengeMismatch, "the attestation answers another challenge")
    }
    let level = min(description.attestationSecurityLevel, description.keySecurityLevel)
    guard level >= policy.minimumSecurityLevel else {
      throw AttestationFailure(
        .securityLevelTooLow,
        "the security level is \(level.name), and \(policy.minimumSecurityLevel.name) is required")
    }
    // Only the list that the key's own place enforces counts: Android's statement about a hardware key's origin would prove nothing.
    let enforced = level == .software ? description.softwareEnforced : description.hardwareEnforced
    try check(enforced, of: description, for: key)
    let isPersonRequired = !enforced.needsNobody && (enforced.userAuthentication ?? 0) != 0
    guard isPersonRequired || !requiresPerson else {
      throw AttestationFailure(.personNotRequired, "the key can be used without recognising anybody")
    }
    try checkApplication(of: description)
    let boot = description.hardwareEnforced.rootOfTrust
    let isBootVerified = boot.map { $0.isDeviceLocked && $0.isBootVerified } ?? false
    guard isBootVerified || !policy.requiresVerifiedBoot else {
      throw AttestationFailure(
        .bootNotVerified,
        boot == nil
          ? "the attestation does not say how the device booted"
          : "the device is unlocked or did not boot a system verified by its maker")
    }
    return AndroidKeyProperties(
      securityLevel: level, attestationVersion: description.attestationVersion,
      isBootVerified: isBootVerified, requiresPerson: isPersonRequired,
      packages: description.application?.packages.sorted() ?? [])
  }

  /// Every package that may use the key must be one of the accepted apps.
  private func checkApplication(of description: KeyDescription) throws(AttestationFailure) {
    guard !policy.applications.isEmpty else { return }
    guard let application = description.application, !application.packages.isEmpty,
      !application.signers.isEmpty,
      application.packages.allSatisfy({ name in
        policy.applications[name].map { application.signers.isSubset(of: $0) } ?? false
      })
    else {
      throw AttestationFailure(
        .applicationRefused,
        "the key is not of an accepted app: "
          + (description.application?.packages.sorted().joined(separator: ", ").prefix(200) ?? "it names none")
      )
    }
  }

  private func check(
    _ enforced: AuthorizationList, of description: KeyDescription, for key: JWK
  ) throws(AttestationFailure) {
    guard enforced.origin == AuthorizationList.Value.generated else {
      throw AttestationFailure(
        .originNotGenerated, "the key was not generated in its key store, or the attestation does not say so")
    }
    guard !description.isForAllApplications else {
      throw AttestationFailure(.allApplications, "every app of the device may use the key")
    }
    let algorithm =
      switch key.material {
      case .p256: AuthorizationList.Value.ec
      case .rsa: AuthorizationList.Value.rsa
      }
    guard enforced.algorithm == algorithm else {
      throw AttestationFailure(.purposeRefused, "the attested algorithm is not that of the key")
    }
    let allowed: Set = [AuthorizationList.Value.sign, AuthorizationList.Value.verify]
    guard let purposes = enforced.purposes, purposes.contains(AuthorizationList.Value.sign),
      purposes.isSubset(of: allowed)
    else { throw AttestationFailure(.purposeRefused, "the key is not for signing, or not for signing alone") }
  }
}
