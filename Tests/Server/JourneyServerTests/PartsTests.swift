import Bytes
import Foundation
import JourneyStore
import Testing

@testable import JourneyServer

@Suite("Accept-Language") struct AcceptedLanguagesTests {
  @Test(
    arguments: [
      ("en-GB, en;q=0.9", ["en-GB", "en"]), ("fr;q=0.1,de;q=0.9, it ;q=0.9", ["de", "it", "fr"]),
      ("*", []), ("en;q=0", []), ("", []), ("de", ["de"]), (";;,,;q=", []), ("e\u{0}n, de", ["de"]),
    ])
  func `languages come in the order of their weights`(header: String, expected: [String]) {
    #expect(AcceptedLanguages.parse(header) == expected)
  }
}

@Suite("Random names") struct RandomNameTests {
  @Test(arguments: UInt8.min...UInt8.max)
  func `no name of random bytes looks like an option of a command line`(first: UInt8) {
    let name = RandomName.make([first, 0xFF, 0xFF])
    #expect(name.utf8.count == 4 && !name.hasPrefix("-"))
  }
}

@Suite("Queries") struct QueryParametersTests {
  @Test func `a query is decoded once, and its names are case-sensitive`() throws {
    let query = try QueryParameters("a=1&b=x%20y+z&a=2&c&D=%2525&=e")
    #expect(query["a"] == "1")
    #expect(query["b"] == "x y z")
    #expect(query["c"] == "")
    #expect(query["d"] == nil)
    #expect(query["D"] == "%25")
    #expect(throws: ErrorResponse.self) { try QueryParameters("a=%ff") }
  }
}

@Suite("Filters of sessions") struct SessionFilterTests {
  @Test func `session filters name a user and perhaps a realm`() throws {
    let both = try SessionFilter(#"username eq "a\"d a" and realm eq "/alpha""#)
    #expect(both.username == #"a"d a"#)
    #expect(both.realmPath == "/alpha")
    #expect(try SessionFilter(#"username eq "ada""#).realmPath == nil)
  }

  @Test(
    arguments: [
      "", "true", #"username eq ada"#, #"username eq "ada"#, #"username co "ada""#, #"realm eq "/""#,
      #""username""#,
      #"username eq "a" or realm eq "b""#, #"username eq "a" and username eq "b""#, #"username eq "a" and"#,
      #"mail eq "a""#, #"username eq "a\"#, #"username eq ""#,
    ])
  func `other session filters are refused`(text: String) {
    #expect(throws: ErrorResponse.self) { try SessionFilter(text) }
  }
}

@Suite("Addresses of databases") struct StoreOpeningTests {
  @Test(
    arguments: [
      ("sqlite::memory:", StoreOpening.Place.memory),
      ("sqlite:/var/lib/sealring", .directory(URL(fileURLWithPath: "/var/lib/sealring"))),
      ("sqlite:///var/lib/sealring", .directory(URL(fileURLWithPath: "/var/lib/sealring"))),
      ("SQLite:/x/sealring.sqlite", .directory(URL(fileURLWithPath: "/x/"))),
    ])
  func `databases that this build serves`(url: String, place: StoreOpening.Place) throws {
    var configuration = ServerConfiguration()
    configuration.database = url
    #expect(try StoreOpening.place(configuration) == place)
  }

  @Test(arguments: ["postgres://db/sealring", "postgresql://a,b/sealring?target_session_attrs=read-write"])
  func `PostgreSQL is named by a URL of libpq, with a folder for the server's key`(url: String) throws {
    var configuration = ServerConfiguration()
    configuration.database = url
    #expect(throws: ServerSetupError.self) { try StoreOpening.place(configuration) }
    let folder = URL(fileURLWithPath: "/var/lib/sealring")
    configuration.dataDirectory = folder
    #expect(try StoreOpening.place(configuration) == .postgres(url, folder))
  }

  @Test(arguments: ["postgres:x", "postgresfoo://x", "mysql://x", "sqlite:", "sqlite", ""])
  func `other databases are refused with what to do`(url: String) {
    var configuration = ServerConfiguration()
    configuration.database = url
    #expect(throws: ServerSetupError.self) { try StoreOpening.place(configuration) }
  }
}

@Suite("Session tokens") struct SessionTokenTests {
  @Test func `a token has 32 random bytes and a recognisable form, and shows itself to nobody`() throws {
    let token = SessionToken(randomBytes: SystemRandom.bytes)
    #expect(token.text.hasPrefix("sst_"))
    #expect(token.text.utf8.count == 47)
    #expect("\(token)" == "SessionToken(redacted)")
    #expect(try #require(SessionToken(presented: token.text)).hash == token.hash)
    #expect(SessionToken(presented: token.text + "x") == nil)
    #expect(SessionToken(presented: "") == nil)
  }
}

@Suite("Secrets in settings") struct SecretTests {
  @Test func `a secret shows itself to nobody`() {
    let secret = Secret("hunter2")
    var dumped = ""
    dump(secret, to: &dumped)
    #expect(!"\(secret) \(String(reflecting: secret)) \(dumped)".contains("hunter2"))
    #expect(secret.reveal() == "hunter2")
  }
}
