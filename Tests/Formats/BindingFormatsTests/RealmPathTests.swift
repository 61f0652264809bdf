import BindingFormats
import Testing

@Suite("Paths of realms") struct RealmPathTests {
  @Test(
    arguments: [
      ("root", "root", "realms/root", ""), ("/", "root", "realms/root", ""), ("", "root", "realms/root", ""),
      ("alpha", "alpha", "realms/root/realms/alpha", "/alpha"),
      ("/alpha", "alpha", "realms/root/realms/alpha", "/alpha"),
      ("root/realms/alpha", "alpha", "realms/root/realms/alpha", "/alpha"),
      ("alpha/branch", "alpha/branch", "realms/root/realms/alpha/realms/branch", "/alpha/branch"),
      ("/alpha/branch/", "alpha/branch", "realms/root/realms/alpha/realms/branch", "/alpha/branch"),
      (
        "root/realms/alpha/realms/branch", "alpha/branch", "realms/root/realms/alpha/realms/branch",
        "/alpha/branch"
      ), ("a b", "a b", "realms/root/realms/a%20b", "/a%20b"),
      // No realm's name, and so no other realm.
      ("realms", "realms", "realms/root/realms/realms", "/realms"),
    ])
  func `all spellings of a realm are one`(text: String, name: String, inPath: String, short: String) {
    let path = RealmPath(text)
    #expect(path.name == name && path.inPath == inPath && path.inShortPath == short)
    #expect(RealmPath(path.name) == path)
    #expect(path.resources(at: "https://id.example.com/am") == "https://id.example.com/am/json/\(inPath)")
  }

  @Test(arguments: ["..", "alpha/..", "alpha/../branch", "."])
  func `steps cannot stand in a path`(text: String) { #expect(!RealmPath(text).canStandInPath) }
}
