import Foundation
import PingJourneyPlugin
import PingOrchestrate
import Testing

@testable import PingJourney

@Suite("Nodes of the server's answers")
struct NodeTransformTests {
  private func node(_ status: Int, _ body: String, _ headers: [String: String] = [:]) async -> any Node {
    await makeJourney(FakeServer(status, body, headers)).start("Login")
  }

  private func apiError(_ node: any Node) throws -> (status: Int, json: [String: Any], text: String) {
    let failure = try #require(node as? FailureNode)
    guard case .error(let status, let json, let text)? = failure.cause as? ApiError else {
      Issue.record("\(failure.cause)")
      throw Refused()
    }
    return (status, json, text)
  }

  @Test(arguments: [200, 201])
  func `200 with an authId is a step`(status: Int) async throws {
    let node = await node(status, #"{"authId":"a","callbacks":[{"type":"NameCallback"}],"x":1}"#)
    let step = try #require(node as? JourneyContinueNode)
    #expect(step.callbacks.count == 1)
    #expect(step.callbacks.first is NameCallback)
    #expect(step.input["x"] as? Int == 1)
  }

  @Test func `a step may have no callbacks`() async throws {
    #expect((await node(200, #"{"authId":"a"}"#) as? ContinueNode)?.callbacks.isEmpty == true)
  }

  @Test(
    arguments: [
      (
        #"{"tokenId":"t*","successUrl":"/enduser/?realm=/alpha","realm":"/alpha"}"#,
        ["t*", "/enduser/?realm=/alpha", "/alpha"]
      ),
      (#"{"successUrl":"/enduser/","realm":"/alpha"}"#, ["", "/enduser/", "/alpha"]),
      (#"{"tokenId":"","realm":"/"}"#, ["", "", "/"]),
      (#"{"tokenId":"t"}"#, ["t", "", ""]),
    ])
  func `200 without an authId is success; what is missing is empty`(body: String, expected: [String])
    async throws
  {
    let success = try #require(await node(200, body) as? SuccessNode)
    let session = try #require(success.session as? SSOTokenImpl)
    #expect([session.value, session.successUrl, session.realm] == expected)
  }

  @Test func `further keys of a success are reachable`() async throws {
    let success = try #require(await node(200, #"{"tokenId":"t","tier":"gold"}"#) as? SuccessNode)
    #expect(success.input["tier"] as? String == "gold")
  }

  @Test(arguments: [#"{"hello":1}"#, "{}", "[]", #"{"authId":7}"#, #"{"authId":"a","callbacks":[1]}"#])
  func `other JSON with status 200 is not a success, and no step either`(body: String) async throws {
    #expect(try apiError(await node(200, body)).status == 200)
  }

  @Test(arguments: [(200, "<html>"), (204, "")])
  func `200 and 204 without JSON fail with the status`(status: Int, body: String) async throws {
    let error = try apiError(await node(status, body))
    #expect(error.status == status)
    #expect(error.json["Exception"] is ResponseError)
    #expect(error.text == body)
  }

  @Test(arguments: [400, 401, 403, 404, 429])
  func `4xx with JSON is an error node`(status: Int) async throws {
    let body = #"{"code":\#(status),"reason":"R","message":"Login failure","detail":{"failureUrl":""}}"#
    let error = try #require(await node(status, body) as? ErrorNode)
    #expect(error.status == status)
    #expect(error.message == "Login failure")
    #expect(error.input["reason"] as? String == "R")
  }

  @Test func `4xx without a message has an empty one`() async throws {
    #expect((await node(401, "{}") as? ErrorNode)?.message == "")
  }

  @Test func `4xx without JSON fails with status, error and body`() async throws {
    let error = try apiError(await node(403, "<html>blocked</html>"))
    #expect(error.status == 403)
    #expect(error.json["Exception"] is ResponseError)
    #expect(error.text == "<html>blocked</html>")
  }

  @Test(arguments: [(302, "Location"), (307, "location"), (301, "LOCATION")])
  func `3xx fails with the Location, however the header is spelled`(status: Int, header: String) async throws
  {
    let error = try apiError(await node(status, "", [header: "https://elsewhere.example.com"]))
    #expect(error.status == status)
    #expect(error.json.isEmpty)
    #expect(error.text == "Location: https://elsewhere.example.com")
  }

  @Test func `5xx with JSON fails with status, JSON and body`() async throws {
    let error = try apiError(await node(500, #"{"code":500}"#))
    #expect(error.status == 500)
    #expect(error.json["code"] as? Int == 500)
    #expect(error.text == #"{"code":500}"#)
  }

  @Test func `5xx with HTML keeps its status`() async throws {
    let error = try apiError(await node(502, "<html>Bad gateway</html>"))
    #expect(error.status == 502)
    #expect(error.text == "<html>Bad gateway</html>")
  }

  @Test func `an error of the network is the cause of the failure`() async throws {
    let node = await makeJourney(FakeServer { _ in throw Refused() }).start("Login")
    #expect((node as? FailureNode)?.cause is Refused)
  }

  @Test func `an API error says its status`() {
    #expect(ApiError.error(502, [:], "Bad gateway").localizedDescription == "HTTP 502: Bad gateway")
  }

  @Test(
    arguments: [
      (
        401, #"{"code":401,"message":"Login failure","detail":{"failureUrl":""}}"#,
        JourneyErrorReason.loginFailure
      ),
      (401, #"{"code":401,"message":"Account is locked","detail":{"failureUrl":""}}"#, .loginFailure),
      (
        401, #"{"code":401,"message":"Session has timed out","detail":{"errorCode":"110"}}"#, .sessionTimedOut
      ),
      (401, #"{"code":401,"message":"Session has timed out","detail":{"errorCode":110}}"#, .sessionTimedOut),
      (
        401,
        #"{"code":401,"message":"Login failure","detail":{"failureUrl":"","errorCode":"alreadyAnswered"}}"#,
        .sessionTimedOut
      ),
      (400, #"{"code":400,"message":"Authentication timeout"}"#, .sessionTimedOut),
      (
        401,
        #"{"code":401,"message":"org.forgerock.openam.auth.nodes.framework.token.SuspendedAuthSessionException: Token not found."}"#,
        .suspensionExpired
      ),
      (400, #"{"code":1999}"#, .requestTimedOut), (400, #"{"code":"requestTimedOut"}"#, .requestTimedOut),
      (401, #"{"code":401,"message":"Access Denied"}"#, .other), (403, #"{"code":403}"#, .other),
    ])
  func `refusals can be told apart`(status: Int, body: String, reason: JourneyErrorReason) async throws {
    #expect((await node(status, body) as? ErrorNode)?.reason == reason)
  }
}

@Suite("What a page says about itself")
struct PageTests {
  private func page(_ members: String) async throws -> ContinueNode {
    try #require(
      await makeJourney(FakeServer(200, #"{"authId":"a","callbacks":[]\#(members)}"#)).start("Login")
        as? ContinueNode)
  }

  @Test func `header, description and stage`() async throws {
    let page = try await page(#","header":"Sign in","description":"<b>Hi</b>","stage":"UsernamePassword""#)
    #expect(page.header == "Sign in")
    #expect(page.description == "<b>Hi</b>")
    #expect(page.stage == "UsernamePassword")
    #expect(page.submitButtonText == "")
    #expect(page.pageFooter == "")
  }

  @Test func `absent texts are empty`() async throws {
    let page = try await page("")
    #expect(
      [page.header, page.description, page.stage, page.submitButtonText, page.pageFooter] == [
        "", "", "", "", "",
      ])
  }

  @Test func `button and footer are in a stage that is JSON; a single translation wins`() async throws {
    let page = try await page(
      #","stage":"{\"submitButtonText\":{\"tlh\":\"yIjaH\"},\"pageFooter\":{\"tlh\":\"Qapla'\"},\"themeId\":\"x\"}""#
    )
    #expect(page.submitButtonText == "yIjaH")
    #expect(page.pageFooter == "Qapla'")
  }

  @Test(
    arguments: [
      (["de-CH", "en"], "Grüezi"), (["de_AT"], "Servus"), (["de-DE"], "Hallo"), (["it", "en-GB"], "Hello"),
      (["it"], "Hallo"), ([], "Hallo"),
    ])
  func `of several translations: region before language, then the next language, then the first by name`(
    languages: [String], expected: String
  ) async throws {
    let stage = #"{"submitButtonText":{"en":"Hello","de":"Hallo","de_ch":"Grüezi","de-at":"Servus"}}"#
    let page = try await page(#","stage":"\#(stage.replacingOccurrences(of: "\"", with: "\\\""))""#)
    #expect(page.stageText("submitButtonText", languages: languages) == expected)
  }

  @Test func `a server of the 6.x line sends the stage in a MetadataCallback`() async throws {
    let server = FakeServer(
      200,
      #"{"authId":"a","callbacks":[{"type":"MetadataCallback","output":[{"name":"data","value":{"stage":"Old"}}]}]}"#
    )
    let node = try #require(await makeJourney(server).start("Login") as? ContinueNode)
    #expect(node.stage == "Old")
    #expect(node.callbacks.isEmpty)
  }
}
