import Foundation
import StrictJSON
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Chromium with an authenticator of its own making, driven over plain WebDriver HTTP.
struct Browser {
  private let session: String
  private let authenticator: String

  private static let arguments: JSONValue = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=900,760",
  ]

  /// Runs `body` with a browser; the browser and its driver are gone afterwards.
  static func run(_ body: (Browser) async throws -> Void) async throws {
    try await withShortFolder { folder in
      let home = folder.path(percentEncoded: false)
      let path = try #require(
        ["/usr/bin/chromedriver", "/usr/local/bin/chromedriver"].first(
          where: FileManager.default.isExecutableFile), "scripts/bootstrap --test installs chromium-driver")
      let (driver, port) = try await Self.startDriver(path, home: home)
      do {
        let address = "http://127.0.0.1:\(port)"
        let session = try await Self.open(address)
        let result: Result<Void, any Error>
        do { result = .success(try await body(Browser(session: session))) } catch { result = .failure(error) }
        // In a task of its own, so that the browser goes even when the test was cancelled.
        _ = await Task { try? await Self.send("DELETE", session) }.value
        try result.get()
      } catch {
        driver.send(SIGTERM)
        throw error
      }
      driver.send(SIGTERM)
    }
  }

  /// A driver that listens, and its port. It picks a free port and takes it for IPv4 and IPv6 one after the other; when another
  /// test's server gets in between, it ends at once, and the next one picks another.
  private static func startDriver(_ path: String, home: String) async throws -> (RunningCommand, String) {
    for _ in 1...5 {
      let driver = try RunningCommand(
        path: path, arguments: ["--port=0"],
        environment: [
          "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "TMPDIR": home, "XDG_CONFIG_HOME": home,
        ],
        input: "")
      if let line = await driver.line(startingWith: "ChromeDriver was started successfully on port ") {
        return (driver, line.filter(\.isNumber))
      }
    }
    throw BrowserFailure(description: "\(path) ended five times before it listened")
  }

  /// A folder that is gone afterwards. Chromium puts a socket below it, whose path may have 107 bytes: TMPDIR can be too long.
  private static func withShortFolder(_ body: (URL) async throws -> Void) async throws {
    var template = Array("/tmp/sealring-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    let folder = URL(
      filePath: String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  private static func open(_ driver: String) async throws -> String {
    let opened = try await Self.send(
      "POST", "\(driver)/session",
      [
        "capabilities": [
          "alwaysMatch": [
            "browserName": "chrome", "goog:loggingPrefs": ["browser": "ALL"],
            "goog:chromeOptions": ["args": Self.arguments],
          ]
        ]
      ])
    return "\(driver)/session/\(try #require(opened["sessionId"]?.stringValue))"
  }

  private init(session: String) async throws {
    self.session = session
    authenticator = try #require(
      try await Self.send(
        "POST", "\(session)/webauthn/authenticator",
        [
          "protocol": "ctap2", "transport": "internal", "hasResidentKey": true,
          "hasUserVerification": true, "isUserVerified": true, "isUserConsenting": true,
        ]
      ).stringValue)
  }

  /// Opens an address. Browsers trust plain HTTP at `localhost` only.
  func go(to address: String) async throws {
    let url = address.replacing("127.0.0.1", with: "localhost")
    _ = try await Self.send("POST", "\(session)/url", ["url": .string(url)])
  }

  /// The address that the browser shows.
  func address() async throws -> String {
    try #require(try await Self.send("GET", "\(session)/url").stringValue)
  }

  /// Runs a script in the page; what it returns.
  func evaluate(_ script: String, _ arguments: JSONValue = []) async throws -> JSONValue {
    try await Self.send("POST", "\(session)/execute/sync", ["script": .string(script), "args": arguments])
  }

  /// The same for a script that calls its last argument when it is done.
  func evaluateLater(_ script: String, _ arguments: JSONValue = []) async throws -> JSONValue {
    try await Self.send("POST", "\(session)/execute/async", ["script": .string(script), "args": arguments])
  }

  /// Has the browser do what pages cannot, by the DevTools protocol.
  @discardableResult
  func command(_ name: String, _ parameters: JSONValue) async throws -> JSONValue {
    try await Self.send(
      "POST", "\(session)/goog/cdp/execute", ["cmd": .string(name), "params": parameters])
  }

  /// Presses keys on whatever has the focus: characters, or WebDriver's names such as `\u{E004}` for the tabulator.
  func press(_ keys: String) async throws {
    let actions = keys.flatMap { key -> [JSONValue] in
      [
        ["type": "keyDown", "value": .string(String(key))], ["type": "keyUp", "value": .string(String(key))],
      ]
    }
    _ = try await Self.send(
      "POST", "\(session)/actions",
      ["actions": [["type": "key", "id": "keyboard", "actions": .array(actions)]]])
  }

  /// Asks the browser by WebDriver.
  @discardableResult
  func ask(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
    try await Self.send(method, session + path, body)
  }

  /// Opens the server's page for a journey. Browsers trust plain HTTP at `localhost` only.
  func open(_ journey: String, at address: String, host: String = "localhost") async throws {
    let address = address.replacing("127.0.0.1", with: host)
    let url =
      "\(address)/XUI/?realm=/alpha&authIndexType=service&authIndexValue=\(journey)&ForceAuth=true"
    _ = try await Self.send("POST", "\(session)/url", ["url": .string(url)])
  }

  /// Waits until the page has an element, which is told of every change.
  func wait(for selector: String) async throws {
    _ = try await Self.send(
      "POST", "\(session)/execute/async",
      [
        "script": """
        const [selector, done] = arguments;
        if (document.querySelector(selector)) return done();
        const observer = new MutationObserver(() => {
          if (document.querySelector(selector)) { observer.disconnect(); done(); }
        });
        observer.observe(document, { subtree: true, childList: true, attributes: true });
        """, "args": [.string(selector)],
      ])
  }

  /// The same, while the browser goes from page to page: a page that is left ends the waiting with an error.
  func waitOverPages(for selector: String) async throws {
    for _ in 1...20 {
      do { return try await wait(for: selector) } catch is BrowserFailure {}
    }
    try await wait(for: selector)
  }

  /// What the page says.
  func text() async throws -> String {
    try await Self.send(
      "POST", "\(session)/execute/sync", ["script": "return document.body.innerText", "args": []]
    ).stringValue ?? ""
  }

  func type(_ text: String, into selector: String) async throws {
    _ = try await Self.send(
      "POST", "\(session)/element/\(try await element(selector))/value", ["text": .string(text)])
  }

  func click(_ selector: String) async throws {
    _ = try await Self.send("POST", "\(session)/element/\(try await element(selector))/click", [:])
  }

  private func element(_ selector: String) async throws -> String {
    let found = try await Self.send(
      "POST", "\(session)/element", ["using": "css selector", "value": .string(selector)])
    return try #require(found.objectValue?.map(\.value).first?.stringValue)
  }

  /// What the element says.
  func text(of selector: String) async throws -> String {
    let text = try await Self.send("GET", "\(session)/element/\(try await element(selector))/text")
    return try #require(text.stringValue)
  }

  /// A PNG picture of the element.
  func screenshot(of selector: String) async throws -> Data {
    let picture = try await Self.send("GET", "\(session)/element/\(try await element(selector))/screenshot")
    return try #require(picture.stringValue.flatMap { Data(base64Encoded: $0) })
  }

  /// Whether the authenticator verifies its person from now on.
  func setUserVerified(_ isVerified: Bool) async throws {
    _ = try await Self.send(
      "POST", "\(session)/webauthn/authenticator/\(authenticator)/uv", ["isUserVerified": .bool(isVerified)])
  }

  /// What the authenticator holds.
  func credentials() async throws -> [JSONValue] {
    try await Self.send("GET", "\(session)/webauthn/authenticator/\(authenticator)/credentials")
      .arrayValue ?? []
  }

  /// What the browser complained of since the last time.
  func complaints() async throws -> [String] {
    let entries = try await Self.send("POST", "\(session)/se/log", ["type": "browser"]).arrayValue ?? []
    return entries.compactMap { $0["message"]?.stringValue }
  }

  private static func send(
    _ method: String, _ url: String, _ body: JSONValue? = nil
  ) async throws -> JSONValue {
    let answer = try await LoopbackRequest(method, url, body: body?.serialized ?? []).answer()
    let value = try JSONValue(parsing: answer.body)["value"] ?? .null
    guard answer.status == 200 else {
      throw BrowserFailure(description: "\(method) \(url): \(value.text)")
    }
    return value
  }
}

struct BrowserFailure: Error, CustomStringConvertible {
  let description: String
}
