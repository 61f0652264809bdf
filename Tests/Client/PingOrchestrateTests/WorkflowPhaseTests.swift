import Foundation
import PingLogger
import PingOrchestrate
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The phases of a workflow")
struct WorkflowPhaseTests {
  private func recording(_ journal: Journal, _ name: String) -> Module<Void> {
    Module.of { setup in
      setup.initialize { journal.add("initialize \(name)") }
      setup.start { _, request in
        journal.add("start \(name)")
        return request
      }
      setup.next { _, _, request in
        journal.add("next \(name)")
        return request
      }
      setup.response { _, _ in journal.add("response \(name)") }
      setup.node { _, node in
        journal.add("node \(name)")
        return node
      }
      setup.success { _, success in
        journal.add("success \(name)")
        return success
      }
      setup.signOff { request in
        journal.add("signOff \(name)")
        request.url("https://am.example.com/logout")
        return request
      }
    }
  }

  @Test func `start, next and sign-off run their phases in order, modules by priority, then by registration`()
    async throws
  {
    let journal = Journal()
    let server = FakeServer { request in
      journal.add("transport \(request.url?.path ?? "")")
      return (200, "{}", [:])
    }
    let workflow = Workflow.createWorkflow { config in
      config.httpClient = server.client
      config.module(recording(journal, "b"))
      config.module(recording(journal, "c"))
      config.module(recording(journal, "a"), priority: 1)
      config.module(
        Module.of { setup in
          setup.transform { flow, response in
            journal.add("transform")
            guard response.status() == 200, flow.flowContext.get(key: "asked") != nil else {
              flow.flowContext.set(key: "asked", value: true)
              return AskingNode(
                context: flow, workflow: setup.workflow, input: [:], actions: [Door(journal: journal)])
            }
            return SuccessNode(session: EmptySession())
          }
        })
    }

    let first = await workflow.start(Request(urlString: "https://am.example.com/start"))
    #expect(
      journal.entries.dropFirst(3) == [
        "start a", "start b", "start c", "transport /start", "response a", "response b", "response c",
        "transform", "node a", "node b", "node c",
      ])
    #expect(Set(journal.entries.prefix(3)) == ["initialize a", "initialize b", "initialize c"])

    let mark = journal.entries.count
    let step = try #require(first as? ContinueNode)
    #expect(await step.next() is SuccessNode)
    #expect(
      journal.entries.dropFirst(mark) == [
        "next a", "next b", "next c", "close", "transport /next", "response a", "response b", "response c",
        "transform", "node a", "node b", "node c", "success a", "success b", "success c",
      ])

    let end = journal.entries.count
    try await workflow.signOff().get()
    #expect(
      journal.entries.dropFirst(end) == [
        "signOff a", "signOff b", "signOff c", "transport /logout", "response a", "response b", "response c",
      ])
  }

  @Test func `a handler may change the request, the node and the success`() async throws {
    let server = FakeServer()
    let workflow = makeWorkflow(server) { setup in
      setup.start { _, _ in Request(urlString: "https://elsewhere.example.com/") }
      setup.transform { _, _ in EmptyNode() }
      setup.node { _, _ in SuccessNode(input: ["n": 1], session: EmptySession()) }
      setup.success { _, success in SuccessNode(input: ["n": 2], session: success.session) }
    }
    let success = try #require(await workflow.start() as? SuccessNode)
    #expect(success.input["n"] as? Int == 2)
    #expect(server.requests.first?.url?.host == "elsewhere.example.com")
  }

  @Test func `response handlers also see the answers of a transport that a module brings`() async {
    let journal = Journal()
    let server = FakeServer()
    let workflow = makeWorkflow(server) { setup in
      setup.response { _, response in journal.add("\(response.status())") }
      setup.transport { _, _ in try HttpResponse(data: Data(), response: plainHead()) }
    }
    _ = await workflow.start()
    #expect(journal.entries == ["0"])
    #expect(server.requests.isEmpty)
  }

  @Test func `without a transform the node is empty`() async {
    #expect(await makeWorkflow().start(Request(urlString: "https://am.example.com")) is EmptyNode)
  }

  @Test(arguments: ["start", "response", "transform", "node"])
  func `a throwing handler gives a failure node with its error`(phase: String) async throws {
    let workflow = makeWorkflow { setup in
      setup.start { _, request in
        if phase == "start" { throw Refused() }
        return request
      }
      setup.response { _, _ in if phase == "response" { throw Refused() } }
      setup.transform { _, _ in
        if phase == "transform" { throw Refused() }
        return EmptyNode()
      }
      setup.node { _, node in
        if phase == "node" { throw Refused() }
        return node
      }
    }
    let node = await workflow.start(Request(urlString: "https://am.example.com"))
    #expect((node as? FailureNode)?.cause is Refused)
  }

  @Test func `a request without a URL is not sent, and the failure says so`() async throws {
    let server = FakeServer()
    let node = await makeWorkflow(server).start()
    let cause = try #require((node as? FailureNode)?.cause as? RequestError)
    #expect(cause == .missingURL(reason: "no module and no caller has set one"))
    #expect(server.requests.isEmpty)
  }

  @Test func `a sign-off for which no module knew a session failed, though nothing was left to do`()
    async throws
  {
    let server = FakeServer()
    try await makeWorkflow(server).signOff().get()
    #expect(server.requests.isEmpty)
  }

  @Test func `a sign-off without a URL goes to the transport of the app's own, if there is one`() async throws
  {
    let journal = Journal()
    let workflow = makeWorkflow { setup in
      setup.transport { _, _ in
        journal.add("sent")
        return HttpResponse(data: Data(), response: try plainHead())
      }
    }
    try await workflow.signOff().get()
    #expect(journal.entries == ["sent"])
  }

  @Test func `errors of requests and answers had neither reason nor advice`() {
    let errors: [any LocalizedError] = [
      RequestError.invalidURL("x"), RequestError.missingURL(reason: "r"),
      RequestError.invalidHeader(name: "n"), RequestError.unencodableBody(members: ["m"]),
      ResponseError.notJSON(status: 200, reason: "r"), ResponseError.tooLarge(size: 2, limit: 1),
    ]
    for error in errors {
      #expect(error.failureReason?.isEmpty == false)
      #expect(error.recoverySuggestion?.isEmpty == false)
    }
  }

  @Test func `a step that does not override asRequest fails instead of trapping`() async throws {
    let workflow = makeWorkflow()
    let node = ContinueNode(
      context: FlowContext(flowContext: SharedContext()), workflow: workflow, input: [:], actions: [])
    let failure = try #require(await node.next() as? FailureNode)
    #expect(failure.cause is RequestError)
  }

  @Test func `a workflow is released, modules and all, when nobody holds it any more`() async {
    weak var released: Workflow?
    do {
      let workflow = Workflow.createWorkflow { config in
        config.httpClient = FakeServer().client
        config.module(CustomHeader.config) { $0.header(name: "a", value: "b") }
        config.module(CookieModule.config)
      }
      released = workflow
    }
    #expect(released == nil)
  }
}

/// A step that posts to /next.
private final class AskingNode: ContinueNode, @unchecked Sendable {
  override func asRequest() -> Request { Request(urlString: "https://am.example.com/next") }
}

private struct Door: Action, Closeable {
  let journal: Journal
  func close() { journal.add("close") }
}
