internal import Accounts
internal import JourneyEngine
internal import QueryFilters
internal import StrictJSON

/// Asks for questions and their answers, which later prove who somebody is; collected as `kbaInfo`. Answers are hashed as passwords
/// are, without regard to case and blanks around them, and kept nowhere in clear.
struct KbaCreateNode: JourneyNode {
  let outcomes = ["outcome"]
  let stateOutputs = [StateKey.objectAttributes]
  private let services: NodeServices
  private let message: LocalizedText
  private let allowsOwnQuestions: Bool

  private static let longestText = 512

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    message = try definition.localized("message", builtIn: "Select a security question")
    allowsOwnQuestions = try definition.flag("allowUserDefinedQuestions", default: true, instead: false)
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let locales = context.request.locales
    let questions = services.securityQuestions
    let predefined = questions.texts.map { (id: $0.id, text: $0.text.text(for: locales)) }
    guard let pairs = pairs(context.reply, predefined) else {
      let callback = OutgoingCallback(
        type: "KbaCreateCallback",
        outputs: [
          .init("prompt", .string(message.text(for: locales))),
          .init("predefinedQuestions", .array(predefined.map { .string($0.text) })),
          .init("allowUserDefinedQuestions", .bool(allowsOwnQuestions)),
        ], inputs: [.init("question", ""), .init("answer", "")])
      return .callbacks(Array(repeating: callback, count: questions.answersNeeded))
    }
    var information: [JSONValue] = []
    for pair in pairs {
      let hash = try await services.passwords.hash(pair.answer)
      information.append(.object([pair.member: .string(pair.question), "answer": ["hash": .string(hash)]]))
    }
    if let pointer = JSONPointer("kbaInfo") {
      context.state.collect(.array(information), at: pointer, isSecret: true)
    }
    return .outcome("outcome")
  }

  private struct Pair {
    var member: String
    var question: String
    var answer: String
  }

  /// Different questions with answers; `nil` when something is missing.
  private func pairs(_ reply: CallbackReply?, _ predefined: [(id: String, text: String)]) -> [Pair]? {
    guard let reply else { return nil }
    var pairs: [Pair] = []
    for index in 0..<services.securityQuestions.answersNeeded {
      guard let question = reply.text("question", at: index)?.trimmed, !question.isEmpty,
        let answer = reply.text("answer", at: index)?.trimmed.lowercased(), !answer.isEmpty,
        question.utf8.count <= Self.longestText, answer.utf8.count <= Self.longestText
      else { return nil }
      if let known = predefined.first(where: { $0.text == question }) {
        pairs.append(Pair(member: "questionId", question: known.id, answer: answer))
      } else {
        guard allowsOwnQuestions else { return nil }
        pairs.append(Pair(member: "customQuestion", question: question, answer: answer))
      }
    }
    return Set(pairs.map { "\($0.member) \($0.question)" }).count == pairs.count ? pairs : nil
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
