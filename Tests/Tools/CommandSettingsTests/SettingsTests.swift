import CommonFixtures
import CommandSettings
import Foundation
import Testing

/// What counts, in rising order: built in, machine, user, profile, environment, options.
@Suite struct SettingsTests {
  private static let machine = """
    realm = "of the machine"
    server = "https://machine.example/am"
    application = "machine.app"
    """
  private static let user = """
    server = "https://user.example/am"
    user = "mira"
    profile = "bank"
    [profiles.bank]
    server = "https://bank.example/am"
    [profiles.shop]
    server = "https://shop.example/am"
    user = "yan"
    """

  private static func settings(
    _ texts: [String], _ environment: [String: String] = [:], profile: String? = nil
  ) throws -> Settings {
    let files = try texts.enumerated().map {
      try SettingsFile(
        parsing: Array($1.utf8), path: "file\($0)", definitions: SettingDefinition.client)
    }
    return try Settings(files: files, environment: environment, profile: profile)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    var files: [String] = []
    var environment: [String: String] = [:]
    var profile: String?
    let setting: String
    let value: String
    let source: Settings.Source
    var testDescription: String { name }
  }

  @Test(arguments: [
    Case(name: "nothing set", setting: "server", value: "http://127.0.0.1:8080/am", source: .builtIn),
    Case(
      name: "machine over built in", files: [machine], setting: "realm", value: "of the machine",
      source: .file("file0", line: 1)),
    Case(
      name: "user over machine", files: [machine, user.replacing("profile = \"bank\"", with: "")],
      setting: "server",
      value: "https://user.example/am", source: .file("file1", line: 1)),
    Case(
      name: "profile over user", files: [machine, user], setting: "server", value: "https://bank.example/am",
      source: .profile("bank", file: "file1", line: 5)),
    Case(
      name: "what the profile lacks is the user's", files: [machine, user], setting: "user", value: "mira",
      source: .file("file1", line: 2)),
    Case(
      name: "environment over profile", files: [machine, user],
      environment: ["SEALRING_SERVER": "https://env.example/am"],
      setting: "server", value: "https://env.example/am", source: .environment("SEALRING_SERVER")),
    Case(
      name: "an empty variable is none", files: [machine, user], environment: ["SEALRING_SERVER": ""],
      setting: "server",
      value: "https://bank.example/am", source: .profile("bank", file: "file1", line: 5)),
    Case(
      name: "profile of the environment over the file's", files: [machine, user],
      environment: ["SEALRING_PROFILE": "shop"],
      setting: "server", value: "https://shop.example/am", source: .profile("shop", file: "file1", line: 7)),
    Case(
      name: "a variable over the profile of the environment", files: [user],
      environment: ["SEALRING_PROFILE": "shop", "SEALRING_USER": "bob"], setting: "user", value: "bob",
      source: .environment("SEALRING_USER")),
    Case(
      name: "--profile over the environment, so that no password goes to another server", files: [user],
      environment: ["SEALRING_SERVER": "https://env.example/am", "SEALRING_PROFILE": "bank"], profile: "shop",
      setting: "server",
      value: "https://shop.example/am", source: .profile("shop", file: "file0", line: 7)),
    Case(
      name: "what --profile lacks is the environment's", files: [user],
      environment: ["SEALRING_REALM": "bravo"], profile: "shop",
      setting: "realm", value: "bravo", source: .environment("SEALRING_REALM")),
    Case(
      name: "flags of the environment", environment: ["SEALRING_UTC": "1"], setting: "utc", value: "true",
      source: .environment("SEALRING_UTC")),
  ])
  func `what counts`(_ example: Case) throws {
    let settings = try Self.settings(example.files, example.environment, profile: example.profile)
    let value = try #require(settings[example.setting])
    #expect(value.text == example.value && value.source == example.source)
  }

  @Test(arguments: [
    ("sever = \"x\"", "line 1: there is no setting 'sever'. Did you mean 'server'?"),
    (
      "\n[profiles.bank]\nusr = \"x\"",
      "line 3: there is no setting 'profiles.bank.usr'. Did you mean 'profiles.bank.user'?"
    ),
    ("[profile.bank]", "line 1: there is no heading [profile.bank]. Did you mean [profiles]?"),
    ("[serv]", "there is no heading [serv]"), ("utc = \"yes\"", "line 1: 'utc' needs true or false"),
    ("server = true", "'server' needs a text"), ("server = ", "line 1: the value is missing"),
    ("admin-password = \"x\"", "line 1: settings must not hold secrets"),
    ("[profiles.bank]\npin = \"1\"", "line 2: settings must not hold secrets"),
    ("client_secret = \"x\"", "settings must not hold secrets"),
    ("server = \"https://mira:tulips@bank.example/am\"", "the address in 'server' has a password"),
    (
      "profile = \"bnk\"\n[profiles.bank]",
      "There is no profile 'bnk', which file0, line 1 names. Did you mean 'bank'?"
    ),
  ])
  func `what is wrong is named with its line and the near one`(text: String, said: String) throws {
    let error = #expect(throws: SettingsError.self) { try Self.settings([text]) }
    #expect(error?.description.contains(said) == true, "\(error?.description ?? "")")
    #expect(error?.description.contains("tulips") == false)
  }

