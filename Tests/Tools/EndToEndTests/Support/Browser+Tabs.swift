import StrictJSON
import Testing

extension Browser {
  /// Goes back, as by the browser's button.
  func back() async throws { try await ask("POST", "/back", [:]) }

  /// The tab that is used now.
  func tab() async throws -> String { try #require(try await ask("GET", "/window").stringValue) }

  /// Opens another tab, and uses it from now on.
  func openTab() async throws -> String {
    let opened = try await ask("POST", "/window/new", ["type": "tab"])
    let tab = try #require(opened["handle"]?.stringValue)
    try await use(tab: tab)
    return tab
  }

  func use(tab: String) async throws { try await ask("POST", "/window", ["handle": .string(tab)]) }

  /// Waits until the page says that.
  func waitForText(_ text: String) async throws {
    _ = try await evaluateLater(
      """
      const [text, done] = arguments;
      const look = () => document.body.innerText.includes(text);
      if (look()) return done();
      const observer = new MutationObserver(() => { if (look()) { observer.disconnect(); done(); } });
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      """, [.string(text)])
  }

  /// Cuts the page off from the network, or connects it again.
  func setOffline(_ isOffline: Bool) async throws {
    try await command("Network.enable", [:])
    try await command(
      "Network.emulateNetworkConditions",
      ["offline": .bool(isOffline), "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1])
  }
}
