import BindingFormats
import Testing

@Suite("Universal ids") struct UniversalIDTests {
  @Test(
    arguments: [
      ("alpha", "id=demo,ou=user,o=alpha,ou=services,ou=am-config"), ("root", "id=demo,ou=user,ou=am-config"),
      ("alpha/branch", "id=demo,ou=user,o=branch,o=alpha,ou=services,ou=am-config"),
      ("a/b/c/d/e/f/g/h", "id=demo,ou=user,o=h,o=g,o=f,o=e,o=d,o=c,o=b,o=a,ou=services,ou=am-config"),
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
      // One account has one name.
      "id=demo,ou=user,o=alpha/branch,ou=services,ou=am-config", "id=demo,ou=user,ou=services,ou=am-config",
      "id=demo,ou=user,o=branch,o=,ou=services,ou=am-config",
      "id=demo,ou=user,o=branch,ou=alpha,ou=services,ou=am-config",
      "id=demo,ou=user,o=i,o=h,o=g,o=f,o=e,o=d,o=c,o=b,o=a,ou=services,ou=am-config",
    ])
  func `anything else is not one`(text: String) { #expect(UniversalID(text) == nil) }

  @Test func `the root realm is the root realm in any case, and so is every other`() {
    #expect(UniversalID(username: "demo", realm: "ROOT").text == "id=demo,ou=user,ou=am-config")
    let id = UniversalID("id=demo,ou=user,o=Zürich,ou=services,ou=am-config")
    #expect(id?.isIn(realm: "ZU\u{308}RICH") == true && id?.isIn(realm: "zurich") == false)
  }
}
