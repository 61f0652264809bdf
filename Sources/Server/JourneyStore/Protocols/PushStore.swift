/// What became of push messages, for those who look later.
public protocol PushDecisionStore: Sendable {
  /// What became of questions, the newest first.
  func pushDecisions(_ query: EvidenceQuery) async throws -> [PushDecisionRecord]
}

/// Everything that push needs.
public typealias PushStore = PushDeviceStore & PushMessageStore & PushInboxStore & PushDecisionStore
