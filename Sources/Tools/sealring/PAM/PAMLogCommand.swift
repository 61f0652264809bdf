import ArgumentParser
import Bytes
import Foundation
import PAMAgent
import StrictJSON

struct PAMLogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "As root, show the commands that keys of this machine have signed, and verify each signature.",
    discussion: """
      Services with ledger=yes in /etc/pam.d keep them in /var/log/sealring/pam.log; uses of recovery codes are there as well. Exit code 1 \
      when an entry was changed or taken out, or the last one is cut off.
      """)

  @Option(help: "Another file.", completion: .file())
  var file = PAMFiles.log

  @OptionGroup var output: ResultOptions

  func run() async throws {
    #if os(Linux)
      var entries: [PAMLog.Entry] = []
      var damage: CommandFailure?
      do { try PAMLog(URL(filePath: file)).verify { entries.append($0) } } catch let error as PAMRootError {
        damage = CommandFailure(error.localizedDescription, code: error.isDamage ? .damaged : .invalid)
      }
      // A file that cannot be read says nothing about what was on record.
      if let damage, entries.isEmpty, !output.json { throw damage }
      output.list(
        entries,
        [
          Column("#", "number") { String($0.number) },
          Column("TIME", "time") { $0.request.time.formatted(.iso8601) },
          Column("USER", "user") { $0.request.user }, Column("HOST", "host") { $0.request.host },
          Column("SERVICE", "service") { $0.request.service },
          Column("BY", "by") { $0.key.map { "key \($0.hexadecimal.suffix(8))" } ?? "recovery code" },
          Column("COMMAND", "command") { $0.request.command },
        ], none: "Nothing is on record.")
      if let damage { throw damage }
    #else
      throw PAMCommand.needsLinux
    #endif
  }
}
