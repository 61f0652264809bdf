/// What one run of a script can use. A run over a limit ends without a result; the others keep running.
public struct ScriptLimits: Sendable, Hashable {
  /// How long a script may compute, in its worker's processor time.
  public var time = Duration.milliseconds(200)

  /// How long a run may take with everything that it waits for.
  public var wallTime = Duration.seconds(10)

  /// Resident memory of a worker, bytes; about 40 MB are its own.
  public var memory = 192 << 20

  /// The longest message of a worker, bytes: what a run leaves, or one call.
  public var message = 1 << 20

  /// What all messages of one run may have together, bytes.
  public var output = 8 << 20

  /// What a script may log, in characters.
  public var log = 64 << 10

  /// How many runs may wait for a worker.
  public var waiting = 1000

  public init() {}

  /// How long the server waits for a worker to end a script that is over its time by itself. Not all that JavaScript can do
  /// can be interrupted: a regular expression cannot, and an endless chain of promises is not noticed.
  static let grace = Duration.milliseconds(8)

  /// What a message counts at least, bytes: so that a worker cannot send empty ones without end.
  static let leastMessage = 256

  /// How often the server looks at a worker that is still computing.
  static let interval = Duration.milliseconds(2)

  /// How long a new worker may take to be ready.
  static let startTime = Duration.seconds(60)
}
