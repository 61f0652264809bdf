extension CommandScene {
  /// Signs a text with the client's key.
  package func sign(_ text: String) async throws -> CommandResult {
    try await run(
      ["sign", "--text", text, "--claim", "amount=10", "--pin-stdin"], input: Self.pin + "\n")
  }

  package func audit(_ arguments: String...) async throws -> CommandResult {
    try await tool.run(["audit"] + arguments, input: "")
  }
}
