/// The results of the tests of several files.
public struct JourneyTestReport: Sendable {
  public var files: [FileResult]

  /// The coverage of each journey, by realm and name.
  public var coverage: [JourneyCoverage]

  /// Whether every test passed and every file could be read.
  public var isSuccess: Bool {
    files.allSatisfy { $0.problem == nil && $0.tests.allSatisfy { $0.failure == nil } }
  }

  /// Whether every node and outcome was visited, or is left out with a reason.
  public var isCovered: Bool { coverage.allSatisfy(\.isComplete) }

  public struct FileResult: Sendable {
    public var file: String
    public var name: String
    public var tests: [TestResult]

    /// The reason why no test of the file could run.
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
  /// The step's number, from 1.
  public var step: Int
  public var line: Int
  public var title: String
  public var reason: String

  /// The difference: expected lines begin with `- `, actual lines with `+ `, others with two spaces.
  public var difference: [String]

  /// A summary of what the journey did last.
  public var came: String

  /// The nodes visited in this step.
  public var visited: [String]

  /// The last reasons in the server's log.
  public var log: [String]
}
