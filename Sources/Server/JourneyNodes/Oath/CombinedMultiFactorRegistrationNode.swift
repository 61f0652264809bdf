internal import JourneyEngine
internal import OATH

/// Registers one device for push and for one-time codes, with one QR code (reference push §7.3).
///
/// Both profiles are stored in the moment in which the device answers, or neither.
struct CombinedMultiFactorRegistrationNode: JourneyNode {
  let outcomes = PushEnrolment.outcomes
  let stateInputs = [StateKey.username]
  let stateOutputs = [PushState.recoveryCodes]
  private let enrolment: PushEnrolment
  private let oath: OathHalf

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    enrolment = try PushEnrolment(definition, services: services)
    oath = try OathHalf(definition, services: services)
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    try await enrolment.evaluate(&context, start: "mfauth://\(oath.profile.name)", oath: oath)
  }
}
