import Foundation

/// `approver register|add|listen|codes|code|list|delete`.
@main
enum ApproverCommand {
  static let usage = """
    approver register NAME [--codes | --both]   let this terminal approve NAME's sign-ins, make codes for them, or both; asks for the password
    approver add ADDRESS                        the same with what a QR code says: pushauth://, otpauth:// or mfauth://
    approver listen [--once]                    wait for sign-ins, and ask
    approver codes [--once]                     the codes by time, with the time that is left
    approver code ID                            one code; one by counter is used up by it
    approver list                               what this device answers for
    approver delete ID                          forget one; the server's record stays until somebody deletes it there

    APPROVER_SERVER is the server, by default http://127.0.0.1:8080/am; APPROVER_REALM its realm, by default alpha.
    """

  static func main() async {
    let options = CommandLine.arguments.dropFirst().filter { $0.hasPrefix("--") }
    let words = CommandLine.arguments.dropFirst().filter { !$0.hasPrefix("--") }
    do {
      switch (words.first, words.count, options) {
      case ("register", 2, []): try await register(words[1], .push)
      case ("register", 2, ["--codes"]): try await register(words[1], .codes)
      case ("register", 2, ["--both"]): try await register(words[1], .both)
      case ("add", 2, []): _ = try await add(words[1])
      case ("listen", 1, []): try await Approvals().listen(once: false)
      case ("listen", 1, ["--once"]): try await Approvals().listen(once: true)
      case ("codes", 1, []): try await Codes().show(once: !Console.isLive)
      case ("codes", 1, ["--once"]): try await Codes().show(once: true)
      case ("code", 2, []): print(try await Codes().code(of: words[1]))
      case ("list", 1, []):
        let lines = try await Approvals().credentials() + Codes().credentials()
        if lines.isEmpty { Console.say("Nothing yet: approver register NAME") }
        for line in lines { print(Console.shown(line)) }
      case ("delete", 2, []): try await delete(words[1])
      default:
        print(usage)
        exit(64)
      }
    } catch {
      Console.say(error.localizedDescription)
      exit(1)
    }
  }

  private static func register(_ name: String, _ kind: Enrolment.Kind) async throws {
    guard let password = Console.ask("Password of \(name)", isSecret: true) else {
      throw ApproverError.cancelled
    }
    let environment = ProcessInfo.processInfo.environment
    let enrolment = Enrolment(
      server: environment["APPROVER_SERVER"] ?? "http://127.0.0.1:8080/am",
      realm: environment["APPROVER_REALM"] ?? "alpha")
    try await enrolment.run(kind, username: name, password: password, add: add)
    print("Registered.")
  }

  /// Gives an address to the clients that it is for; the id of the credential for codes, if it has one.
  private static func add(_ address: String) async throws -> String? {
    let scheme = address.prefix { $0 != ":" }.lowercased()
    guard ["pushauth", "otpauth", "mfauth"].contains(scheme) else { throw ApproverError.unknownAddress }
    var id: String?
    if scheme != "pushauth" {
      let added = try await Codes().add(address)
      id = added.id
      Console.say("Makes codes for \(added.name).")
    }
    if scheme != "otpauth" { Console.say("Approves sign-ins of \(try await Approvals().add(address)).") }
    return id
  }

  private static func delete(_ id: String) async throws {
    let isPush = try await Approvals().delete(id)
    let isCode = try await Codes().delete(id)
    guard isPush || isCode else { throw ApproverError.unknownCredential(id) }
    print("Deleted.")
  }
}
