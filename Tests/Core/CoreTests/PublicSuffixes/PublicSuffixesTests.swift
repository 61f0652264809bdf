import WebAddresses
import Testing

@Suite struct PublicSuffixesTests {
  @Test func `the vectors that the list's maintainers publish`() {
    let lines = publishedVectors.split(separator: "\n")
    #expect(lines.count == 77)
    for line in lines {
      let columns = line.split(separator: " ").map(String.init)
      let found = DomainName(columns[0]).flatMap { PublicSuffixes.registrableDomain(of: $0) }
      let expected = columns[1] == "-" ? nil : DomainName(columns[1])
      #expect(found == expected, "\(line)")
    }
  }

  @Test(
    arguments: [
      ("www.example.co.uk", "co.uk"), ("a.b.ck", "b.ck"), ("www.ck", "ck"), ("x.www.ck", "ck"),
      ("aaa", "aaa"),
      ("a.zw", "zw"), ("a.zuerich", "zuerich"), ("me.github.io", "github.io"), ("github.io", "github.io"),
      ("食狮.公司.cn", "xn--55qx5d.cn"), ("localhost", "localhost"), ("a.localhost", "localhost"),
      ("city.kawasaki.jp", "kawasaki.jp"), ("a.b.kawasaki.jp", "b.kawasaki.jp"),
    ])
  func `rules at both ends of the list, wildcards, exceptions, and names of the private section`(
    name: String, suffix: String
  ) throws {
    #expect(PublicSuffixes.suffix(of: try #require(DomainName(name))).ascii == suffix)
  }

  @Test(
    arguments: [
      ("example.com", "example.com", true), ("example.com", "login.example.com", true),
      ("login.example.com", "example.com", false), ("ample.com", "example.com", false),
      ("com", "example.com", false), ("co.uk", "bank.co.uk", false), ("github.io", "me.github.io", false),
      ("me.github.io", "a.me.github.io", true), ("bank.example", "evil.example", false),
      ("localhost", "localhost", true), ("localhost", "a.localhost", false), ("github.io", "github.io", true),
      ("io", "me.github.io", false), ("b.ck", "a.b.ck", false), ("a.b.ck", "x.a.b.ck", true),
    ])
  func `what a host may use for itself`(name: String, host: String, fits: Bool) throws {
    let (name, host) = (try #require(DomainName(name)), try #require(DomainName(host)))
    #expect(name.isRegistrableSuffixOrEqual(of: host) == fits)
  }
}
