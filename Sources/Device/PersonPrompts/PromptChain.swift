package import Foundation

/// Asks through the first of several prompts that can ask this question.
package struct PromptChain: PersonPrompt {
  private let prompts: [any PersonPrompt]

  package init(_ prompts: [any PersonPrompt]) { self.prompts = prompts }

  package func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer {
    var reasons: [String] = []
    for prompt in prompts {
      let answer = await prompt.ask(question, until: end)
      guard case .nobody(let reason) = answer else { return answer }
      reasons.append(reason)
    }
    return .nobody(reasons.joined(separator: "; "))
  }
}
