public import ArgumentParser

struct CompletionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion", abstract: "Print the script that completes commands and options in a shell.",
    discussion: """
      bash: sealring completion bash > ~/.local/share/bash-completion/completions/sealring
      zsh:  sealring completion zsh > ~/.zfunc/_sealring   (with ~/.zfunc in fpath)
      fish: sealring completion fish > ~/.config/fish/completions/sealring.fish
      """)

  @Argument(help: "The shell: bash, zsh or fish.")
  var shell: CompletionShell

  func run() throws { Output.line(Sealring.completionScript(for: shell)) }
}

extension CompletionShell: @retroactive ExpressibleByArgument {}
