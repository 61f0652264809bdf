import Foundation
import JourneyScripts

/// As small a server as scripts need: the tests' workers are started from this program, because `sealring` takes minutes to build.
///
/// With the path of a script as its argument it runs that in a worker of its own.
@main enum ScriptHost {
  static func main() async {
    ScriptWorkerProgram.runIfAsked()
    guard CommandLine.arguments.count == 2,
      let source = try? String(contentsOfFile: CommandLine.arguments[1], encoding: .utf8)
    else { exit(64) }
    var limits = ScriptLimits()
    (limits.time, limits.wallTime) = (.seconds(600), .seconds(600))
    let workers = ScriptWorkers(program: CommandLine.arguments[0], count: 1, limits: limits)
    let output = try? await workers.run(ScriptRun(name: "Test", source: source, isLegacy: false))
    exit(output == nil ? 1 : 0)
  }
}
