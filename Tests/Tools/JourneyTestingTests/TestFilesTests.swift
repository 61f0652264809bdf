import CommonFixtures
import Foundation
import StrictJSON
import Testing

@testable import JourneyTesting

@Suite struct TestFilesTests {
  /// What reading `text` as a test file fails with.
  private func problem(_ text: String) -> String {
    do {
      _ = try JourneyScript(parsing: text, file: "f.yaml")
      return "nothing"
    } catch {
      return error.description
    }
  }

  private static let start = "tests: [{name: a, steps: [start: Login]}]"

  @Test func `a file is read, in YAML and in JSON`() throws {
    let yaml = try JourneyScript(
      parsing: """
        users: {mira: secret, noor: {password: other, mail: [noor@example.com]}}
        servers: 2
        tests:
          - name: "${journey} works"
            for: {journey: [A, B]}
            steps:
              - start: "${journey}"
              - answer: {User Name: mira}
                expect: success
              - wait: 5m
        """, file: "some/login.yaml")
    #expect(yaml.name == "login")
    #expect(yaml.servers == 2)
    #expect(yaml.tests.map(\.name) == ["A works", "B works"])
    #expect(yaml.tests.first?.users.map(\.name) == ["mira", "noor"])
    #expect(yaml.tests.first?.steps.map(\.line) == [7, 8, 10])
    let json = try JourneyScript(
      parsing: #"{"tests": [{"name": "a", "steps": [{"start": "Login"}]}]}"#, file: "a.json")
    #expect(json.tests.count == 1)
  }

  @Test(arguments: [
    ("", "f.yaml: The file is empty."),
    ("tests: [", "f.yaml:2: This is not YAML"),
    ("testes: []", "A test file has no member testes"),
    ("users: {}", "The file has no tests"),
    ("tests: []", "The file has no tests"),
    ("tests:\n- steps: []", "f.yaml:2: A test has a name and steps."),
    ("tests:\n- name: a\n  steps:\n  - strat: Login", "f.yaml:4: There is no step strat."),
    ("tests:\n- name: a\n  steps:\n  - start: A\n    wait: 1s", "f.yaml:4: A step does one thing"),
    ("tests: [{name: a, steps: [expect: sucess]}]", "An outcome is step, suspended, success, failure"),
    ("tests: [{name: a, steps: [expect: {headr: A}]}]", "expect has no member headr"),
    ("tests: [{name: a, steps: [wait: soon]}]", "wait has to be a time such as 30s"),
    ("tests: [{name: a, steps: [play: b]}]", "There is no part b."),
    ("parts: {a: [play: a]}\ntests: [{name: a, steps: [play: a]}]", "Parts play each other without end."),
    ("servers: 9\n\(start)", "f.yaml:1: servers has to be a number from 1 to 4."),
    ("users: {mira: {mail: a}}\n\(start)", "User mira has no password."),
    ("uncovered: {A: {b: }}\n\(start)", "b needs a reason"),
    ("simulate: {risk: low}\n\(start)", "f.yaml:1: simulate: \"risk=low\" is not SERVICE=OUTCOME"),
    ("simulate: {captcha: 7}\n\(start)", "captcha has no outcome \"7\"; there are true, false"),
    ("users: {a: b, a: c}\n\(start)", "f.yaml:1: a stands here twice"),
  ])
  func `what is wrong is said with its line, and what to write`(text: String, expected: String) {
    #expect(problem(text).contains(expected), "\(problem(text))")
  }

  @Test func `a file of aliases that grow without end is refused`() {
    var lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in 1..<12 {
      let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
      lines.append("a\(level): &a\(level) [\(aliases)]")
    }
    #expect(problem(lines.joined(separator: "\n")).contains("too many values"))
    #expect(problem(String(repeating: "[", count: 5000)).contains("f.yaml"))
    #expect(problem(String(repeating: "# a comment\n", count: 100_000)).contains("longer than 1 MiB"))
  }

  @Test func `codes and PINs with zeros at the beginning stay text, and so do yes and no`() throws {
    let value = try ScriptValue(parsing: "[007, 42, 4.5, yes, true, '42', ~, 2026-01-01]")
    #expect(value.list?.map(\.text) == ["007", "42", "4.5", "yes", "true", "42", nil, "2026-01-01"])
    #expect(value.list?.map(\.integer) == [nil, 42, nil, nil, nil, nil, nil, nil])
    #expect(value.json.text == #"["007",42,4.5,"yes",true,"42",null,"2026-01-01"]"#)
  }

  @Test func `a mail is read with its encodings, and its link found`() {
    let message = ReceivedMail.parse(
      """
      To: Mira <mira@example.com>\r
      Subject: =?UTF-8?B?R3LDvMOfZQ==?=\r
      Content-Transfer-Encoding: quoted-printable\r
      \r
      Caf=C3=A9 <a href=3D"http://127.0.0.1:1/am?x=3D1&amp;suspendedId=\r
      =3Dabc">here</a> https://example.com/other\r
      """)
    #expect(message.to == "Mira <mira@example.com>")
    #expect(message.subject == "Grüße")
    #expect(message.text.contains("Café"))
    #expect(message.link == "http://127.0.0.1:1/am?x=1&suspendedId=abc")
  }
}
