import ArgumentParser

/// `sealring completion`: what a shell needs to complete commands and options.
struct CompletionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion", abstract: "Print the script that completes commands and options in a shell.",
    discussion: """
      bash: sealring completion bash > ~/.local/share/bash-completion/completions/sealring
      zsh:  sealring completion zsh > ~/.zfunc/_sealring   (with ~/.zfunc in fpath)
      fish: sealring completion fish > ~/.config/fish/completions/sealring.fish
      """)

  enum Shell: String, ExpressibleByArgument, CaseIterable { case bash, zsh, fish }

  @Argument(help: "The shell: bash, zsh or fish.")
  var shell: Shell

  func run() throws {
    let kind: CompletionShell =
      switch shell {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    Output.line(Sealring.completionScript(for: kind))
  }
}
