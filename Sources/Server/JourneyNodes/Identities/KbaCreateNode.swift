internal import Accounts
public import JourneyEngine
internal import QueryFilters
internal import StrictJSON

/// Questions whose answers prove who somebody is.
public struct SecurityQuestions: Sendable, Hashable {
  public struct Question: Sendable, Hashable {
    public var id: String
    public var text: LocalizedText

    public init(_ id: String, _ text: LocalizedText) {
      self.id = id
      self.text = text
    }
  }

  public var texts: [Question]

  /// How many a person answers, from 1 to 5: each answer costs a hash. The platform's default is 2.
  public var answersNeeded: Int

  public init(_ texts: [Question], answersNeeded: Int = 2) {
    self.texts = texts
    self.answersNeeded = min(5, max(1, answersNeeded))
  }

  public static let standard = SecurityQuestions([
    Question("1", LocalizedText([], builtIn: "What was the name of your first teacher?")),
    Question("2", LocalizedText([], builtIn: "In which street did you live as a child?")),
    Question("3", LocalizedText([], builtIn: "Which was the first concert that you went to?")),
  ])
}

extension SecurityQuestions {
  private static let longestText = 512

  fileprivate struct Pair {
    var member: String
    var question: String
    var answer: String
  }

  /// The questions and answers in `reply`; `nil` when one is missing, repeated or not allowed.
  fileprivate func pairs(
    in reply: CallbackReply?, among predefined: [(id: String, text: String)], allowsOwn: Bool
  ) -> [Pair]? {
    guard let reply else { return nil }
    var pairs: [Pair] = []
    for index in 0..<answersNeeded {
      guard let question = reply.text("question", at: index)?.trimmed, !question.isEmpty,
        let answer = reply.text("answer", at: index)?.trimmed.lowercased(), !answer.isEmpty,
        question.utf8.count <= Self.longestText, answer.utf8.count <= Self.longestText
      else { return nil }
      if let known = predefined.first(where: { $0.text == question }) {
        pairs.append(Pair(member: "questionId", question: known.id, answer: answer))
      } else {
        guard allowsOwn else { return nil }
        pairs.append(Pair(member: "customQuestion", question: question, answer: answer))
      }
    }
    return Set(pairs.map { "\($0.member) \($0.question)" }).count == pairs.count ? pairs : nil
  }
}

extension NodeDefinition {
  /// Asks for questions and their answers, which later prove who somebody is; collected as `kbaInfo`. Answers are hashed as passwords
  /// are, without regard to case and blanks around them, and kept nowhere in clear.
  func kbaCreateNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let message = try localized("message", builtIn: "Select a security question")
    let allowsOwn = try flag("allowUserDefinedQuestions", default: true, instead: false)
    return PlainNode(stateOutputs: [StateKey.objectAttributes]) { context in
      let locales = context.request.locales
      let questions = services.securityQuestions
      let predefined = questions.texts.map { (id: $0.id, text: $0.text.text(for: locales)) }
      guard let pairs = questions.pairs(in: context.reply, among: predefined, allowsOwn: allowsOwn) else {
        let callback = OutgoingCallback(
          type: "KbaCreateCallback",
          outputs: [
            .init("prompt", .string(message.text(for: locales))),
            .init("predefinedQuestions", .array(predefined.map { .string($0.text) })),
            .init("allowUserDefinedQuestions", .bool(allowsOwn)),
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
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
