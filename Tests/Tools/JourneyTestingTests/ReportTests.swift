import CommonFixtures
import Foundation
import JourneyTesting
import StrictJSON
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite struct ReportTests {
  /// Plays a file of this text.
  private func report(
    _ text: String, filter: String? = nil, journeys: [String: String] = [:]
  ) async throws -> JourneyTestReport {
    let folder = try TemporaryFolder.make()
    try folder.write(Array(text.utf8), to: "some.yaml")
    for (name, journey) in journeys { try folder.write(Array(journey.utf8), to: name) }
    return try await JourneyTests(filter: filter).run([folder.file("some.yaml")])
  }

  @Test func `a failure says which step, what was expected, what came, and where the journey went`()
    async throws
  {
    let report = try await report(
      """
      users: {mira: correct horse}
      tests:
        - name: signs in
          steps:
            - start: Login
            - answer: [mira, wrong horse]
              expect: {outcome: success, message: null, level: 1}
      """)
    #expect(!report.isSuccess)
    let failure = try #require(report.files.first?.tests.first?.failure)
    #expect(failure.step == 2)
    #expect(failure.line == 6)
    #expect(
      failure.difference == [
        "- outcome: success", "+ outcome: failure", "- message: nothing", "+ message: Login failure",
        "- level: 1", "+ level: 0",
      ])
    #expect(failure.visited == ["Name and Password: outcome", "Check Credentials: false"])
    #expect(report.text().contains("FAILED  some: signs in"))
    #expect(!report.text().contains("wrong horse"), "no secret stands in a report")
  }

  @Test func `no name in a journey or a test controls the terminal`() async throws {
    let report = try await report(
      #"""
      tests:
        - name: "clears \e[2J and \u009B2J"
          steps:
            - start: Login
              expect: {outcome: success}
      """#)
    #expect(!report.isSuccess)
    #expect(report.text().contains("FAILED  some: clears \u{FFFD}[2J and \u{FFFD}2J"), "\(report.text())")
  }

  @Test func `callbacks are lined up, so that one too many is one line`() async throws {
    let report = try await report(
      """
      tests:
        - name: asks
          steps:
            - start: Login
              expect:
                - NameCallback: User Name
                - ChoiceCallback
                - PasswordCallback: /^Pass/
      """)
    #expect(
      report.files.first?.tests.first?.failure?.difference == [
        "  outcome: step", "  callbacks: ", "    - NameCallback: User Name",
        "-   - ChoiceCallback", "    - PasswordCallback: Password",
      ])
  }

  @Test(arguments: [
    ("- answer: [mira]", "the journey asks nothing"),
    (
      "- start: Login\n      - answer: {Age: 7}",
      "nothing asks for Age; left to answer: NameCallback (User Name), PasswordCallback (Password)"
    ),
    ("- start: Login\n      - answer: [a, b, c]", "nothing asks for a further answer"),
    ("- start: Login\n      - device: phone", "nothing in this step is for a device"),
    ("- start: Login\n      - enrol: phone", "the step offers no enrolment"),
    ("- start: Login\n      - answer: [\"${code}\"]", "nothing was kept as code; there is nothing"),
    ("- push: approve", "the device has not been enrolled for push messages"),
    ("- server: 2", "there is no server 2"),
    ("- keep: {a: header}", "there is no header to keep"),
    ("- account: nobody", "the server answered 404"),
  ])
  func `what cannot be done is said in a sentence`(steps: String, expected: String) async throws {
    let report = try await report("tests:\n  - name: a\n    steps:\n      \(steps)\n")
    #expect(report.files.first?.tests.first?.failure?.reason.contains(expected) == true, "\(report.text())")
  }

  @Test func `what no test visits is named, unless the file gives the reason`() async throws {
    let text = """
      users: {mira: correct horse}
      covers: Login
      uncovered:
        Login:
          "Check Header Credentials": headers are tested elsewhere
      tests:
        - name: signs in
          steps:
            - start: Login
            - answer: [mira, correct horse]
              expect: success
      """
    let coverage = try #require(try await report(text).coverage.first)
    #expect(coverage.nodes == 5)
    #expect(coverage.nodesVisited == 4)
    #expect(
      coverage.gaps.filter { $0.reason == nil }.map(\.place) == [
        "Zero Page Login: true", "Check Credentials: false",
      ])
    #expect(coverage.gaps.filter { $0.reason != nil }.count == 3)
    #expect(!coverage.isComplete)
  }

  @Test func `JUnit and JSON hold what failed, and stay well formed`() async throws {
    let report = try await report(
      """
      name: <a> & "b"
      tests:
        - name: fails
          steps: [{start: Login, expect: success}]
        - name: works
          steps: [start: Login]
      """)
    let data = Data(report.junit.utf8)
    #expect(XMLParser(data: data).parse())
    #expect(report.junit.contains(#"tests="2" failures="1" errors="0""#))
    #expect(report.junit.contains("- outcome: success"))
    #expect(report.json["passed"] == false)
    #expect(report.json["files"]?[0]?["tests"]?[1]?["passed"] == true)
  }

  @Test func `tests are chosen by name, and a file that cannot be read is a failure`() async throws {
    let text = "tests:\n  - {name: one, steps: [start: Login]}\n  - {name: two, steps: [start: Login]}\n"
    #expect(try await report(text, filter: "tw").files.first?.tests.map(\.name) == ["two"])
    let missing = try await JourneyTests().run([URL(filePath: "/nowhere/a.yaml")])
    #expect(!missing.isSuccess)
    #expect(missing.junit.contains("errors=\"1\""))
    let broken = try await report("journeys: nowhere\n\(text)")
    #expect(broken.files.first?.problem?.contains("there are no journeys at") == true)
    let bad = try await report("journeys: bad\n\(text)", journeys: ["bad/A.json": "{}"])
    #expect(bad.files.first?.problem?.contains("do not load") == true)
  }

  @Test func `several servers share accounts and journeys that are under way`() async throws {
    let report = try await report(
      """
      users: {mira: correct horse}
      servers: 2
      tests:
        - name: goes on elsewhere
          steps:
            - start: Login
            - server: 2
            - answer: [mira, correct horse]
              expect: {outcome: success, user: mira}
      """)
    #expect(report.isSuccess, "\(report.text())")
  }
}
