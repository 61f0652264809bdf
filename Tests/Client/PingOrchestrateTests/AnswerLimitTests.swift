import CommonFixtures
import Foundation
import PingNetwork
import PingOrchestrate
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Servers that never come to an end, and addresses that everybody can listen to.
@Suite(.serialized) struct AnswerLimitTests {
  private static func workflow(_ timeout: TimeInterval, session: URLSession? = nil) -> Workflow {
    Workflow.createWorkflow { config in
      config.timeout = timeout
      if let session { config.httpClient = PingOrchestrate.HttpClient(session: session) }
    }
  }

  @Test(
    .timeLimit(.minutes(1)),
    arguments: [true, false])
  func `an answer without an end was taken into memory as long as it came`(hasOwnSession: Bool) async throws {
    let server = try EndlessServer(.flood)
    let session = hasOwnSession ? URLSession(configuration: .ephemeral) : nil
    let node = await Self.workflow(50, session: session).start(Request(urlString: server.url))
    guard case ResponseError.tooLarge(let size, let limit) = try #require(node as? FailureNode).cause else {
      Issue.record("\(node)")
      return
    }
    #expect(limit == 16 << 20 && size > limit && size < limit + (4 << 20))
    // A connection that is not closed is read for ever, in a queue that all sessions of the process share.
    for await _ in server.answering {}
  }

  @Test(.timeLimit(.minutes(1)))
  func `several answers without an end kept each other, and every session of the process, waiting`()
    async throws
  {
    let floods = try (0..<3).map { _ in try EndlessServer(.flood) }
    try await withThrowingTaskGroup(of: (any Node).self) { group in
      for server in floods {
        let url = server.url
        group.addTask { await Self.workflow(50).start(Request(urlString: url)) }
      }
      for try await node in group { #expect((node as? FailureNode)?.cause is ResponseError) }
    }
    for server in floods { for await _ in server.answering {} }
  }

  @Test(.timeLimit(.minutes(1)))
  func `an answer that came in drops held the caller for ever`() async throws {
    let server = try EndlessServer(.drip)
    let node = await Self.workflow(0.5).start(Request(urlString: server.url))
    let cause = try #require(node as? FailureNode).cause
    #expect((cause as? URLError)?.code == .timedOut)
    #expect(cause.localizedDescription.contains("The request timed out"))

    let other = try EndlessServer(.drip)
    let client = PingNetwork.HttpClient.createClient { $0.timeout = 0.5 }
    let answer = await client.request { $0.url = other.url }
    #expect(throws: NetworkError.timeout) { try answer.get() }
  }

  @Test(arguments: [false, true])
  func `passwords and sessions went to any http address`(isAllowed: Bool) async throws {
    let server = FakeServer()
    let workflow = Workflow.createWorkflow { config in
      config.httpClient = server.client
      config.allowsInsecureHTTP = isAllowed
    }
    let node = await workflow.start(Request(urlString: "http://am.example.com/am"))
    #expect(server.requests.count == (isAllowed ? 1 : 0))
    #expect((node as? FailureNode)?.cause is InsecureAddressError == !isAllowed)
    _ = await workflow.start(Request(urlString: "http://127.0.0.1:8080/am"))
    #expect(server.requests.count == (isAllowed ? 2 : 1))
  }

  @Test func `PingNetwork's client refuses http to other machines, answers and streams`() async throws {
    let client = URLSessionHttpClient.createClient()
    let request = client.request()
    request.url = "http://am.example.com/am"
    let answer = await client.request(request: request)
    guard case .failure(NetworkError.invalidRequest(let reason)) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(reason.contains("not encrypted"))
    await #expect(throws: NetworkError.self) { try await client.stream(request: request, idleTimeout: 1) }
  }
}
