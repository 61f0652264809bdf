internal import PingJourneyPlugin
public import PingOrchestrate

extension Workflow {
  /// Starts the journey in which the transaction `id` is approved, and returns where it stands. Never throws: see
  /// `FailureNode`.
  ///
  /// An application of the relying party has made the transaction on a Sealring server and gives its id to the device, as a
  /// link, a code or a message. The server answers with 401 when the transaction is unknown, decided or expired. A
  /// `DeviceSigningVerifierCallback` of this run signs this transaction or nothing. Success leaves no session: the token is
  /// `""`, and a session that was there stays.
  public func start(
    transaction id: String, configure: @Sendable (inout Options) -> Void = { _ in }
  ) async -> any Node {
    await begin(configure, transaction: id) { request, options in
      request.parameter(name: JourneyConstants.authIndexType, value: JourneyConstants.transaction)
      request.parameter(name: JourneyConstants.authIndexValue, value: id)
      Self.add(options, to: request)
    }
  }
}
