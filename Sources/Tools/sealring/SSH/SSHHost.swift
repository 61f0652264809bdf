import ArgumentParser

/// The name of a host for `ssh`: a network name or one from ssh_config, optionally with an account before an `@`.
///
/// It is never an option of `ssh`, and contains no characters that are special to a shell, because `ssh` puts it into the commands of its
/// configuration (OpenSSH checks this from 9.6 on).
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

  /// Whether the name includes an account.
  var hasAccount: Bool { text.contains("@") }
}