  @Test func `the file is made for its owner alone and keeps its comments`() throws {
    try withTemporaryFolder { folder in
      let file = folder.appending(path: "new/config.toml")
      let files = SettingsFiles(named: file.path, environment: [:])
      let definitions = SettingDefinition.client
      try files.change(definitions) { (settings) throws(SettingsError) in
        try settings.set("profiles.bank.server", to: ["https://bank.example/am"], definitions)
        try settings.set("utc", to: ["true"], definitions)
      }
      #expect(try mode(of: file) == 0o600 && mode(of: file.deletingLastPathComponent()) == 0o700)
      try (String(contentsOf: file, encoding: .utf8) + "# mine\n").write(
        to: file, atomically: false, encoding: .utf8)
      let before = try Data(contentsOf: file)
      for (name, value) in [
        ("utc", "maybe"), ("sever", "x"), ("password", "x"), ("profiles.a b.user", "x"),
        ("server", "http://a:b@c/am"),
      ] {
        #expect(throws: SettingsError.self) {
          try files.change(definitions) { (settings) throws(SettingsError) in
            try settings.set(name, to: [value], definitions)
          }
        }
      }
      #expect(try Data(contentsOf: file) == before)
      try files.change(definitions) { (settings) throws(SettingsError) in
        _ = try settings.unset("utc", definitions)
      }
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(text.contains("# mine") && !text.contains("utc"))
      #expect(
        try Settings(files: files.load(definitions), profile: "bank").text("server")
          == "https://bank.example/am")
    }
  }

  @Test func `a file that others may change is not used`() throws {
    try withTemporaryFolder { folder in
      let file = folder.appending(path: "config.toml")
      try Data("realm = \"x\"".utf8).write(to: file)
      for (mode, isUsed) in [(0o644, true), (0o664, false), (0o646, false)] {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        let result = Result {
          try SettingsFiles(named: file.path, environment: [:]).load(SettingDefinition.client)
        }
        #expect(((try? result.get()) != nil) == isUsed, "mode \(String(mode, radix: 8))")
      }
    }
  }

  @Test func `the user's own file is no link and a named one must be there`() throws {
    try withTemporaryFolder { folder in
      let elsewhere = folder.appending(path: "elsewhere.toml")
      try Data("realm = \"x\"".utf8).write(to: elsewhere)
      try FileManager.default.createDirectory(
        at: folder.appending(path: "sealring"), withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        at: folder.appending(path: "sealring/config.toml"), withDestinationURL: elsewhere)
      let none = folder.appending(path: "none.toml")
      let found = SettingsFiles(named: nil, environment: ["XDG_CONFIG_HOME": folder.path], machine: none)
      #expect(throws: SettingsError.self) { try found.load(SettingDefinition.client) }
      // Somebody names it: the link is meant.
      let named = SettingsFiles(named: folder.appending(path: "sealring/config.toml").path, environment: [:])
      #expect(try named.load(SettingDefinition.client).count == 1)
      #expect(throws: SettingsError.self) {
        try SettingsFiles(named: nil, environment: ["SEALRING_CONFIG": none.path]).load(
          SettingDefinition.client)
      }
    }
  }

  @Test func `the machine's file comes before the users`() throws {
    try withTemporaryFolder { folder in
      let machine = folder.appending(path: "machine.toml")
      try Data("realm = \"machine\"\nuser = \"all\"".utf8).write(to: machine)
      try FileManager.default.createDirectory(
        at: folder.appending(path: "sealring"), withIntermediateDirectories: true)
      try Data("realm = \"own\"".utf8).write(to: folder.appending(path: "sealring/config.toml"))
      let files = SettingsFiles(named: nil, environment: ["XDG_CONFIG_HOME": folder.path], machine: machine)
      let settings = try Settings(files: files.load(SettingDefinition.client))
      #expect(settings.text("realm") == "own" && settings.text("user") == "all")
    }
  }
}
