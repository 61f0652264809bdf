import BindingFormats
import Testing

@Suite("Universal ids") struct UniversalIDTests {
  @Test(
    arguments: [
      ("alpha", "id=demo,ou=user,o=alpha,ou=services,ou=am-config"), ("root", "id=demo,ou=user,ou=am-config"),
    ])
  func `text and parts`(realm: String, text: String) {
    #expect(UniversalID(username: "demo", realm: realm).text == text)
    #expect(UniversalID(text)?.username == "demo")
    #expect(UniversalID(text)?.realm == realm)
  }

  @Test func `they are equal in any case`() {
    let id = UniversalID(username: "Jürgen", realm: "alpha")
    #expect(UniversalID("ID=JÜRGEN,OU=user,O=Alpha,ou=Services,ou=AM-CONFIG") == id)
    #expect(UniversalID("ID=JÜRGEN,OU=user,O=Alpha,ou=Services,ou=AM-CONFIG")?.hashValue == id.hashValue)
    #expect(UniversalID(username: "jurgen", realm: "alpha") != id)
    #expect(UniversalID(username: "jürgen", realm: "root") != id)
  }

  @Test(
    arguments: [
      "", "id=", "demo", "id=,ou=user,ou=am-config", "id=demo,ou=user",
      "id=demo,ou=user,ou=am-config,ou=more",
      "id=demo,ou=user,o=,ou=services,ou=am-config", "id=demo,ou=group,o=alpha,ou=services,ou=am-config",
      "id=a,b,ou=user,ou=am-config", "id=demo, ou=user,ou=am-config",
    ])
  func `anything else is not one`(text: String) { #expect(UniversalID(text) == nil) }

  @Test func `the root realm is the root realm in any case, and so is every other`() {
    #expect(UniversalID(username: "demo", realm: "ROOT").text == "id=demo,ou=user,ou=am-config")
    let id = UniversalID("id=demo,ou=user,o=Zürich,ou=services,ou=am-config")
    #expect(id?.isIn(realm: "ZU\u{308}RICH") == true && id?.isIn(realm: "zurich") == false)
  }
}
