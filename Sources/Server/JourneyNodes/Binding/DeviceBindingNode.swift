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
/// With the property `attestation` on, the callback asks for the key's attestation, as PingAM's does: a proof of an Android
/// device succeeds only with one that leads to a configured root; other devices may leave it out, and one that they bring
/// has to pass as well. What a device is, it says itself, so that this keeps out nobody who means to stay out of it; with
/// `attestationRequired` (ours) every proof needs one. Without configured roots none can pass: a chain that nobody verified
/// proves nothing about the key.
struct DeviceBindingNode: JourneyNode {
  private let services: NodeServices
  private let settings: BindingNodeSettings
  private let authenticationType: BindingAuthenticationType

  /// Most devices of one user; 0 means no limit.
  private let limit: Int
  private let attestation: AttestationDemand
  private let postponesStorage: Bool

  /// Longest device id taken, in UTF-8 bytes; the server never interprets it.
  private static let maximumDeviceIDBytes = 256

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    settings = try BindingNodeSettings(definition, ownOutcomes: ["success", "failure", "exceedDeviceLimit"])
    let type = try definition.string(
      BindingField.authenticationType, default: BindingAuthenticationType.biometricOnly.rawValue)
    guard let type = BindingAuthenticationType(rawValue: type) else {
      let types = BindingAuthenticationType.allCases.map(\.rawValue).joined(separator: ", ")
      throw definition.wrong(BindingField.authenticationType, "must be one of \(types)")
    }
    authenticationType = type
    limit = try definition.integer("maxSavedDevices", default: 0, in: 0...1000)
    let asks = try definition.flag("attestation", default: false)
    let requires = try definition.flag("attestationRequired", default: false)
    attestation = requires ? .ofAll : asks ? .ofAndroid : .none
    postponesStorage = try definition.flag("postponeDeviceProfileStorage", default: false)
  }

  var outcomes: [String] {
    ["success", "failure"] + (limit > 0 ? ["exceedDeviceLimit"] : []) + settings.clientErrorOutcomes
  }

  let stateInputs = [StateKey.username]

  var stateOutputs: [String] { postponesStorage ? [DeviceInState.device] : [] }

  var warnings: [String] {
    guard services.attestation == nil else { return [] }
    return switch attestation {
    case .none: []
    case .ofAndroid:
      [
        "property attestation is on, but no attestation roots are configured: no Android device is bound, and no other that brings an attestation"
      ]
    case .ofAll:
      ["property attestationRequired is on, but no attestation roots are configured: every binding fails"]
    }
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let username = try context.requiredUsername()
    guard let user = try await services.store.user(named: username, realm: context.request.realm) else {
      throw NodeError("there is no user \(JSONValue.string(username).text) to bind a device to")
    }
    guard user.isActive else {
      context.logReason(ProofFailure.userNotActive.text)
      return .outcome("failure")
    }
    // Asked before the person is, and again before anything is stored.
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
    // The limit decides when the device is stored; asking here only spares the person a prompt.
    if limit > 0 {
      let count = try await services.store.boundDevices.all(of: user.account).count
      guard count < limit else { return exceeded(in: &context) }
    }
    let issued = IssuedChallenge.random(services)
    context.notes = issued.notes
    let outputs =
      [
        OutgoingCallback.Field(BindingField.userID, .string(user.universalID)),
        .init(BindingField.username, .string(user.username)),
        .init(BindingField.authenticationType, .string(authenticationType.rawValue)),
      ] + settings.outputs(of: issued.challenge, locales: context.request.locales)
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
      return failure(error.text, in: &context)
    }
    let verified: VerifiedAttestation?
    do throws(AttestationFailure) {
      verified = try await verifyAttestation(
        of: jws, platform: proof.claims[ProofClaim.platform]?.stringValue, challenge: challenge)
    } catch {
      return failure("the key attestation is refused: \(error)", in: &context)
    }
    let deviceID = reply.text(BindingField.deviceID) ?? ""
    guard deviceID.utf8.count <= Self.maximumDeviceIDBytes else {
      return failure("the device id is too long", in: &context)
    }
    var record = BoundDeviceRecord(
      proven: key, user: user, deviceID: deviceID, deviceName: reply.text(BindingField.deviceName) ?? "",
      now: now)
    record.attestation = verified.map { Self.record(of: $0, at: now) }
    let evidence = EvidenceRecord(.bind, of: compact, by: record, user: user, now: now, in: context)
    let once = OnceKey(of: proof)
    if postponesStorage {
      guard try await services.store.addEvidence(evidence, once: once) != nil else {
        return failure(ProofFailure.replayed.text, in: &context)
      }
      DeviceInState.put(record, userID: user.universalID, limit: limit, into: &context.state)
      return .outcome("success")
    }
    switch try await services.store.addBoundDevice(
      record, limit: DeviceLimit(limit, permission), evidence: evidence, once: once)
    {
    case .added:
      try await services.noteAddedDevice(record.uuid, kind: "binding", of: user, in: context)
      return .outcome("success")
    case .replayed: return failure(ProofFailure.replayed.text, in: &context)
    case .limitReached: return exceeded(in: &context)
    case .notFirst: throw NodeError("the user has added a stronger factor meanwhile")
    case .duplicate:
      return failure("the user already has this key, or a device with this `kid`", in: &context)
    case .noSuchUser: return failure("the user was deleted meanwhile", in: &context)
    }
  }

  /// What is kept of an attestation: what it says, and when it was verified, in milliseconds since 1970.
  private static func record(of attestation: VerifiedAttestation, at time: Date) -> JSONObject {
    var record = attestation.json
    record["verifiedDate"] = .integer(time.millisecondsSince1970)
    return record
  }

  /// `nil` when none is wanted, or none is there and none has to be.
  private func verifyAttestation(
    of proof: UnverifiedJWS, platform: String?, challenge: Challenge
  ) async throws(AttestationFailure) -> VerifiedAttestation? {
    guard attestation.isDemanded(of: platform, bringing: proof.header.jwk ?? [:]) else { return nil }
    guard let verifier = services.attestation else {
      throw AttestationFailure(.noRootsConfigured, "no attestation roots are configured")
    }
    return try await verifier.verify(
      jwk: proof.header.jwk ?? [:], challenge: challenge.bytes,
      requiresLockout: authenticationType == .applicationPIN)
  }

  /// Of whom an attestation is demanded.
  private enum AttestationDemand {
    case none
    /// Of Android devices, and of those that bring one.
    case ofAndroid
    case ofAll

    /// Whether a proof passes only with an attestation that does.
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

  private func exceeded(in context: inout NodeContext) -> NodeResult {
    context.logReason("the user has \(limit) devices, which is the limit")
    return .outcome("exceedDeviceLimit")
  }

  private func failure(_ reason: String, in context: inout NodeContext) -> NodeResult {
    context.logReason(reason)
    return .outcome("failure")
  }
}
