/// What became of the tests of several files.
public struct JourneyTestReport: Sendable {
  public var files: [FileResult]

  /// What the tests of each journey went through, by realm and name.
  public var coverage: [JourneyCoverage]

  /// Whether every test passed and every file could be read.
  public var isSuccess: Bool {
    files.allSatisfy { $0.problem == nil && $0.tests.allSatisfy { $0.failure == nil } }
  }

  /// Whether every node and outcome was visited, or left out with a reason.
  public var isCovered: Bool { coverage.allSatisfy(\.isComplete) }

  public struct FileResult: Sendable {
    public var file: String
    public var name: String
    public var tests: [TestResult]

    /// Why no test of the file could run.
    public var problem: String?
  }

  public struct TestResult: Sendable {
    public var name: String
    public var line: Int
    public var duration: Duration

    /// `nil` for a test that passed.
    public var failure: StepFailure?
  }
}

/// The step at which a test failed.
public struct StepFailure: Sendable, Hashable {
  /// Counted from 1.
  public var step: Int
  public var line: Int
  public var title: String
  public var reason: String

  /// Expected lines begin with `- `, lines that came with `+ `, others with two spaces.
  public var difference: [String]

  /// What the journey did in the end.
  public var came: String

  /// The nodes that it went through in this step.
  public var visited: [String]

  /// The last reasons in the server's log.
  public var log: [String]
}
