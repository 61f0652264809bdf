import Concurrency
public import Testing

/// The earlier SDK's names belong to the whole program: whoever starts `FRAuth` changes it for all. Suites that do take turns, whichever
/// test target they are in.
public struct EarlierNames: SuiteTrait, TestTrait, TestScoping {
  private static let turn = AsyncMutex()

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Self.turn.withLock { try await function() }
  }
}

extension Trait where Self == EarlierNames {
  /// Nobody else uses the earlier SDK's names meanwhile.
  public static var earlierNames: Self { Self() }
}
