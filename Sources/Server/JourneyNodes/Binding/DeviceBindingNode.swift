internal import Accounts
internal import BindingFormats
internal import Bytes
internal import EvidenceLedger
internal import Foundation
internal import JOSE
internal import JourneyEngine
internal import JourneyStore
internal import KeyAttestation
internal import StrictJSON

/// Binds a key of the client's device to the user: sends `DeviceBindingCallback`, verifies the proof, and stores the
/// device or leaves it in state for a Device Binding Storage node.
///
/// With the property `attestation` on, the callback asks for the key's attestation, as PingAM's does. A proof of an Android device succeeds
/// only with an attestation that leads to a configured root. Other devices may leave it out, but an attestation that they send must pass.
/// The device itself states its platform, so this does not stop an attacker; with `attestationRequired` (ours) every proof needs an
/// attestation. Without configured roots no attestation can pass.
struct DeviceBindingNode: JourneyNode {
  private let services: NodeServices
  private let settings: BindingNodeSettings
  private let authenticationType: BindingAuthenticationType

  /// The most devices of one user; 0 means no limit.
  private let limit: Int
  private let attestation: AttestationDemand
  private let postponesStorage: Bool

  /// Longest device id taken, in UTF-8 bytes; the server never interprets it.
  private static let maximumDeviceIDBytes = 256

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = try services.addingFactors(definition)
    settings = try BindingNodeSettings(definition, ownOutcomes: ["success", "failure", "exceedDeviceLimit"])
    authenticationType = try definition.choice(
      BindingField.authenticationType, default: BindingAuthenticationType.biometricOnly.rawValue)
    limit = try definition.integer("maxSavedDevices", default: 0, in: 0...1000, clamping: .down)
    let asks = try definition.flag("attestation", default: false, instead: true)
    let requires = try definition.flag("attestationRequired", default: false, instead: true)
    attestation = requires ? .ofAll : asks ? .ofAndroid : .none
    postponesStorage = try definition.flag("postponeDeviceProfileStorage", default: false)
  }

  var outcomes: [String] {
    ["success", "failure"] + (limit > 0 ? ["exceedDeviceLimit"] : []) + settings.clientErrorOutcomes
  }

  let stateInputs = [StateKey.username]

  var stateOutputs: [String] {
    (postponesStorage ? [DeviceInState.device] : [])
      + (attestation == .none ? [] : [DeviceInState.attestation])
  }

  var warnings: [String] {
    guard services.attestation == nil else { return [] }
    return switch attestation {
    case .none: []
    case .ofAndroid:
      [
        "property attestation is on, but no attestation roots are configured: devices with Android, and others that send an "
          + "attestation, cannot be bound"
      ]
    case .ofAll:
      ["property attestationRequired is on, but no attestation roots are configured: every binding fails"]
    }
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    // The attestation of an earlier binding says nothing about this one.
    DeviceInState.put(attestation: nil, into: &context.state)
    guard let user = try await services.user(in: &context) else {
      throw NodeError("there is no user \(try context.requiredUsername().quoted) to bind a device to")
    }
    guard user.isActive else {
      return context.outcome("failure", because: ProofFailure.userNotActive.text)
    }
    // Checked before the person is asked, and again before anything is stored.
    let permission = try await services.factorPermission(for: user, context)
    guard let reply = context.reply, let issued = IssuedChallenge(notes: context.notes) else {
      return try await ask(user, in: &context)
    }
    switch issued.answer(reply, settings, now: services.clock(), in: &context) {
    case .outcome(let outcome): return .outcome(outcome)
    case .proof(let jws):
      return try await bind(jws, reply, issued.challenge, user, permission, in: &context)
    }
  }

  private func ask(_ user: UserRecord, in context: inout NodeContext) async throws -> NodeResult {
    // The limit is enforced when the device is stored; checking here only spares the person a prompt.
    if limit > 0 {
      let count = try await services.store.boundDevices.all(of: user.account).count
      if count >= limit, let reason = try DeviceAddition.limitReached.refusal(limit: limit) {
        return context.outcome("exceedDeviceLimit", because: reason)
      }
    }
    let issued = IssuedChallenge.random(services)
    context.notes = issued.notes
    let outputs =
      [
        OutgoingCallback.Field(BindingField.userID, .string(user.universalID)),
        .init(BindingField.username, .string(user.username)),
        .init(BindingField.authenticationType, .string(authenticationType.rawValue)),
      ]
      + settings.outputs(
        of: issued.challenge, locales: context.request.locales, journeyTimeout: services.journeyTimeout)
      + [.init(BindingField.attestation, .bool(attestation != .none))]
    let inputs = [
      BindingField.jws, BindingField.deviceName, BindingField.deviceID, BindingField.clientError,
    ]
    return .callbacks([
      OutgoingCallback(
        type: BindingCallbackType.bind, outputs: outputs, inputs: inputs.map { .init($0, "") })
    ])
  }

  private func bind(
    _ compact: String, _ reply: CallbackReply, _ challenge: Challenge, _ user: UserRecord,
    _ permission: FactorChangeCheck.Permission, in context: inout NodeContext
  ) async throws -> NodeResult {
    let now = services.clock()
    let jws: UnverifiedJWS
    let key: DeviceProof.ProvenKey
    let proof: DeviceProof.Verified
    do throws(ProofFailure) {
      jws = try DeviceProof.parse(compact, limits: attestation != .none ? .withCertificates : .standard)
      (key, proof) = try DeviceProof.verifyBinding(
        jws,
        expecting: DeviceProof.Expectations(
          subject: user.universalID, challenge: challenge, applicationIDs: settings.applicationIDs,
          skew: settings.skew, now: now))
    } catch {
      return context.outcome("failure", because: error.text)
    }
    let verified: VerifiedAttestation?
    do throws(AttestationFailure) {
      verified = try await verifyAttestation(
        of: jws, platform: proof.claims[ProofClaim.platform]?.stringValue, challenge: challenge)
    } catch {
      return context.outcome("failure", because: "the key attestation is refused: \(error)")
    }
    let deviceID = reply.text(BindingField.deviceID) ?? ""
    guard deviceID.utf8.count <= Self.maximumDeviceIDBytes else {
      return context.outcome("failure", because: "the device id is too long")
    }
    var record = BoundDeviceRecord(
      proven: key, user: user, deviceID: deviceID, deviceName: reply.text(BindingField.deviceName) ?? "",
      now: now)
    record.attestation = verified.map { Self.record(of: $0, at: now) }
    let evidence = EvidenceRecord(.bind, of: compact, by: record, user: user, now: now, in: context)
    let once = OnceKey(of: proof)
    if postponesStorage {
      guard try await services.store.addEvidence(evidence, once: once) != nil else {
        return context.outcome("failure", because: ProofFailure.replayed.text)
      }
      DeviceInState.put(record, userID: user.universalID, limit: limit, into: &context.state)
      DeviceInState.put(attestation: record.attestation, into: &context.state)
      return .outcome("success")
    }
    let addition = try await services.store.addBoundDevice(
      record, limit: DeviceLimit(limit, permission, of: user), evidence: evidence, once: once)
    if let refusal = try addition.refusal(limit: limit) {
      return context.outcome(addition == .limitReached ? "exceedDeviceLimit" : "failure", because: refusal)
    }
    try await services.noteAddedDevice(record.uuid, kind: "binding", of: user, in: context)
    DeviceInState.put(attestation: record.attestation, into: &context.state)
    return .outcome("success")
  }

  /// The kept form of an attestation: its content, and when it was verified, in milliseconds since 1970.
  private static func record(of attestation: VerifiedAttestation, at time: Date) -> JSONObject {
    var record = attestation.json
    record["verifiedDate"] = .integer(time.millisecondsSince1970)
    return record
  }

  /// The verified attestation; `nil` when none is demanded.
  private func verifyAttestation(
    of proof: UnverifiedJWS, platform: String?, challenge: Challenge
  ) async throws(AttestationFailure) -> VerifiedAttestation? {
    guard attestation.isDemanded(of: platform, bringing: proof.header.jwk ?? [:]) else { return nil }
    guard let verifier = services.attestation else {
      throw AttestationFailure(.noRootsConfigured, "no attestation roots are configured")
    }
    return try await verifier.verify(
      jwk: proof.header.jwk ?? [:], challenge: challenge.bytes,
      requiresLockout: authenticationType == .applicationPIN,
      requiresPerson: [.biometricOnly, .biometricAllowFallback].contains(authenticationType))
  }

  /// The devices that must attest their keys.
  private enum AttestationDemand {
    case none
    /// Android devices, and those that send an attestation.
    case ofAndroid
    case ofAll

    /// Whether a proof passes only with an attestation that passes, too.
    ///
    /// - Parameters:
    ///   - platform: What the proof's claim of that name says.
    ///   - jwk: The proof's key, with its evidence.
    func isDemanded(of platform: String?, bringing jwk: JSONObject) -> Bool {
      switch self {
      case .none: false
      case .ofAll: true
      case .ofAndroid: platform?.lowercased() == "android" || jwk["x5c"] != nil || jwk["tpm"] != nil
      }
    }
  }
}
