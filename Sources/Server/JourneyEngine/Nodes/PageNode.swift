internal import StrictJSON

/// Shows several nodes as one step. Its callbacks are those of its inner nodes in order, its outcomes those of the last.
///
/// The answer is taken as a whole: when one inner node asks again (a policy failed), the changes of the others are dropped, and the whole
/// page is sent again.
struct PageNode: JourneyNode {
  static let type = "PageNode"

  struct Inner: Sendable {
    let id: String
    let type: String
    let node: any JourneyNode
  }

  private let inner: [Inner]
  private let header: LocalizedText
  private let description: LocalizedText

  /// Sent unchanged; `nil` when the page has none.
  let stage: String?

  init(_ definition: NodeDefinition, inner: [Inner]) throws(JourneyFileError) {
    for each in inner.dropLast() where each.node.outcomes.count != 1 {
      throw JourneyFileError(
        "only the last node of a page may have several outcomes", nodeID: each.id, nodeType: each.type)
    }
    self.inner = inner
    header = try definition.localized("pageHeader", builtIn: "")
    description = try definition.localized("pageDescription", builtIn: "")
    // Exports hold the word null, as text, for a page without a stage.
    let stage = definition.properties["stage"] ?? .null
    let text = stage.isNull ? "" : stage.stringValue ?? stage.text
    if stage.stringValue == nil, !stage.isNull {
      definition.repaired("stage", "must be a text", instead: "Its JSON is sent as the text.")
    }
    self.stage = text.isEmpty || text == "null" ? nil : text
  }

  var outcomes: [String] { inner.last?.node.outcomes ?? [] }

  var stateInputs: [String] {
    var provided: Set<String> = []
    var needed: [String] = []
    for each in inner {
      needed += each.node.stateInputs.filter { !provided.contains($0) && !needed.contains($0) }
      provided.formUnion(each.node.stateOutputs)
    }
    return needed
  }

  var stateOutputs: [String] { inner.flatMap(\.node.stateOutputs) }

  var authLevelIncrement: Int { inner.reduce(0) { $0 + $1.node.authLevelIncrement } }

  var stepUse: StepUse { inner.allSatisfy { $0.node.stepUse == .later } ? .later : .beforeNode }

  var warnings: [String] { inner.flatMap(\.node.warnings) }

  var notes: [String] { inner.flatMap(\.node.notes) }

  func header(for locales: [String]) -> String? { header.isEmpty ? nil : header.text(for: locales) }

  func description(for locales: [String]) -> String? {
    description.isEmpty ? nil : description.text(for: locales)
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let reply = context.reply else {
      var evaluations: [Evaluation] = []
      for each in inner { evaluations.append(try await evaluation(of: each, in: &context)) }
      return present(evaluations, in: &context)
    }
    let before = context.state
    var evaluations: [Evaluation] = []
    var asksAgain = false
    var position = 0
    for each in inner {
      let note = PageNote.read(context.notes[each.id])
      let answers = reply.part(from: position, count: note.callbackCount)
      position += note.callbackCount
      if let outcome = note.outcome {
        evaluations.append(Evaluation(notes: JSONObject(), result: .outcome(outcome)))
        continue
      }
      // A node that decides waits until every node before it has accepted its answer.
      let waits = asksAgain && each.node.outcomes.count > 1
      let evaluation = try await evaluation(
        of: each, notes: waits ? JSONObject() : note.notes,
        reply: waits ? nil : answers, in: &context)
      if case .callbacks = evaluation.result { asksAgain = true }
      evaluations.append(evaluation)
    }
    guard asksAgain else { return present(evaluations, in: &context) }
    context.state = before
    for (index, each) in inner.enumerated() {
      if case .outcome = evaluations[index].result {
        evaluations[index] = try await evaluation(of: each, in: &context)
      }
    }
    return present(evaluations, in: &context)
  }

  /// One evaluation of an inner node.
  private struct Evaluation {
    var notes: JSONObject
    var result: NodeResult
  }

  private func evaluation(
    of inner: Inner, notes: JSONObject = JSONObject(), reply: CallbackReply? = nil,
    in context: inout NodeContext
  ) async throws -> Evaluation {
    var own = NodeContext(
      journey: context.journey, nodeID: inner.id, request: context.request, reply: reply,
      state: context.state, notes: notes, session: context.session)
    (own.isForced, own.isOwn) = (context.isForced, context.isOwn)
    let result = try await inner.node.evaluate(&own)
    if case .suspend = result {
      throw NodeRefusal("a node inside a page cannot suspend the journey", detail: JSONObject())
    }
    context.state = own.state
    context.reasons += own.reasons
    return Evaluation(notes: own.notes, result: result)
  }

  /// The page's result: the callbacks of all inner nodes, or, when none asks anything, the last one's outcome.
  private func present(_ evaluations: [Evaluation], in context: inout NodeContext) -> NodeResult {
    var callbacks: [OutgoingCallback] = []
    var last = ""
    context.notes = JSONObject()
    for (each, evaluation) in zip(inner, evaluations) {
      switch evaluation.result {
      case .callbacks(let own):
        callbacks += own
        context.notes[each.id] = PageNote(notes: evaluation.notes, callbackCount: own.count).json
      case .outcome(let outcome):
        last = outcome
        context.notes[each.id] = PageNote(outcome: outcome).json
      case .suspend: break
      }
    }
    return callbacks.isEmpty ? .outcome(last) : .callbacks(callbacks)
  }
}

/// What a page remembers about an inner node while the client has the page.
private struct PageNote {
  var notes = JSONObject()
  var callbackCount = 0

  /// Set when the node decided without asking.
  var outcome: String?

  static func read(_ json: JSONValue?) -> PageNote {
    PageNote(
      notes: json?["notes"]?.objectValue ?? JSONObject(),
      callbackCount: json?["count"]?.integerValue.flatMap { Int(exactly: $0) } ?? 0,
      outcome: json?["outcome"]?.stringValue)
  }

  var json: JSONValue {
    if let outcome { return ["outcome": .string(outcome)] }
    return ["notes": .object(notes), "count": .integer(Int64(callbackCount))]
  }
}
