internal import JourneyNodes
internal import StrictJSON

/// A parsed file of journey tests.
struct JourneyScript: Sendable {
  /// An account that exists when a test begins.
  struct User: Sendable, Hashable {
    var name: String
    var password: String

    /// Further members of the account, in the form of `POST …/users?_action=create`.
    var attributes: JSONObject
  }

  /// An outcome of a journey that no test takes, and the reason.
  struct Exception: Sendable, Hashable {
    var journey: String

    /// Node, or node and outcome: `Bind the Device`, `Bind the Device: Unsupported`.
    var place: String
    var reason: String
  }

  struct Test: Sendable {
    var name: String
    var line: Int
    var users: [User]
    var steps: [ScriptStep]

    /// The external services to simulate, including those of the file.
    var simulation = ServiceSimulation()

    /// The initial values for `${name}`, by name.
    var values: [String: String] = [:]
  }

  var file: String
  var name: String
  var realm: String

  /// A folder or file of journeys, relative to the test file; `nil` for the bundled journeys only.
  var journeys: String?

  /// A file of the identities' schema, terms, consents and security questions, relative to the test file; `nil` for the built-in ones.
  var identities: String?

  /// The number of servers that share the data.
  var servers: Int

  /// The journeys whose coverage is counted; empty for all journeys that run.
  var covers: [String]
  var exceptions: [Exception]

  var tests: [Test]

  private static let members = [
    "name", "journeys", "identities", "realm", "servers", "simulate", "users", "covers", "uncovered", "parts",
    "tests",
  ]

  /// - Parameter file: the file's name, for messages.
  init(parsing text: String, file: String) throws(ScriptError) {
    do throws(ScriptError) {
      self = try Self(ScriptValue(parsing: text), file: file)
    } catch {
      throw ScriptError(error.problem, file: file, line: error.line)
    }
  }

  private init(_ root: ScriptValue, file: String) throws(ScriptError) {
    _ = try root.requiredMap("A test file", members: Self.members)
    self.file = file
    name = try root["name"]?.requiredText("name") ?? Self.stem(of: file)
    realm = try root["realm"]?.requiredText("realm") ?? "alpha"
    journeys = try root["journeys"]?.requiredText("journeys")
    identities = try root["identities"]?.requiredText("identities")
    servers = root["servers"]?.integer ?? 1
    guard (1...4).contains(servers) else {
      throw ScriptError("servers has to be a number from 1 to 4.", line: root["servers"]?.line)
    }
    covers = try root["covers"].map(Self.texts) ?? []
    exceptions = try root["uncovered"].map(Self.exceptions) ?? []
    let users = try root["users"].map(Self.users) ?? []
    let simulation = try Self.simulation(root["simulate"])
    guard let list = root["tests"] else {
      throw ScriptError("The file has no tests. Write them under `tests:`.", line: root.line)
    }
    tests = []
    for test in try list.requiredList("tests") {
      _ = try test.requiredMap("A test", members: ["name", "for", "simulate", "users", "steps"])
      guard let name = test["name"]?.text, let steps = test["steps"] else {
        throw ScriptError("A test has a name and steps.", line: test.line)
      }
      let parsed = try Self.steps(steps, parts: root["parts"], depth: 0)
      let own = try test["users"].map(Self.users) ?? []
      let simulated = try simulation.overridden(by: Self.simulation(test["simulate"]))
      for values in try Self.repetitions(test["for"]) {
        tests.append(
          Test(
            name: Substitution.apply(values, to: name), line: test.line,
            users: users.filter { user in !own.contains { $0.name == user.name } } + own, steps: parsed,
            simulation: simulated, values: values))
      }
    }
    guard !tests.isEmpty else { throw ScriptError("The file has no tests.", line: list.line) }
  }

  private static let maximumSteps = 1000

  /// The steps of a list, including those of the parts that it plays.
  private static func steps(
    _ list: ScriptValue, parts: ScriptValue?, depth: Int
  ) throws(ScriptError) -> [ScriptStep] {
    guard depth < 8 else { throw ScriptError("Parts play each other without end.", line: list.line) }
    var steps: [ScriptStep] = []
    for step in try list.requiredList("steps") {
      guard let play = step["play"] else {
        steps.append(try ScriptStep(step))
        continue
      }
      let name = try (play["part"] ?? play).requiredText("play")
      guard let part = parts?[name] else {
        throw ScriptError(
          "There is no part \(name). Parts are \((parts?.map ?? []).map(\.name).joined(separator: ", ")).",
          line: play.line)
      }
      steps += try Self.steps(part, parts: parts, depth: depth + 1)
      guard steps.count <= maximumSteps else {
        throw ScriptError("A test has more than \(maximumSteps) steps.", line: list.line)
      }
      if let expectation = step["expect"] {
        steps.append(try ScriptStep(ScriptValue(expecting: expectation)))
      }
    }
    return steps
  }

  /// The values for each run of a test with `for: {name: [value, …]}`; one empty set without `for`.
  private static func repetitions(_ value: ScriptValue?) throws(ScriptError) -> [[String: String]] {
    guard let value else { return [[:]] }
    guard let only = try value.requiredMap("for", members: []).first, value.map?.count == 1 else {
      throw ScriptError("for takes one name with a list of values.", line: value.line)
    }
    return try texts(only.value).map { [only.name: $0] }
  }

  private static func stem(of file: String) -> String {
    let last = file.split(separator: "/").last.map(String.init) ?? file
    return last.split(separator: ".").first.map(String.init) ?? last
  }

  private static func texts(_ value: ScriptValue) throws(ScriptError) -> [String] {
    if let text = value.text { return [text] }
    var texts: [String] = []
    for element in try value.requiredList("This") { texts.append(try element.requiredText("Each of these")) }
    return texts
  }

  /// Parses simulated outcomes such as `simulate: {protect: low}`.
  private static func simulation(_ value: ScriptValue?) throws(ScriptError) -> ServiceSimulation {
    guard let value else { return ServiceSimulation() }
    let choices = try value.requiredTexts("simulate", each: "simulate").map { "\($0.name)=\($0.text)" }
    do throws(ServiceSimulation.Problem) { return try ServiceSimulation(choices) } catch {
      throw ScriptError("simulate: \(error).", line: value.line)
    }
  }

  private static func users(_ value: ScriptValue) throws(ScriptError) -> [User] {
    var users: [User] = []
    for member in try value.requiredMap("users", members: []) {
      var user = User(name: member.name, password: "", attributes: JSONObject())
      if let password = member.value.text {
        user.password = password
      } else {
        for detail in try member.value.requiredMap("A user", members: []) {
          if detail.name == "password" {
            user.password = try detail.value.requiredText("password")
          } else {
            user.attributes[detail.name] = detail.value.json
          }
        }
      }
      guard !user.password.isEmpty else {
        throw ScriptError("User \(member.name) has no password.", line: member.value.line)
      }
      users.append(user)
    }
    return users
  }

  private static func exceptions(_ value: ScriptValue) throws(ScriptError) -> [Exception] {
    var exceptions: [Exception] = []
    for journey in try value.requiredMap("uncovered", members: []) {
      for place in try journey.value.requiredMap("uncovered of \(journey.name)", members: []) {
        guard let reason = place.value.text, !reason.isEmpty else {
          throw ScriptError("\(place.name) needs a reason why no test goes there.", line: place.value.line)
        }
        exceptions.append(Exception(journey: journey.name, place: place.name, reason: reason))
      }
    }
    return exceptions
  }
}
