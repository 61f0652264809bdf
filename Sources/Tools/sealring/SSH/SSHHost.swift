import ArgumentParser

/// The name of a host for `ssh`: one of the network or of ssh_config, which may have an account before an `@`.
///
/// It is never an option of `ssh`, and has no character that a shell takes for more than itself, because `ssh` puts it into the commands of its
/// configuration (as OpenSSH checks it from 9.6 on).
struct SSHHost: ExpressibleByArgument {
  private static let longest = 512

  let text: String

  init?(argument: String) {
    guard (1...Self.longest).contains(argument.utf8.count),
      argument.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      !argument.contains(where: { "'`\"\\$;&<>|(){}".contains($0) })
    else { return nil }
    let parts = argument.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix("-") }) else { return nil }
    text = argument
  }

  /// Whether an account stands before it.
  var hasAccount: Bool { text.contains("@") }
}
